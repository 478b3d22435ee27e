"""The reports of the probe's own kernels."""

import json

import pytest

from assay.workloads import OutputError
from assay.workloads import flops as flops_workload
from assay.workloads import stream as stream_workload

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
