"""A line that a reader does not know is passed over and told, unless it may be a damaged figure or names a
failure.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.work.tool_output import ToolOutput
from assay.report.doubts import worded
from assay.workloads import WORKLOADS
from assay.workloads.errors import OutputError
from assay.workloads.library import library, output_doubts
from assay.workloads.outputs.remarks import MOST, read_past
from assay.workloads.saved_outputs import read_output
from assay.workloads.sizes import Sizes
from tests.workloads.damaged import tool_of
from tests.workloads.outputs import CAPTURES, capture

EACH = pytest.mark.parametrize(
    "file",
    sorted(
        file
        for file in CAPTURES.iterdir()
        if file.is_file() and file.name != "README.md" and file.suffix != ".xls"
    ),
    ids=lambda file: file.name,
)
"""But for the binary one."""

WARNING = b"warning: the clock was set by 3 ms\n"
SENTENCE = b"The scheduler may have been busy.\n"
NAMES = {
    "bonnie++-2.00a-whole.txt": "bonnie++",
    "bonnie++-2.00a-fast-table.txt": "bonnie++",
    "netperf-2.7.0-rr.txt": "netperf",
    "netperf-2.7.0-streamcC.txt": "netperf",
    "netperf-2.7.0-udp.txt": "netperf",
    "netperf-2.7.0-kv.txt": "netperf",
    "fio-3.33-normal.txt": "fio",
    "fio-3.33.json": "fio",
    "fio-3.33-terse-3.txt": "fio",
    "lmbench-3.0-a9-ops.txt": "lmbench",
    "iperf3-3.12-text.txt": "iperf3",
    "stream-5.10.txt": "stream",
    "hyperfine-1.15-one-run.csv": "hyperfine",
}


def without_lines(output: ToolOutput) -> tuple[object, ...]:
    """Return what an output says, but for the lines at which lmbench's results tell of failures."""
    refused = tuple(replace(one, labels={**one.labels, "line": ""}) for one in output.refused)
    return output.version, output.measurements, refused


def places(lines: int, most: int) -> set[int]:
    return set(range(lines + 1)) if lines < most else {*range(0, lines + 1, lines // most + 1), 1, 2, lines}


def hold_every_figure(file: Path, most: int) -> None:
    tool, output = tool_of(file.name), file.read_bytes()
    try:
        whole = read_output(tool, output)
    except OutputError:
        return
    lines = [line + b"\n" for line in output.split(b"\n")[:-1]]
    end = output.rpartition(b"\n")[2]
    for at in places(len(lines), most):
        found = read_output(tool, b"".join([*lines[:at], WARNING, *lines[at:], end]))
        assert without_lines(found) == without_lines(whole), at
        assert found.remarks == (f"line {at + 1}: '{WARNING.decode().strip()}'",), at


@EACH
def test_a_warning_anywhere_in_an_output_takes_no_figure_from_it_and_is_a_doubt(file: Path) -> None:
    hold_every_figure(file, 20)


@pytest.mark.long
@EACH
def test_a_warning_at_any_line_of_an_output_takes_no_figure_from_it_and_is_a_doubt(file: Path) -> None:
    hold_every_figure(file, 100_000)


def test_warnings_of_stress_ng_that_are_not_known_are_doubts() -> None:
    output = capture("stress-ng-0.15.06-short.txt")
    lines = output.splitlines(keepends=True)
    said = b"stress-ng: warn:  [7] cannot set the governor, performance may be poor\n"
    found = read_output("stress-ng", b"".join([*lines[:2], said, *lines[2:]]))
    assert found.measurements == read_output("stress-ng", output).measurements
    assert found.remarks == ("line 3: 'cannot set the governor, performance may be poor'",)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("stress-ng-0.15.06-short.txt", b"stress-ng: metrc: [", b"stress-ng: mtrc: ["),
        ("fio-3.33-terse-3.txt", b"3;fio", b";fio"),
        ("netperf-2.7.0-kv.txt", b"THROUGHPUT=", b"THROUGH?UT="),
    ],
)
def test_a_damaged_line_with_figures_is_no_remark(name: str, old: bytes, new: bytes) -> None:
    output = capture(name)
    assert old in output
    with pytest.raises(OutputError):
        read_output(tool_of(name), output.replace(old, new, 1))


@pytest.mark.parametrize(
    "name", ["bonnie++-2.00a-whole.txt", "fio-3.33-normal.txt", "lmbench-3.0-a9-ops.txt"]
)
def test_a_sentence_without_a_digit_is_told_with_its_line(name: str) -> None:
    found = read_output(NAMES[name], SENTENCE + capture(name))
    assert found.remarks == ("line 1: 'The scheduler may have been busy.'",)


@pytest.mark.parametrize(
    "line",
    [
        b"warning: write failed\n",
        b"fio: something went wrong\n",
        b"The disk said that it had no space left\n",
        b"netperf: cannot connect\n",
        b"  read: IOPS=nan, BW=15.8MiB/s\n",
        b"Simple raed: 0.2210 microseconds\n",
    ],
)
def test_a_failure_and_what_may_be_a_damaged_figure_are_errors(line: bytes) -> None:
    for name in ("fio-3.33-normal.txt", "bonnie++-2.00a-fast-table.txt", "lmbench-3.0-a9-ops.txt"):
        with pytest.raises(OutputError):
            read_output(NAMES[name], line + capture(name))


def test_no_more_lines_are_passed_over_than_are_few() -> None:
    output = capture("bonnie++-2.00a-fast-table.txt")
    assert len(read_output("bonnie++", WARNING * MOST + output).remarks) == MOST
    with pytest.raises(OutputError, match="warning: the clock"):
        read_output("bonnie++", WARNING * (MOST + 1) + output)


def test_an_error_of_no_line_or_of_one_that_is_not_there_stands() -> None:
    for line in (None, 0, 7):

        def refuse(output: bytes, line: int | None = line) -> None:
            raise OutputError("tool", line, "expected more")

        with pytest.raises(OutputError, match="expected more"):
            read_past(refuse, WARNING)


def test_a_ready_workload_keeps_its_figures_and_has_a_doubt() -> None:
    sizes = Sizes(cache_bytes=None, memory_bytes=2**31, cpus=1)
    for name, file in (("bonnie++", "bonnie++-2.00a-whole.txt"), ("netperf-tcp-rr", "netperf-2.7.0-rr.txt")):
        workload, output = library(sizes)[name], capture(file)
        lines = output.splitlines(keepends=True)
        warned = b"".join([*lines[:1], WARNING, *lines[1:]])
        assert read_past(WORKLOADS[name].parse, warned)[0] == WORKLOADS[name].parse(output)
        assert output_doubts(workload, [output]) == ()
        (doubt,) = output_doubts(workload, [warned, warned])
        assert doubt.code == "unknown-line"
        assert worded(doubt).sentence == (
            f"{workload.program} printed a line that is not known: line 2: 'warning: the clock "
            "was set by 3 ms'."
        )
    assert output_doubts(library(sizes)["data-read"], [WARNING]) == ()
