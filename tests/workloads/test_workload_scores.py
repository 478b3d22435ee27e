"""The workloads of stress-ng, DB12 and sysbench's further tests: commands, and what is read of
their output.
"""

from dataclasses import replace

import pytest

from assay.model.units import BYTES
from assay.workloads import (
    WORKLOADS,
    Parameters,
    Sizes,
    Wrote,
    command_workload,
    reads_errors,
    with_parameters,
)
from assay.workloads.errors import OutputError
from tests.workloads.captures_scores import CAPTURES

SIZES = Sizes(cache_bytes=None, memory_bytes=2 * BYTES["GiB"], cpus=2)


def parsed(name: str, capture: str) -> dict[str, float | None]:
    found = WORKLOADS[name].parse((CAPTURES / capture).read_bytes())
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
        WORKLOADS["stress-ng-cpu"].parse(log.encode())


def test_what_stress_ng_says_against_its_figures_on_standard_error_is_read_with_its_yaml() -> None:
    yaml = (CAPTURES / "stress-ng-0.15.06-perf.yaml").read_bytes()
    log = b"stress-ng: info:  [5] dispatching hogs: 1 cpu\nstress-ng: info:  [5] {}\n"
    log += b"stress-ng: info:  [5] successful run completed in 2.00s"
    quiet, loud = (log.replace(b"{}", said) for said in (b"cpu: hm", b"cpu: run duration too short to tell"))
    assert len(WORKLOADS["stress-ng-cpu"].parse(Wrote(yaml, quiet).combined)) == 2
    with pytest.raises(OutputError, match="stress-ng says 'run duration too short to tell'"):
        WORKLOADS["stress-ng-cpu"].parse(Wrote(yaml, loud).combined)
    assert Wrote(yaml).combined == yaml


def test_standard_error_is_read_for_tools_that_say_on_it_what_they_distrust_alone() -> None:
    assert reads_errors(with_parameters("stress-ng-vm", Parameters(), sizes=SIZES))
    assert reads_errors(replace(command_workload("mine", ["mine"]), reader="stress-ng"))
    assert not reads_errors(with_parameters("sysbench-cpu", Parameters(), sizes=SIZES))


def test_db12_yields_sum_and_median_of_its_copies() -> None:
    assert parsed("db12", "db12-1.0.4-multiple-python3.11.txt") == {
        "sum": 70.48760133524083,
        "median": 34.72222222222223,
    }
    with pytest.raises(OutputError, match="expected the report of 'db12 multiple'"):
        parsed("db12", "db12-1.0.4-single-python3.9.txt")
    with pytest.raises(OutputError, match="a copy gave no result"):
        WORKLOADS["db12"].parse(b"2 10.0 5.0 0.0 0.0\n0.0 10.0\n")


def test_sysbenchs_memory_yields_what_it_transferred() -> None:
    found = parsed("sysbench-memory", "sysbench-1.0.20-memory.txt")
    assert found["transferred"] is not None
    with pytest.raises(OutputError, match="expected one figure 'transferred_per_second', got 0"):
        parsed("sysbench-memory", "sysbench-1.0.20.txt")
    with pytest.raises(OutputError, match="got another test's"):
        parsed("sysbench-threads", "sysbench-1.0.20-memory.txt")


def fileio(*tests: str) -> bytes:
    """Return the reports of several tests of sysbench fileio, one behind the other."""
    return b"".join((CAPTURES / f"sysbench-1.0.20-fileio-{test}.txt").read_bytes() for test in tests)


def test_sysbenchs_files_yield_what_each_of_the_three_tests_measured() -> None:
    found = WORKLOADS["sysbench-fileio"].parse(fileio("seqrd", "rndrd", "seqwr"))
    assert [(one.metric.name, one.value) for one in found] == [
        ("seq_write", pytest.approx(292.02 * 1.048576)),
        ("seq_read", pytest.approx(210.98 * 1.048576)),
        ("rand_read", 12570.67),
    ]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (fileio("seqrd", "rndrd"), "expected one figure 'written' of its run, got 0"),
        (fileio("seqwr", "rndrd", "seqrd"), "'seq_read' cannot be compared: the test did none of it"),
        (fileio("seqwr"), "expected 3 runs of sysbench fileio, got another number"),
        (
            fileio("seqrd", "rndrd", "seqwr", "seqwr"),
            "expected 3 runs of sysbench fileio, got another number",
        ),
        (
            fileio("seqrd", "rndrd", "seqwr").replace(b"directio", b"(none)"),
            "'seq_read' cannot be compared: the page cache may have served it",
        ),
    ],
)
def test_reports_of_other_tests_or_through_the_page_cache_are_refused(output: bytes, said: str) -> None:
    with pytest.raises(OutputError) as refused:
        WORKLOADS["sysbench-fileio"].parse(output)
    assert said in refused.value.message


def test_the_file_of_sysbench_is_made_before_the_clock_starts() -> None:
    workload = with_parameters("sysbench-fileio", Parameters(size_bytes=2**26), sizes=SIZES)
    ((*words, last),) = workload.prepare
    assert last == "prepare"
    assert "--file-extra-flags=direct" in words
    assert set(words[2:]) < set(workload.command)
    assert not workload.keeps_inputs


def test_the_file_of_sysbench_is_of_whole_blocks() -> None:
    workload = with_parameters("sysbench-fileio", Parameters(size_bytes=20_000_000), sizes=SIZES)
    assert workload.file_bytes == 1220 * 2**14
    assert "--file-total-size=19988480" in workload.prepare[0]
    assert "--file-total-size=19988480" in workload.command
    assert "as the scene says (19.07 MiB), in whole blocks; direct" in workload.note
