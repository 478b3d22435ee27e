"""``perf stat``: its text, CSV and JSON; intervals, processors, repetitions, multiplexed counters."""

import pytest

from assay.model.metric import Direction
from assay.workloads.errors import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.captures_scores import CAPTURES, distinct, figures, only, read, reason, value

ALL = sorted(path.name for path in CAPTURES.glob("perf-*"))


@pytest.mark.parametrize("capture", ALL)
def test_every_figure_of_a_capture_is_told_from_the_others(capture: str) -> None:
    output = read("perf", capture)
    assert output.measurements
    if "isum" not in capture:
        assert distinct(output)


def test_the_text_has_counters_rates_and_times() -> None:
    output = read("perf", "perf-6.1-text.txt")
    clock = only(output, "task_clock")
    assert (clock.value, clock.unit, clock.direction) == (1.06, "msec", Direction.LOWER)
    assert value(output, "cpus_utilized") == 0.005
    assert (value(output, "rate", event="page-faults"), only(output, "rate", event="page-faults").unit) == (
        71.886,
        "K/sec",
    )
    assert value(output, "time_elapsed") == 0.215998035
    assert value(output, "user") == 0.001948
    assert [refused.metric for refused in output.refused] == [
        "cycles",
        "instructions",
        "branches",
        "branch_misses",
    ]


@pytest.mark.parametrize(
    "capture", ["perf-5.10-multiplexed.txt", "perf-5.10-multiplexed.csv", "perf-6.8.json"]
)
def test_a_counter_that_counted_less_than_half_of_its_time_is_not_comparable(capture: str) -> None:
    output = read("perf", capture)
    cycles = only(output, "cycles", event="cycles")
    assert cycles.value == 4391870213
    assert cycles.labels["running"] == "41.67 %"
    assert reason(output, "cycles") == "it was counted in 41.67 % of the time and scaled up by perf"
    assert only(output, "instructions").labels["running"] == "83.35 %"
    assert only(output, "instructions").comparable
    assert value(output, "pcnt_running", event="instructions") == 83.35
    assert only(output, "insn_per_cycle").direction is Direction.HIGHER
    assert value(output, "stalled_cycles_per_insn", event="instructions") == 0.05


def test_units_shares_and_events_with_a_separator_inside_are_read() -> None:
    text, table = read("perf", "perf-5.10-multiplexed.txt"), read("perf", "perf-5.10-multiplexed.csv")
    for output in (text, table):
        assert (value(output, "power_energy_pkg"), only(output, "power_energy_pkg").unit) == (7.12, "Joules")
        assert [refused.metric for refused in output.refused] == ["stalled_cycles_backend"]
    assert (value(text, "of_all_branches"), only(text, "of_all_branches").unit) == (0.5, "%")
    assert value(table, "cpu_event_0x3c_umask_0x0_u") == 12345


def test_metrics_that_belong_to_no_counter_have_their_group() -> None:
    output = read("perf", "perf-6.5-topdown.txt")
    assert value(output, "tma_backend_bound", metricgroup="TopdownL1") == 23.4
    assert only(output, "tma_retiring", metricgroup="TopdownL1").unit == "%"
    assert value(output, "insn_per_cycle", event="instructions") == 1.86


def test_intervals_and_processors_are_labels() -> None:
    text, table = read("perf", "perf-6.1-interval.txt"), read("perf", "perf-6.1-csv-interval-percpu.txt")
    assert value(text, "task_clock", interval="0.100538747") == 0.89
    assert {"<not counted>" in refused.reason for refused in text.refused} == {True, False}
    assert value(table, "cpu_clock", interval="0.206178294", cpu="CPU1") == 105.62
    assert value(read("perf", "perf-6.1-percpu.txt"), "context_switches", cpu="CPU1") == 425
    assert value(read("perf", "perf-6.1-sock.txt"), "cpu_clock", socket="S0", counters="2") == 212.94
    assert value(read("perf", "perf-6.1-csv-percore.txt"), "cpu_clock", core="S0-D0-C1") == 110.49
    assert value(read("perf", "perf-6.1-json-percore.txt"), "cpu_clock", core="S0-D0-C1") == 105.676908
    assert value(read("perf", "perf-6.1-json-interval.txt"), "task_clock", interval="0.251928229") == 0.064486


def test_repetitions_have_their_spread() -> None:
    text = read("perf", "perf-6.1-repeat.txt")
    assert value(text, "variance", event="task-clock") == 5.08
    assert value(text, "deviation", event="time_elapsed") == 0.000137
    assert value(read("perf", "perf-6.1-csv-repeat.txt"), "variance", event="page-faults") == 0.69
    assert value(read("perf", "perf-6.1-json-repeat.txt"), "variance", event="task-clock") == 5.61


def test_other_separators_are_found_out() -> None:
    assert value(read("perf", "perf-6.1-csv-semicolon.txt"), "page_faults") == 76


def test_what_the_program_printed_before_perf_is_passed_over() -> None:
    text = b"event 1\nevent 2\n" + (CAPTURES / "perf-6.1-text.txt").read_bytes()
    assert len(figures(read_output("perf", text), "task_clock")) == 1


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (b"", "got nothing"),
        (b"hello\n", "line 1: expected a line of perf"),
        (b"1.0,msec,task-clock,10,100.00,,\nsurprise\n", "line 2: expected a line of perf"),
        (b'{"counter-value" : "1", "event" : "cycles", "surprise" : "2"}\n', "expected a key of perf stat"),
        (b'{"counter-value" : "1", "eve\n', "expected a whole JSON object"),
        (b" Performance counter stats for 'x':\n\n   12   cycles\n", "expected 'seconds time elapsed'"),
        (b" Performance counter stats for 'x':\n\n   no idea\n", "line 3: expected a line of perf"),
    ],
)
def test_what_is_not_known_is_refused_with_its_line(output: bytes, problem: str) -> None:
    with pytest.raises(OutputError) as caught:
        read_output("perf", output)
    assert problem in caught.value.message


def test_the_share_of_its_time_is_read_from_square_brackets() -> None:
    once = read("perf", "perf-form-square-brackets.txt")
    assert "20.12 % of the time" in reason(once, "cycles")
    assert value(once, "pcnt_running", event="cache-misses") == 19
    assert (value(once, "rate"), only(once, "rate").unit) == (3.31, "GHz")
    assert only(once, "insn_per_cycle").direction is Direction.HIGHER
    repeated = read("perf", "perf-form-square-brackets-repeat.txt")
    assert value(repeated, "variance", event="cycles") == 0.11
    assert value(repeated, "variance", event="instructions") == 0.01
    assert value(repeated, "pcnt_running", event="instructions") == 80
    assert value(repeated, "frontend_cycles_idle") == 51.5


def test_the_unit_may_stand_behind_a_clock_or_be_left_out() -> None:
    output = read("perf", "perf-form-unit-behind.txt")
    clock = only(output, "task_clock")
    assert (clock.value, clock.unit, "cgroup" in clock.labels) == (0.853342, "msec", False)
    assert value(output, "of_all_branches") == 4.76
    assert only(read("perf", "perf-form-square-brackets-repeat.txt"), "task_clock").unit == "msec"


def test_units_are_not_taken_for_events() -> None:
    output = read("perf", "perf-form-units.txt")
    assert only(output, "intel_cqm_llc_occupancy").unit == "Bytes"
    assert (value(output, "power_foo"), only(output, "power_foo").unit) == (12.34, "W")


@pytest.mark.parametrize(
    "counter",
    [
        "12,345 Furlongs power/foo/",
        "12.34 Furlongs distance",
        "12 cycles (what)",
        "12 cycles [what]",
        "234.567 cycles:u",
    ],
)
def test_a_unit_that_is_not_known_is_refused(counter: str) -> None:
    text = f" Performance counter stats for 'x':\n\n  {counter}\n\n  1.0 seconds time elapsed\n"
    with pytest.raises(OutputError):
        read_output("perf", text.encode())


def test_a_cgroup_is_a_label() -> None:
    text = (
        b" Performance counter stats for 'x':\n\n  12,345 cycles user.slice/job\n\n  1.0 seconds "
        b"time elapsed\n"
    )
    assert value(read_output("perf", text), "cycles", cgroup="user.slice/job") == 12345


def test_a_metric_with_a_unit_of_its_own_keeps_it() -> None:
    lines, text = read("perf", "perf-form-metric-units.json"), read("perf", "perf-form-metric-units.txt")
    read_rate = only(lines, "memory_bandwidth_read")
    assert (read_rate.value, read_rate.unit) == (124.961911, "MB/s")
    assert only(lines, "memory_bandwidth_total", event="UNC_M_CAS_COUNT.RD").unit == "MB/s"
    assert not figures(lines, "null")
    assert (value(text, "imx8qm_ddr_read_all"), only(text, "imx8qm_ddr_read_all").unit) == (740.4, "MB")


def test_two_reports_are_told_apart_and_what_stands_behind_them_is_passed_over() -> None:
    output = read("perf", "perf-form-two-reports.txt")
    assert (value(output, "time_elapsed", run="1"), value(output, "time_elapsed", run="2")) == (
        1.001520427,
        1.236520427,
    )
    assert value(output, "task_clock", run="1") == 0.853342
    assert value(output, "task_clock", run="2") == 1234.56
    assert value(output, "user", run="2") == 1.2
    assert [refused.labels["run"] for refused in output.refused] == ["2"]


def test_a_report_that_is_cut_before_another_is_refused() -> None:
    text = (CAPTURES / "perf-form-two-reports.txt").read_text()
    with pytest.raises(OutputError):
        read_output("perf", text.replace("       1.001520427 seconds time elapsed\n", "").encode())


def test_a_counter_behind_the_end_of_a_report_is_not_passed_over() -> None:
    with pytest.raises(OutputError):
        read_output("perf", (CAPTURES / "perf-6.1-text.txt").read_bytes() + b"  12 what\xc2\xa0is this now\n")


@pytest.mark.parametrize("capture", ["perf-form-comma.txt", "perf-form-comma-narrow-blank.txt"])
def test_a_comma_before_decimals_is_read_where_the_seconds_have_one(capture: str) -> None:
    output = read("perf", capture)
    assert (value(output, "task_clock"), only(output, "task_clock").unit) == (0.71, "msec")
    assert value(output, "cycles") == 1020730
    assert value(output, "rate", event="cycles") == 1.44
    assert value(output, "time_elapsed") == 1.001520427


def test_names_and_shares_keep_their_points_and_commas() -> None:
    text = """ Performance counter stats for 'x' (2 runs):

       1.234.567      cpu/event=0x3c,umask=0x0/    #    1,440 GHz      ( +-  0,26% )  (41,67%)
             100      L1D.REPLACEMENT

          0,000981 +- 0,000137 seconds time elapsed  ( +- 13,93% )
"""
    output = read_output("perf", text.encode())
    cycles = only(output, "cpu_event_0x3c_umask_0x0")
    assert (cycles.value, cycles.labels["event"], cycles.comparable) == (
        1234567,
        "cpu/event=0x3c,umask=0x0/",
        False,
    )
    assert (
        value(output, "variance", event="cpu/event=0x3c,umask=0x0/"),
        value(output, "l1d_replacement"),
    ) == (
        0.26,
        100,
    )
    assert value(output, "deviation") == 0.000137


def test_a_comma_that_nothing_explains_is_refused() -> None:
    text = "#           time             counts unit events\n     1.001089747   {}   #    {} CPUs utilized\n"
    for value_, metric in (("1,01 msec cpu-clock", "0.001"), ("8 cpu-clock", "0,001")):
        with pytest.raises(OutputError):
            read_output("perf", text.format(value_, metric).encode())


def test_objects_may_share_a_line_or_lie_over_several() -> None:
    output = read("perf", "perf-form-one-line.json")
    assert value(output, "unc_m_cas_count_rd") == 1117309
    assert value(output, "memory_bandwidth_total", event="UNC_M_CAS_COUNT.RD") == 237.237504
    output = read("perf", "perf-form-many-lines.json")
    assert (value(output, "task_clock"), value(output, "cpus_utilized")) == (12.5, 0.98)


def test_an_object_that_is_cut_is_refused_with_the_line_where_it_starts() -> None:
    text = (CAPTURES / "perf-form-many-lines.json").read_bytes()
    with pytest.raises(OutputError) as caught:
        read_output("perf", text + text.replace(b"}", b""))
    assert "line 4: expected a whole JSON object" in caught.value.message
