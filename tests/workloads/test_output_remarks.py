"""A line that a reader does not know is passed over and told, unless it may be a damaged figure or names a failure."""

from __future__ import annotations

import pytest

from assay.workloads.errors import OutputError
from assay.workloads.library import PARSERS, library, output_doubts
from assay.workloads.outputs import read_output
from assay.workloads.outputs.remarks import MOST, read_past
from assay.workloads.sizes import Sizes
from tests.workloads.outputs import capture

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


@pytest.mark.parametrize("name", NAMES)
def test_a_warning_anywhere_in_an_output_takes_no_figure_from_it(name: str) -> None:
    tool, output = NAMES[name], capture(name)
    lines, whole = output.splitlines(keepends=True), read_output(NAMES[name], output)
    first = 1 if tool == "hyperfine" else 0  # its first line names the columns
    for at in {first, 1, 2, 3, len(lines) // 2, len(lines) - 1, len(lines)}:
        found = read_output(tool, b"".join([*lines[:at], WARNING, *lines[at:]]))
        assert (found.measurements, found.refused) == (whole.measurements, whole.refused), at
        assert found.remarks in ((), (f"line {at + 1}: 'warning: the clock was set by 3 ms'",))


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
        assert read_past(PARSERS[name], warned)[0] == PARSERS[name](output)
        assert output_doubts(workload, [output]) == ()
        (doubt,) = output_doubts(workload, [warned, warned])
        assert doubt.code == "unknown-line"
        assert doubt.sentence == (
            f"{workload.program} printed a line that is not known: line 2: 'warning: the clock was set by 3 ms'."
        )
    assert output_doubts(library(sizes)["data-read"], [WARNING]) == ()
