"""Monitors: nmon and prmon."""

import pytest

from assay.model.metric import Direction
from assay.workloads.errors import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.captures_scores import CAPTURES, distinct, figures, only, read, reason, value

ALL = [("nmon", path.name) for path in sorted(CAPTURES.glob("nmon-*"))]
ALL += [("prmon", path.name) for path in sorted(CAPTURES.glob("prmon-*"))]


@pytest.mark.parametrize(("tool", "capture"), ALL)
def test_every_figure_of_a_capture_is_told_from_the_others(tool: str, capture: str) -> None:
    output = read(tool, capture)
    assert output.measurements
    assert distinct(output)


def test_nmons_figures_have_their_snapshot_and_its_time() -> None:
    output = read("nmon", "nmon-16n-top.nmon")
    assert output.version == "16n"
    steal = only(output, "cpu_steal", cpu="ALL", snapshot="T0002")
    assert (steal.unit, steal.direction) == ("%", Direction.LOWER)
    assert steal.labels["time"].startswith("22-NOV-2026 ")
    assert only(output, "diskread", disk="vda", snapshot="T0002").unit == "KB/s"
    assert only(output, "net_read", interface="eth0", snapshot="T0002").unit == "KB/s"
    assert only(output, "jfsfile", filesystem="/", snapshot="T0002").value == 7.3


def test_nmons_busiest_processes_are_told_by_number_and_command() -> None:
    top = only(read("nmon", "nmon-16n-top.nmon"), "top_cpu", command="stress-ng-cpu")
    assert (top.value, top.unit, top.labels["pid"]) == (29.4, "%", "6522")


def test_what_the_kernel_does_not_tell_nmon_is_refused() -> None:
    output = read("nmon", "nmon-16n-all-options.nmon")
    reported = {refused.metric for refused in output.refused}
    assert {"mem_hightotal", "mem_bigfree", "proc_syscall", "dgbusy"} <= reported
    assert not figures(output, "proc_syscall")


def test_nmons_first_snapshot_has_no_rate_of_switches() -> None:
    output = read("nmon", "nmon-16n-all-options.nmon")
    assert (
        reason(output, "proc_pswitch", snapshot="T0001")
        == "the first snapshot has none before it to count from"
    )
    assert only(output, "proc_pswitch", snapshot="T0002").value == 3150.1


def test_nmons_further_sections_are_read() -> None:
    output = read("nmon", "nmon-16n-all-options.nmon")
    assert only(output, "mhz", cpu="001", snapshot="T0002").unit == "MHz"
    assert len(figures(output, "cpuutil_user", snapshot="T0002")) == 3
    assert only(output, "dgread", group="vda", snapshot="T0001").value == 512.7


def test_a_row_of_nmon_with_more_cells_than_its_heading_is_refused_and_the_others_are_read() -> None:
    text = (CAPTURES / "nmon-16n-top.nmon").read_bytes()
    whole = read_output("nmon", text)
    comma = read_output("nmon", text.replace(b",stress-ng-cpu,", b",java,worker,", 1))
    (row,) = [one for one in comma.refused if one.metric == "top"]
    assert "cells, got" in row.reason
    assert {"pid", "snapshot", "time"} == set(row.labels)
    reported = {one.labels.get("pid") for one in comma.measurements if one.metric == "top_cpu"}
    assert reported
    lines = text.splitlines(keepends=True)
    at = max(number for number, line in enumerate(lines) if line.startswith(b"NET,T"))
    lines[at] = lines[at].rstrip().rstrip(b",") + b",3.0,4.0,\n"
    later = read_output("nmon", b"".join(lines))
    assert "net" in {one.metric for one in later.refused}
    assert len(figures(later, "cpu_user")) == len(figures(whole, "cpu_user"))


def test_a_sorted_file_of_nmon_says_the_same() -> None:
    one, other = read("nmon", "nmon-16n-top.nmon"), read("nmon", "nmon-16n-sorted.nmon")
    assert {(f.metric, f.value, *f.labels.values()) for f in one.measurements} == {
        (f.metric, f.value, *f.labels.values()) for f in other.measurements
    }


def test_prmons_table_is_read_by_its_heading() -> None:
    output = read("prmon", "prmon-3.3.0.txt")
    assert value(output, "write_bytes", time="1795225427") == 104861696
    assert only(output, "pss", time="1795225427").unit == "kB"
    assert (
        only(read("prmon", "prmon-assay-probe.txt"), "utime_ms", time_ns="1795316179887481625").unit == "ms"
    )


def test_prmons_hundredfold_averages_are_kept_and_not_comparable() -> None:
    output = read("prmon", "prmon-3.3.0.json")
    average = only(output, "wchar", statistic="avg")
    assert (average.value, average.unit) == (1497967114.0, "B/s")
    assert "a hundred times too high" in reason(output, "wchar", statistic="avg")
    assert only(output, "wchar", statistic="max").comparable
    assert only(output, "pss", statistic="avg").comparable


@pytest.mark.parametrize(
    ("version", "comparable"), [("2.2.1", True), ("3.0.0", False), ("3.2.0", False), ("3.4.0", True)]
)
def test_only_the_versions_that_are_known_to_be_wrong_are_doubted(version: str, comparable: bool) -> None:
    text = (CAPTURES / "prmon-3.3.0.json").read_text().replace('"3.3.0"', f'"{version}"')
    assert only(read_output("prmon", text.encode()), "rchar", statistic="avg").comparable is comparable


def test_our_own_prmon_is_read_with_its_units() -> None:
    output = read("prmon", "prmon-assay-probe.json")
    assert only(output, "rchar", statistic="avg").comparable
    assert value(output, "utime", statistic="max") == 0.001485


@pytest.mark.parametrize(
    ("tool", "output", "problem"),
    [
        ("nmon", b"", "got nothing"),
        ("nmon", b"hello\n", "line 1: expected a line of nmon"),
        ("nmon", b"AAA,version,16n\n", "expected a snapshot"),
        ("nmon", b"CPU_ALL,T0001,1.0\n", "expected a heading of 'CPU_ALL'"),
        ("nmon", b"CPU_ALL,CPU Total vm,User%,Sys%\nCPU_ALL,T0001,1.0\n", "expected 2 cells"),
        ("nmon", b"CPU_ALL,CPU Total vm,User%,Sys%\nCPU_ALL,T0001,1.0,x\n", "line 2: expected a number"),
        ("prmon", b"hello\n", "expected prmon's heading"),
        ("prmon", b"Time\twtime\tsurprise\n1\t2\t3\n", "expected a column of prmon"),
        ("prmon", b"Time\twtime\tpss\n1\t2\n", "line 2: expected 3 cells"),
        ("prmon", b"Time\twtime\tpss\n", "expected a sample"),
        ("prmon", b'{"Max": {"wtime": 3}}', "expected 'Avg'"),
        ("prmon", b'{"Max": {"surprise": 3}, "Avg": {}}', "expected a figure of prmon"),
        ("prmon", b'{"surprise": 3}', "expected prmon's 'Max' and 'Avg'"),
    ],
)
def test_what_is_not_known_is_refused_with_its_line(tool: str, output: bytes, problem: str) -> None:
    with pytest.raises(OutputError) as caught:
        read_output(tool, output)
    assert problem in caught.value.message


@pytest.mark.parametrize(("tool", "capture"), [("nmon", "nmon-16n-top.nmon"), ("prmon", "prmon-3.3.0.txt")])
def test_a_file_that_is_cut_within_its_last_number_is_refused(tool: str, capture: str) -> None:
    with pytest.raises(OutputError, match="it is cut off"):
        read_output(tool, (CAPTURES / capture).read_bytes()[:-1])


def test_a_row_of_processes_without_its_snapshot_is_no_heading() -> None:
    text = (CAPTURES / "nmon-16n-top.nmon").read_text()
    row = next(line for line in text.splitlines() if line.startswith("TOP,0"))
    pid, snapshot = row.split(",")[1:3]
    with pytest.raises(OutputError, match="expected a line of nmon"):
        read_output("nmon", text.replace(f"{pid},{snapshot}", f"{pid},0{snapshot}", 1).encode())
