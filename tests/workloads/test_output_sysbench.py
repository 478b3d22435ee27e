"""Every figure of sysbench's tests, versions 0.4 to 1.1."""

from __future__ import annotations

import pytest

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE
from assay.workloads import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.outputs import capture, figure, read, refused, why_not


def test_every_figure_of_a_run_has_its_unit_and_direction() -> None:
    output = read("sysbench", "sysbench-1.0.20-slow.txt")
    assert (output.tool, output.version) == ("sysbench", "1.0.20")
    assert [(one.metric, one.value, one.unit, one.direction) for one in output.measurements[:6]] == [
        ("events_per_second", 1220.86, "events/s", Direction.HIGHER),
        ("total_time", 3.0019, "s", Direction.LOWER),
        ("total_number_of_events", 3667, "1", None),
        ("latency_min", 0.97, "ms", Direction.LOWER),
        ("latency_avg", 1.64, "ms", Direction.LOWER),
        ("latency_max", 41.05, "ms", Direction.LOWER),
    ]
    assert figure(output, "latency_percentile", percentile="95").value == 5.09
    assert figure(output, "threads_fairness_events_stddev").value == 85.5


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("0.4.12", "0.4.12", {"latency_max": 9.83, "total_time_taken_by_event_execution": 11.7406}),
        ("0.5", "0.5", {"latency_min": 1.2, "total_time": 12.5}),
        ("1.1.0", "1.1.0", {"events_per_second": 1893.27, "eps": 1893.2711, "time_elapsed": 3.0016}),
        ("0.4.12-memory", "0.4.12", {"operations_per_second": 2247904.5, "transferred_per_second": 2195.22}),
        ("1.0.20-memory", "1.0.20", {"operations": 5432536, "transferred": 5305.21}),
        ("0.4.12-fileio", "0.4.12", {"requests_per_second": 309.41, "transferred_per_second": 4.8345}),
        ("1.0.20-fileio", "1.0.20", {"reads_per_s": 20699.71, "fsyncs_per_s": 1380.2, "written": 215.63}),
        ("1.1.0-fileio", "1.1.0-bd4b418", {"read_iops": 3022.58, "read": 47.23, "read_megabytes": 49.52}),
        ("1.0.20-threads", "1.0.20", {"total_number_of_events": 1651}),
        ("0.5-oltp", "0.5", {"transactions_per_s": 521.72, "read_write_requests": 187884}),
        ("1.0.20-oltp", "1.0.20", {"transactions": 5129, "queries_per_s": 10252.24, "ignored_errors": 0}),
        ("1.0.20-prepare", "1.0.20", {"prepare_bytes": 4194304, "prepare_rate": 9.53}),
        ("0.4.12-cpu-16-threads", "0.4.12", {"latency_avg": 18.45, "threads_fairness_events_stddev": 8.57}),
        ("0.4.12-memory-1M", "0.4.12", {"operations": 10240, "transferred_per_second": 3855.8}),
        ("0.4.12-fileio-rndrw", "0.4.12", {"requests_per_second": 63.66, "transferred_per_second": 1018.6}),
        ("0.4.12-oltp-simple", "0.4.12", {"transactions_per_s": 2692.92, "deadlocks": 0}),
        ("0.5-oltp-16-threads", "0.5", {"read_write_requests_per_s": 10553.27, "latency_max": 313.5}),
        ("0.5-oltp-deadlocks", "0.5", {"deadlocks": 0, "transactions": 254712, "total_time": 600.0017}),
    ],
)
def test_every_test_of_every_version_is_read(name: str, version: str, expected: dict[str, float]) -> None:
    output = read("sysbench", f"sysbench-{name}.txt")
    assert output.version == version
    said = {one.metric: one.value for one in output.measurements if not set(one.labels) - {NOT_COMPARABLE}}
    assert {metric: said[metric] for metric in expected} == expected


@pytest.mark.parametrize(
    ("name", "figures", "hidden"),
    [
        ("0.4.12-cpu-16-threads", 11, 0),
        ("0.4.12-memory-1M", 15, 0),
        ("0.4.12-fileio-rndrw", 20, 10),
        ("0.4.12-oltp-simple", 23, 0),
        ("0.5-oltp-16-threads", 8 * 7 + 25, 0),
        ("0.5-oltp-deadlocks", 60 * 5 + 23, 0),
    ],
)
def test_real_outputs_of_old_versions_have_all_their_figures(name: str, figures: int, hidden: int) -> None:
    output = read("sysbench", f"sysbench-{name}.txt")
    assert (len(output.measurements), output.refused) == (figures, ())
    assert sum(not one.comparable for one in output.measurements) == hidden


def test_intervals_of_both_forms_of_0_5_are_read() -> None:
    new, old = (read("sysbench", f"sysbench-0.5-oltp-{form}.txt") for form in ("16-threads", "deadlocks"))
    assert figure(new, "interval_latency", at="2s", percentile="99").value == 210.67
    assert figure(new, "interval_reads", at="16s").value == 8040.51
    assert figure(old, "interval_tps", at="570s").value == 486.9
    assert figure(old, "interval_reads_per_s", at="600s").unit == "reads/s"
    assert figure(old, "queries_performed", operation="write").value == 1018848


def test_megabytes_that_count_1024_stand_as_mib() -> None:
    old = read("sysbench", "sysbench-0.4.12-fileio.txt")
    assert figure(old, "transferred", operation="write").unit == "MiB"
    assert figure(old, "transferred_per_second").unit == "MiB/s"
    real = read("sysbench", "sysbench-0.4.12-fileio-rndrw.txt")
    assert figure(real, "transferred", operation="read").value == 179.06
    assert figure(real, "transferred_per_second").unit == "KiB/s"
    new = read("sysbench", "sysbench-1.1.0-fileio.txt")
    assert (figure(new, "read").unit, figure(new, "read_megabytes").unit) == ("MiB/s", "MB/s")


def test_statements_are_told_apart_by_their_operation() -> None:
    output = read("sysbench", "sysbench-1.0.20-oltp.txt")
    assert figure(output, "queries_performed", operation="write").value == 20516
    assert figure(output, "interval_qps", at="10s", operation="read").value == 7178.55


def test_lines_of_an_interval_have_the_second_in_which_they_were_printed() -> None:
    output = read("sysbench", "sysbench-1.0.20-fileio-intervals.txt")
    first = figure(output, "interval_reads", at="1s")
    assert (first.value, first.unit) == (243.53, "MiB/s")
    assert figure(output, "interval_latency", at="2s").labels["percentile"] == "95"
    old = read("sysbench", "sysbench-0.5-oltp.txt")
    assert (figure(old, "interval_reads").unit, figure(old, "interval_latency").value) == ("queries/s", 25.12)
    queue = read("sysbench", "sysbench-1.0.20-debug.txt")
    assert figure(queue, "interval_queue_length").value == 0


def test_checkpoints_are_reports_of_their_own() -> None:
    output = read("sysbench", "sysbench-1.0.20-checkpoints.txt")
    assert figure(output, "events_per_second", checkpoint="1s").value == 686.38
    assert figure(output, "events_per_second", checkpoint="end").value == 673.6


def test_what_a_test_of_files_did_not_do_is_marked() -> None:
    text = capture("sysbench-1.1.0-fileio.txt").replace(
        b"IOPS=3022.58 47.23 MiB/s (49.52 MB/s)", b"IOPS=0.00 0.00 MiB/s (0.00 MB/s)"
    )
    output = read_output("sysbench", text)
    assert why_not(output, "read") == why_not(output, "read_iops") == "the test did none of it"
    assert why_not(output, "written") != "the test did none of it"


def test_a_test_of_files_that_the_page_cache_may_have_served_cannot_be_compared() -> None:
    output = read("sysbench", "sysbench-1.0.20-fileio-intervals.txt")
    for metric in ("reads_per_s", "written", "latency_avg", "total_time"):
        assert "do not say direct" in str(why_not(output, metric))
    assert "do not say direct" in str(why_not(output, "interval_reads", at="1s"))
    assert figure(output, "total_number_of_events").comparable


def test_a_direct_test_of_files_can_be_compared_by_the_word_or_the_number_of_its_flags() -> None:
    named = capture("sysbench-1.0.20-fileio.txt").replace(b"flags: (none)", b"flags: directio")
    for output in (read_output("sysbench", named), read("sysbench", "sysbench-0.4.12-fileio.txt")):
        assert why_not(output, "latency_avg") is None
    number = capture("sysbench-0.4.12-fileio.txt").replace(b"flags: 16384", b"flags: 4096")
    assert "do not say direct" in str(why_not(read_output("sysbench", number), "requests_per_second"))
    assert why_not(read("sysbench", "sysbench-1.0.20-prepare.txt"), "prepare_rate") is None
    assert why_not(read("sysbench", "sysbench-1.0.20-memory.txt"), "transferred_per_second") is None


def test_a_histogram_is_a_count_for_each_value() -> None:
    output = read("sysbench", "sysbench-1.0.20-histogram.txt")
    assert figure(output, "latency_histogram", value_ms="0.218").value == 990


def test_what_was_switched_off_or_is_no_number_is_refused() -> None:
    assert "disabled" in refused(read("sysbench", "sysbench-1.0.20-threads.txt"))["latency_percentile"]
    text = capture("sysbench-1.0.20-slow.txt").replace(b"1.64", b"-nan")
    assert refused(read_output("sysbench", text))["latency_avg"] == "sysbench printed '-nan'"


def test_several_runs_in_a_file_are_told_apart_and_cleaning_up_is_none() -> None:
    texts = [capture(f"sysbench-1.0.20{name}.txt") for name in ("-prepare", "", "-slow")]
    clean = b"sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRemoving test files...\n"
    output = read_output("sysbench", b"$ sysbench cpu run\n" + b"".join(texts) + clean)
    assert output.version == "1.0.20"
    assert figure(output, "prepare_bytes").labels["run"] == "1"
    assert figure(output, "events_per_second", run="2").value == 1958.40
    assert figure(output, "events_per_second", run="3").value == 1220.86


def test_what_the_shell_writes_around_a_run_is_passed_over() -> None:
    around = b"\nreal\t0m10.012s\nuser\t0m10.000s\nsys\t0m0.004s\nuser@host:~$ \n"
    text = capture("sysbench-1.0.20-slow.txt")
    assert read_output("sysbench", text + around) == read_output("sysbench", text)


@pytest.mark.parametrize(
    ("output", "line", "words"),
    [
        (capture("sysbench-1.0.20-fatal.txt"), 1, "Invalid value for --threads"),
        (
            capture("sysbench-1.0.20.txt").replace(b"General", b"Surprising"),
            17,
            "got 'Surprising statistics:'",
        ),
        (capture("sysbench-1.0.20.txt").replace(b"1958.40", b"1,958.40"), 15, "expected a number"),
        (capture("sysbench-1.0.20.txt").partition(b"Threads fairness")[0], 27, "cut off"),
        (capture("sysbench-1.0.20.txt")[:-70], 29, "expected a line of sysbench's report"),
        (capture("sysbench-1.0.20.txt") * 2 + b"Surprise\n", 63, "got 'Surprise'"),
        (b"\n".join((capture("sysbench-1.0.20.txt"), b"sysbench 1.0.20", b"General")), 33, "a report"),
        (
            capture("sysbench-1.0.20-intervals.txt").replace(b"eps:", b"xyz:"),
            15,
            "known words of an interval",
        ),
        (b"sysbench: command not found\n", 1, "expected a report of sysbench"),
        (b"", 1, "got nothing"),
    ],
)
def test_what_is_no_whole_report_is_refused_with_its_line(
    output: bytes, line: int | None, words: str
) -> None:
    with pytest.raises(OutputError, match=words) as caught:
        read_output("sysbench", output)
    assert line is None or caught.value.line == line
