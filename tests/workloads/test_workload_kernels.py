"""The reports of the probe's own kernels."""

import json
from pathlib import Path

import pytest

from assay.model.units import BYTES
from assay.workloads import WORKLOADS, OutputError, Parameters, Sizes, with_parameters
from assay.workloads.tools.kernels import definition as kernels_workload
from assay.workloads.tools.kernels import flops as flops_workload
from assay.workloads.tools.kernels import stream as stream_workload

CAPTURES = Path(__file__).parent / "captures" / "kernels"
FLOPS = {
    "kernel": "flops",
    "threads": 1,
    "seconds": 3.0001,
    "flop": 24_000_800_000,
    "flop_per_s": 8_000_000_000.0,
    "checksum": 1.5,
}


def _operation(count: int, best: float) -> dict[str, float]:
    return {"bytes": count, "best_s": 0.1, "avg_s": 0.11, "max_s": 0.12, "best_bytes_per_s": best}


STREAM = {
    "kernel": "stream",
    "threads": 1,
    "array_bytes": 150994944,
    "repetitions": 4,
    "elements": 18874368,
    "first_touch_s": 0.05,
    "copy": _operation(301989888, 11e9),
    "scale": _operation(301989888, 12e9),
    "add": _operation(452984832, 13e9),
    "triad": _operation(452984832, 14.5e9),
    "valid": True,
}


def test_flops_are_millions_a_second() -> None:
    (measurement,) = flops_workload.parse(json.dumps(FLOPS).encode())
    assert (measurement.metric.unit, measurement.value) == ("Mflop/s", 8000.0)


def test_bandwidths_are_the_best_in_millions_of_bytes_a_second() -> None:
    found = stream_workload.parse(json.dumps(STREAM).encode())
    assert [(m.metric.name, m.metric.unit, m.value) for m in found] == [
        ("copy", "MB/s", 11000.0),
        ("scale", "MB/s", 12000.0),
        ("add", "MB/s", 13000.0),
        ("triad", "MB/s", 14500.0),
    ]


@pytest.mark.parametrize(
    "change", [{"valid": False}, {"valid": None}, {"valid": "true"}, {"kernel": "flops"}, {"add": None}]
)
def test_wrong_results_in_the_arrays_or_a_missing_operation_are_no_bandwidth(
    change: dict[str, object],
) -> None:
    with pytest.raises(OutputError):
        stream_workload.parse(json.dumps(STREAM | change).encode())


@pytest.mark.parametrize("change", [{"kernel": "stream"}, {"flop_per_s": None}, {"flop_per_s": float("nan")}])
def test_another_kernel_or_no_rate_is_no_flops(change: dict[str, object]) -> None:
    with pytest.raises(OutputError):
        flops_workload.parse(json.dumps(FLOPS | change).encode())


@pytest.mark.parametrize("name", kernels_workload.METRICS)
def test_a_recorded_report_yields_every_figure_of_its_kernel(name: str) -> None:
    found = WORKLOADS[name].parse((CAPTURES / f"{name}.txt").read_bytes())
    assert tuple(measurement.metric for measurement in found) == kernels_workload.METRICS[name]
    assert all(measurement.value is not None and measurement.value > 0 for measurement in found)


def _syscall(**change: object) -> bytes:
    report = json.loads((CAPTURES / "syscall.txt").read_bytes())
    report["metrics"][0] |= change
    return json.dumps(report).encode()


def test_a_figure_that_was_not_measured_has_no_value() -> None:
    assert WORKLOADS["syscall"].parse(_syscall(value=None))[0].value is None
    assert WORKLOADS["syscall"].parse(_syscall(value=7.5))[0].value == 7.5


@pytest.mark.parametrize("change", [{"name": "other"}, {"unit": "us"}, {"value": "7"}, {"value": -1}])
def test_a_figure_under_another_name_or_in_another_unit_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(OutputError, match=r"null_call|metrics"):
        WORKLOADS["syscall"].parse(_syscall(**change))


def test_a_report_without_a_value_or_of_another_kernel_is_refused() -> None:
    report = json.loads(_syscall())
    del report["metrics"][0]["value"]
    with pytest.raises(OutputError):
        WORKLOADS["syscall"].parse(json.dumps(report).encode())
    with pytest.raises(OutputError, match="expected the report of kernel 'fork', got 'syscall'"):
        WORKLOADS["fork"].parse(_syscall())


TRANSACTIONS = {
    "kernel": "tcp-crr",
    "metrics": [{"name": "transactions", "value": 16544.2, "unit": "1/s", "direction": "higher"}],
    "rules": "by netperf's method (TCP_CRR)",
}


def test_transactions_are_read_as_netperfs_are_and_of_their_own_kernel_alone() -> None:
    (found,) = WORKLOADS["tcp-crr"].parse(json.dumps(TRANSACTIONS).encode())
    sizes = Sizes(cache_bytes=None, memory_bytes=1, cpus=1)
    (netperfs,) = with_parameters("netperf-tcp-crr", Parameters(), sizes=sizes).metrics
    assert (found.metric, found.value) == (netperfs, 16544.2)
    with pytest.raises(OutputError, match="expected the report of kernel 'tcp-rr', got 'tcp-crr'"):
        WORKLOADS["tcp-rr"].parse(json.dumps(TRANSACTIONS).encode())


@pytest.mark.parametrize("name", ["tcp-rr", "tcp-crr", "udp-rr"])
def test_a_stand_in_says_so_where_it_is_shown(name: str) -> None:
    test = name.upper().replace("-", "_")
    made = with_parameters(name, Parameters(), sizes=Sizes(cache_bytes=None, memory_bytes=1, cpus=1))
    for said in (made.note, WORKLOADS[name].title):
        assert said.casefold().startswith(
            f"a stand-in for netperf's {test} by the probe's own kernel".casefold()
        )


def test_the_largest_working_set_exceeds_the_caches_and_fits_into_the_memory() -> None:
    def largest(cache: int | None, memory: int) -> str:
        sizes = Sizes(cache_bytes=cache, memory_bytes=memory, cpus=1)
        return with_parameters("latency", Parameters(), sizes=sizes).command[-1]

    mib = BYTES["MiB"]
    assert largest(None, 4096 * mib) == str(64 * mib)
    assert largest(32 * mib, 4096 * mib) == str(128 * mib)
    assert largest(32 * mib, 128 * mib) == str(64 * mib)


def test_a_two_phase_job_of_given_events_does_the_same_initialization_on_every_share_of_an_arm() -> None:
    commands = set()
    for memory in (1, 64):
        sizes = Sizes(cache_bytes=None, memory_bytes=memory * BYTES["GiB"], cpus=1)
        made = with_parameters("two-phase", Parameters(events=1000), sizes=sizes)
        commands.add(made.command)
        assert made.seconds == pytest.approx(1.05)
    (command,) = commands
    assert command[-4:] == ("--init-bytes", str(64 * BYTES["MiB"]), "--events", "1000")
