"""stress-ng's log and YAML, versions 0.9 to 0.18."""

import pytest

from assay.model.metric import Direction
from assay.workloads.errors import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.captures_scores import CAPTURES, distinct, figures, only, read, reason, value

TABLE = 8
ALL = sorted(path.name for path in CAPTURES.glob("stress-ng-*"))


@pytest.mark.parametrize("capture", ALL)
def test_every_figure_of_a_capture_is_told_from_the_others(capture: str) -> None:
    assert distinct(read("stress-ng", capture))


def test_the_table_and_the_yaml_of_one_run_have_the_same_figures() -> None:
    log, yaml = (
        read("stress-ng", "stress-ng-0.15.06-short.txt"),
        read("stress-ng", "stress-ng-0.15.06-short.yaml"),
    )
    assert yaml.version == "0.15.06"
    for stressor in ("cpu", "switch", "vm"):
        for metric in ("bogo_ops", "bogo_ops_per_second_real_time", "max_rss", "cpu_usage_per_instance"):
            one, other = only(log, metric, stressor=stressor), only(yaml, metric, stressor=stressor)
            assert one.value == pytest.approx(other.value, abs=0.005)
            assert (one.unit, one.direction) == (other.unit, other.direction)
    assert value(yaml, "nanosecs_per_context_switch_pipe_method") == 25922.526225
    assert only(log, "nanosecs_per_context_switch_pipe_method").unit == "ns"


def test_a_stressor_that_ran_too_short_is_not_comparable_and_its_rate_is_refused() -> None:
    output = read("stress-ng", "stress-ng-0.15.06-short.txt")
    assert len(figures(output, "bogo_ops")) == 4
    assert "run duration too short to determine memory rate" in reason(output, "bogo_ops", stressor="stream")
    assert only(output, "bogo_ops", stressor="cpu").comparable
    (refused,) = output.refused
    assert (refused.metric, dict(refused.labels)) == ("memory_rate", {"stressor": "stream"})


def test_counters_and_times_are_read_from_both_forms() -> None:
    log, yaml = (
        read("stress-ng", "stress-ng-0.15.06-perf.txt"),
        read("stress-ng", "stress-ng-0.15.06-perf.yaml"),
    )
    for output in (log, yaml):
        assert value(output, "cpu_clock_total", stressor="cpu") == 671798515
        assert value(output, "context_switches_total", stressor="switch") == 245574
        assert len(figures(output, "load_average_1_minute")) == 1
    assert value(log, "available_cpu_time") == 4.01
    assert only(log, "context_switches_per_second", stressor="switch").unit == "M/sec"
    assert value(yaml, "context_switches_per_second", stressor="switch") == 122559.431171
    assert [f.value for f in figures(yaml, "user_time") if not f.labels] == [0.7]


def test_skipped_stressors_are_refused_with_the_reason() -> None:
    output = read("stress-ng", "stress-ng-0.15.06-skipped.txt")
    reported = {refused.labels["stressor"]: refused.reason for refused in output.refused}
    assert reported["rdrand"] == "stress-ng skipped it: not a recognised Intel CPU"
    assert set(reported) == {"rdrand", "smi", "watchdog"}
    assert output.version == "0.15.06"


def test_a_log_without_prefixes_has_the_same_table() -> None:
    output = read("stress-ng", "stress-ng-0.15.06-log-brief.txt")
    assert value(output, "bogo_ops", stressor="cpu") == 1608
    assert len(output.measurements) == TABLE


def test_the_columns_of_older_versions_follow_their_heading() -> None:
    oldest, old = read("stress-ng", "stress-ng-0.11.07.txt"), read("stress-ng", "stress-ng-0.13.12.txt")
    assert value(oldest, "bogo_ops_per_second_usr_sys_time", stressor="cpu") == 162.95
    assert not figures(oldest, "max_rss")
    assert value(oldest, "memory_rate_mb_sec", instance="1") == 7098.2
    assert value(old, "cpu_usage_per_instance", stressor="switch") == 66.88
    assert value(old, "nanosecs_per_context_switch_pipe_method") == 3296.51


def test_a_real_yaml_of_0_9_and_a_log_that_does_not_tell_its_version_are_read() -> None:
    yaml, log = (
        read("stress-ng", f"stress-ng-{name}") for name in ("0.09.25.yaml", "version-untold-4-cpu.txt")
    )
    assert (yaml.version, len(yaml.measurements), yaml.refused) == ("0.09.25", 12, ())
    assert value(yaml, "bogo_ops_per_second_real_time", stressor="vm") == 106785.171174
    assert (value(yaml, "user_time", stressor="cpu"), only(yaml, "user_time", stressor="cpu").unit) == (
        141.21, "s",
    )  # fmt: skip
    assert (log.version, len(log.measurements), log.refused) == (None, 6, ())
    assert value(log, "bogo_ops", stressor="cpu") == 62261
    assert value(log, "bogo_ops_per_second_usr_sys_time", stressor="cpu") == 259.41
    assert all(figure.comparable for output in (yaml, log) for figure in output.measurements)


def test_what_failed_or_is_distrusted_keeps_its_value_and_is_not_comparable() -> None:
    output = read("stress-ng", "stress-ng-0.18.06.txt")
    assert output.version == "0.18.06"
    assert "stressor failed" in reason(output, "bogo_ops", stressor="clock")
    assert "metrics untrustworthy" in reason(output, "write64_mb_per_sec")
    assert only(output, "bogo_ops", stressor="cpu").comparable
    assert only(output, "instr_per_cycle").direction is Direction.HIGHER
    assert value(output, "cpu_cycles_total") == 59839541602
    assert "set an invalid negative time" in reason(
        read("stress-ng", "stress-ng-0.11.07.txt"), "bogo_ops", stressor="clock"
    )


def test_a_rate_over_less_than_a_second_is_not_comparable() -> None:
    text = (CAPTURES / "stress-ng-0.15.06-log-brief.txt").read_text().replace("     1.00 ", "     0.35 ")
    assert "0.35 s, less than 0.5 s" in reason(read_output("stress-ng", text.encode()), "bogo_ops")


def test_a_log_and_its_yaml_in_one_file_are_read_once() -> None:
    log = (CAPTURES / "stress-ng-0.15.06-short.txt").read_bytes()
    yaml = (CAPTURES / "stress-ng-0.15.06-short.yaml").read_bytes()
    output = read_output("stress-ng", log + yaml)
    assert value(output, "bogo_ops_per_second_real_time", stressor="cpu") == 355.905409
    assert not only(output, "bogo_ops", stressor="stream").comparable


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (b"", "got nothing"),
        (b"hello\n", "expected metrics"),
        (b"stress-ng: info:  [1] dispatching hogs: 1 cpu\n", "expected 'run completed'"),
        (b"stress-ng: metrc: [1] something new: 3\n", "line 1: expected a line of stress-ng"),
        (b"stress-ng: unrecognized option '--with'\n", "stress-ng says"),
        (b"---\nmetrics:\n    - stressor: cpu\n      bogo-ops: many\n...\n", "line 4: expected a number"),
        (b"---\nmetrics:\n    - stressor: cpu\n      bogo-ops: 3\n", "expected '...' at the end"),
        (b"---\nsurprise:\n    x: 3\n...\n", "line 2: expected a line of stress-ng"),
    ],
)
def test_what_is_not_known_is_refused_with_its_line(output: bytes, problem: str) -> None:
    with pytest.raises(OutputError) as caught:
        read_output("stress-ng", output)
    assert problem in caught.value.message


def test_the_memory_rates_of_a_stream_that_ran_long_enough_have_their_units() -> None:
    output = read("stress-ng", "stress-ng-0.15.06-stream.txt")
    assert (value(output, "memory_rate_mb_read_sec"), only(output, "memory_rate_mb_read_sec").unit) == (
        3057.61,
        "MB/s",
    )
    assert only(output, "memory_rate_mb_write_sec").unit == "MB/s"
    assert only(output, "memory_rate_mflop_sec").unit == "Mflop/s"
    assert not output.refused


def test_scientific_notation_is_read() -> None:
    output = read("stress-ng", "stress-ng-0.15.06-scientific.txt")
    assert value(output, "wall_clock_time", stressor="cpu") == 1.005


def test_what_others_put_before_each_line_is_not_read() -> None:
    journal = read("stress-ng", "stress-ng-form-journal.txt")
    assert value(journal, "bogo_ops", stressor="fpunch") == 0
    assert value(journal, "extents_per_file", stressor="fpunch", instances="128") == 2049.12
    assert {figure.labels["stressor"] for figure in journal.measurements} == {"fpunch", "ioport", "copy-file"}
    counted = read("stress-ng", "stress-ng-form-line-numbers.txt")
    assert value(counted, "bogo_ops", stressor="utime") == 190047
    assert value(counted, "access_calls_per_sec", stressor="access") == 3653537.23


def test_rows_and_means_are_those_of_lines_with_the_prefix() -> None:
    other = "cpu 1 2 3 4 5 6 7 8\nload 12 apples (geometric mean of 3 instances)\ncpu:\n"
    text = (CAPTURES / "stress-ng-0.15.06-short.txt").read_text()
    found = read_output("stress-ng", (text + other).encode())
    assert found.measurements == read("stress-ng", "stress-ng-0.15.06-short.txt").measurements
    assert [remark.partition(": ")[2] for remark in found.remarks] == [
        f"'{line}'" for line in other.splitlines()
    ]
    brief = (CAPTURES / "stress-ng-0.15.06-log-brief.txt").read_text()
    assert value(read_output("stress-ng", (text + brief).encode()), "bogo_ops", run="2") == 1608
    with pytest.raises(OutputError):
        read_output("stress-ng", (text + brief.replace("dispatching", "starting")).encode())


def test_two_runs_in_one_log_are_told_apart_and_judged_each_by_its_own() -> None:
    output = read("stress-ng", "stress-ng-form-two-runs.txt")
    assert (value(output, "bogo_ops", run="1"), value(output, "bogo_ops", run="2")) == (5141, 7141)
    assert "unsuccessful run" in reason(output, "bogo_ops", run="1")
    assert only(output, "bogo_ops", run="2").comparable


def test_what_stands_before_the_start_of_a_run_is_of_that_run() -> None:
    one, other = (CAPTURES / f"stress-ng-0.15.06-{name}.txt" for name in ("short", "skipped"))
    output = read_output("stress-ng", one.read_bytes() + other.read_bytes())
    assert {refused.labels["run"] for refused in output.refused if refused.metric == "bogo_ops"} == {"2"}
    assert len(figures(output, "bogo_ops", run="1")) == 4
    assert distinct(output)


def test_a_first_run_that_was_cut_is_refused() -> None:
    text = (
        (CAPTURES / "stress-ng-form-two-runs.txt")
        .read_text()
        .replace("unsuccessful run completed", "stopped")
    )
    with pytest.raises(OutputError):
        read_output("stress-ng", text.encode())


def test_two_yaml_files_in_one_are_two_runs() -> None:
    yaml = (CAPTURES / "stress-ng-0.15.06-short.yaml").read_bytes()
    output = read_output("stress-ng", yaml + yaml)
    assert len(figures(output, "bogo_ops", run="2")) == len(figures(output, "bogo_ops", run="1")) == 4
    assert distinct(output)
    log = (CAPTURES / "stress-ng-0.15.06-short.txt").read_bytes()
    with pytest.raises(OutputError):
        read_output("stress-ng", log + yaml + yaml)


def test_a_check_of_all_metrics_that_warns_is_heard() -> None:
    output = read("stress-ng", "stress-ng-form-zero.txt")
    assert "all bogo-op counters are zero" in reason(output, "bogo_ops")
    assert not any(figure.comparable for figure in output.measurements)


def test_power_and_temperature_are_read_from_both_forms() -> None:
    log, yaml = read("stress-ng", "stress-ng-form-rapl.txt"), read("stress-ng", "stress-ng-form-rapl.yaml")
    for output in (log, yaml):
        assert value(output, "power", stressor="cpu", domain="dram") == 6.09
        assert only(output, "power", domain="pkg-0").unit == "W"
    assert value(yaml, "total_time") == 20
    zones = read("stress-ng", "stress-ng-form-tz.txt")
    assert value(zones, "temperature", stressor="cpu", zone="x86_pkg_temp") == 61
    assert only(zones, "temperature", zone="acpitz").unit == "degC"


def test_billions_a_second_are_no_bytes() -> None:
    rate = only(read("stress-ng", "stress-ng-form-billions.txt"), "cpu_cycles_per_second")
    assert (rate.value, rate.unit) == (4.1, "10^9/s")
