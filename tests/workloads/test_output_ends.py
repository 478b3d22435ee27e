"""Every saved output, cut at its lines and within them: refused, or whole, or said to have no end that can be seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.model.tool_output import ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs import read_output
from tests.workloads.damaged import tool_of
from tests.workloads.outputs import CAPTURES, capture

FILES = sorted(file for file in CAPTURES.iterdir() if file.is_file() and file.name != "README.md")
MOST_ENDS = 24
Told = set[tuple[str, str, float]]


def read(tool: str, output: bytes) -> ToolOutput | None:
    try:
        return read_output(tool, output)
    except OutputError:
        return None


def told(output: ToolOutput) -> Told:
    return {(one.metric, one.unit, one.value) for one in output.measurements}


def line_ends(output: bytes) -> Iterator[int]:
    """Yield places behind lines of an output, all of a short one, the last ones of each."""
    ends = [at + 1 for at, byte in enumerate(output.rstrip()) if byte == ord("\n")]
    step = max(1, len(ends) // MOST_ENDS)
    yield from {*ends[::step], *ends[-4:]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_an_output_that_is_cut_is_refused_or_whole_or_says_that_its_end_cannot_be_seen(file: Path) -> None:
    tool, output = tool_of(file.name), file.read_bytes()
    if (whole := read(tool, output)) is None:
        return
    for end in line_ends(output):
        left = read(tool, output[:end])
        assert left is None or left.open_end or told(left) <= told(whole), end
        if (
            left is not None
            and not left.open_end
            and not any("run" in one.labels for one in whole.measurements)
        ):
            assert told(left) == told(whole), end


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_figure_is_read_from_a_last_line_without_its_end(file: Path) -> None:
    tool, output = tool_of(file.name), file.read_bytes()
    if (whole := read(tool, output)) is None:
        return
    size = len(output.rstrip())
    for end in {*range(max(1, size - 6), size), size // 2, size // 3}:
        if output[:end].endswith(b"\n"):
            continue
        left = read(tool, output[:end])
        bare = tool == "db12" and b"\n" not in output[:end].strip()
        assert left is None or (left.open_end if bare else told(left) == told(whole)), end


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
