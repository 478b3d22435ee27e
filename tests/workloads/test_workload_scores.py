"""The workloads of stress-ng, DB12 and sysbench's further tests: commands, and what is read of their output."""

import pytest

from assay.model.units import BYTES
from assay.workloads import PARSERS, Parameters, Sizes, with_parameters
from assay.workloads.errors import OutputError
from tests.workloads.captures_scores import CAPTURES

SIZES = Sizes(cache_bytes=None, memory_bytes=2 * BYTES["GiB"], cpus=2)


def parsed(name: str, capture: str) -> dict[str, float | None]:
    found = PARSERS[name]((CAPTURES / capture).read_bytes())
    return {measurement.metric.name: measurement.value for measurement in found}


@pytest.mark.parametrize("stressor", ["cpu", "vm", "switch", "fault"])
def test_a_stressor_runs_on_each_processor_for_the_given_time(stressor: str) -> None:
    workload = with_parameters(f"stress-ng-{stressor}", Parameters(runtime_s=7), sizes=SIZES)
    assert workload.command[:3] == ("stress-ng", f"--{stressor}", "2")
    assert "7s" in workload.command
    assert workload.seconds == 7


def test_the_rate_by_the_clock_and_that_by_cpu_time_are_read() -> None:
    assert parsed("stress-ng-cpu", "stress-ng-0.15.06-perf.yaml") == {
        "bogo_ops_per_s": 538.221028,
        "bogo_ops_per_cpu_s": 1603.296509,
    }


def test_another_stressors_figures_are_not_taken() -> None:
    with pytest.raises(OutputError, match="expected figures of the stressor 'fault', got none"):
        parsed("stress-ng-fault", "stress-ng-0.15.06-perf.yaml")


def test_figures_that_stress_ng_distrusts_are_no_measurement() -> None:
    log = (CAPTURES / "stress-ng-0.15.06-perf.yaml").read_text().replace("2.001037", "0.201037")
    with pytest.raises(OutputError, match=r"it ran for 0\.201037 s"):
        PARSERS["stress-ng-cpu"](log.encode())


def test_db12_yields_sum_and_median_of_its_copies() -> None:
    assert parsed("db12", "db12-1.0.4-multiple-python3.11.txt") == {
        "sum": 70.48760133524083,
        "median": 34.72222222222223,
    }
    with pytest.raises(OutputError, match="expected the report of 'db12 multiple'"):
        parsed("db12", "db12-1.0.4-single-python3.9.txt")
    with pytest.raises(OutputError, match="a copy gave no result"):
        PARSERS["db12"](b"2 10.0 5.0 0.0 0.0\n0.0 10.0\n")


def test_sysbenchs_memory_yields_what_it_transferred() -> None:
    found = parsed("sysbench-memory", "sysbench-1.0.20-memory.txt")
    assert found["transferred"] is not None
    with pytest.raises(OutputError, match="expected one figure 'transferred_per_second', got 0"):
        parsed("sysbench-memory", "sysbench-1.0.20.txt")
    with pytest.raises(OutputError, match="got another test's"):
        parsed("sysbench-threads", "sysbench-1.0.20-memory.txt")
