"""Every saved output, cut at its lines and within them: refused, or whole, or said to have no end that can be
seen.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from assay.model.work.tool_output import ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.damaged import tool_of
from tests.workloads.outputs import CAPTURES, capture

FILES = sorted(file for file in CAPTURES.iterdir() if file.is_file() and file.name != "README.md")
EACH = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
CUTS = 120
"""Of a file, in the gate."""
UNLIKE = {
    "db12-1.0.4-single.json": "a number alone, with no end of its line",
    "db12-1.0.4-wholenode-no-correction.txt": "the number of copies, cut before the scores",
    "bonnie++-1.03e-fast.txt": "the table before the line with more digits",
    "bonnie++-2.00a-whole.txt": "the table before the line with more digits",
}
"""What is left may be read as another form of the tool's, whose figures are rounded or others: it says that
it has no end.
"""
Told = set[tuple[str, str, float]]


def read(tool: str, output: bytes) -> ToolOutput | None:
    try:
        return read_output(tool, output)
    except OutputError:
        return None


def reported(output: ToolOutput) -> Told:
    return {(one.metric, one.unit, one.value) for one in output.measurements}


def is_right(left: ToolOutput | None, whole: ToolOutput, *, unlike: bool) -> bool:
    """Tell whether what is left of an output is refused, or whole, or a part that says so.

    A report that is closed is whole, of several the first ones, too.
    """
    if left is None or reported(left) == reported(whole):
        return True
    several = any("run" in one.labels for one in whole.measurements)
    return (left.open_end or several) and (unlike or reported(left) <= reported(whole))


def refuse_wrong(file: Path, ends: Iterable[int]) -> None:
    tool, output = tool_of(file.name), file.read_bytes()
    if (whole := read(tool, output)) is None:
        return
    wrong = [end for end in ends if not is_right(read(tool, output[:end]), whole, unlike=file.name in UNLIKE)]
    assert wrong == []


@EACH
def test_an_output_that_is_cut_is_refused_or_whole_or_says_that_its_end_cannot_be_seen(file: Path) -> None:
    size = file.stat().st_size
    drawn = random.Random(file.name).sample(range(size), min(size, CUTS))
    refuse_wrong(file, {*drawn, *range(max(0, size - 8), size)})


@pytest.mark.long
@EACH
def test_an_output_that_is_cut_at_any_byte_is_refused_or_whole_or_says_so(file: Path) -> None:
    refuse_wrong(file, range(file.stat().st_size))


@EACH
def test_no_figure_is_read_from_a_last_line_without_its_end(file: Path) -> None:
    tool, output = tool_of(file.name), file.read_bytes()
    if (whole := read(tool, output)) is None or file.name in UNLIKE:
        return
    size = len(output.rstrip())
    for end in {*range(max(1, size - 6), size), size // 2, size // 3}:
        if not output[:end].endswith(b"\n"):
            left = read(tool, output[:end])
            assert left is None or reported(left) == reported(whole) or _closed(tool, output[:end]), end


def _closed(tool: str, output: bytes) -> bool:
    """Tell whether an output ends with an object of perf, which is whole without the end of its line."""
    return tool == "perf" and output.rstrip().endswith(b"}")


@pytest.mark.parametrize(
    ("tool", "name", "open_end"),
    [
        ("netperf", "netperf-2.7.0-rr.txt", True),
        ("lmbench", "lmbench-3.0-a9-ops.txt", True),
        ("bonnie++", "bonnie++-2.00a-whole.txt", True),
        ("db12", "db12-1.0.4-single.json", True),
        ("db12", "db12-1.0.4-multiple-python3.11.txt", False),
        ("fio", "fio-3.33.json", False),
        ("fio", "fio-3.33-terse-3.txt", True),
        ("hyperfine", "hyperfine-1.15-scan.json", False),
        ("hyperfine", "hyperfine-1.15-scan.csv", True),
        ("iperf3", "iperf3-3.12-text.txt", False),
        ("iozone", "iozone-3.510-auto.txt", True),
        ("stream", "stream-5.10.txt", False),
    ],
)
def test_what_closes_a_report_is_known_by_tool(tool: str, name: str, open_end: bool) -> None:
    assert read_output(tool, capture(name)).open_end is open_end


def test_an_output_without_any_figure_is_an_error() -> None:
    with pytest.raises(OutputError, match=r"expected .*, got"):
        read_output("netperf", b"warning: nothing was measured\n")
    with pytest.raises(OutputError, match="expected 'end' with the totals"):
        read_output("iperf3", b"{}\n")


def test_a_number_beyond_all_doubles_is_no_figure() -> None:
    known = capture("fio-3.33-text-both.txt").decode()
    output = known.replace("depth=1\n", f"depth={'9' * 400}\n")
    assert output != known, "no such line"
    with pytest.raises(OutputError, match="expected a finite latency_depth, got inf"):
        read_output("fio", output.encode())
