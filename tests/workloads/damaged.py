"""Outputs that were damaged on their way: cut, with bytes changed, with lines lost, doubled or exchanged."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from assay.workloads import READERS
from tests.workloads.outputs import CAPTURES

OTHER_NAMES = {"bon_csv2txt": "bonnie++", "suite": "hepscore"}
WORDS = (
    b"0",
    b"7",
    b"9.5",
    b"-1",
    b"1e999",
    b"nan",
    b",",
    b".",
    b" ",
    b"\n",
    b"\t",
    b":",
    b"%",
    b"{",
    b"]",
    b"\xff",
    b"+++++",
)


@cache
def captures() -> dict[str, tuple[bytes, ...]]:
    """Return all saved outputs by the tool that printed them."""
    found: dict[str, list[bytes]] = {tool: [] for tool in READERS}
    for file in sorted(CAPTURES.iterdir()):
        if file.is_file() and file.name != "README.md":
            found[tool_of(file.name)].append(file.read_bytes())
    return {tool: tuple(outputs) for tool, outputs in found.items()}


def tool_of(name: str) -> str:
    """Return the tool whose output a file has, by the file's name."""
    names = {tool: tool for tool in READERS} | OTHER_NAMES
    return names[max((one for one in names if name.startswith(f"{one}-")), key=len)]


@st.composite
def damaged(draw: st.DrawFn, tool: str) -> bytes:
    """Draw a saved output of a tool with one to four damages."""
    output = draw(st.sampled_from(captures()[tool]))
    for _ in range(draw(st.integers(1, 4))):
        change = draw(st.sampled_from((_bytes_changed, _lines_moved)))
        output = change(draw, output)
    return output


def _bytes_changed(draw: st.DrawFn, output: bytes) -> bytes:
    start = draw(st.integers(0, len(output)))
    lost = draw(st.sampled_from((0, 0, 1, 1, 2, 5, 40)))
    put = draw(st.sampled_from(WORDS) | st.binary(max_size=3))
    return output[:start] + put + output[start + lost :]


def _lines_moved(draw: st.DrawFn, output: bytes) -> bytes:
    lines = output.splitlines(keepends=True)
    places = st.integers(0, max(0, len(lines) - 1))
    taken, at = draw(places), draw(places)
    moved = lines[taken : taken + 1]
    if draw(st.booleans()):
        del lines[taken : taken + 1]
    return b"".join([*lines[:at], *draw(st.sampled_from(([], moved))), *lines[at:]])
