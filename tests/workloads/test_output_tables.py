"""Every figure that a saved output of a tool has, once: its unit, its better direction, one value of it.

A line that changes is another meaning of a capture: look at the capture, then REGENERATE=1 pytest
tests/workloads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.model.work.tool_output import NOT_COMPARABLE, Figure
from assay.workloads import READERS
from assay.workloads.errors import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.damaged import captures

GOLDEN = Path(__file__).parent / "golden"


def figures(tool: str) -> Iterator[Figure]:
    for output in captures()[tool]:
        try:
            yield from read_output(tool, output).measurements
        except OutputError:
            continue  # one of the captures of a failed run


def line(one: Figure) -> str:
    labels = " ".join(f"{name}={value}" for name, value in one.labels.items() if name != NOT_COMPARABLE)
    better = one.direction.value if one.direction else "-"
    return f"{one.metric} | {one.unit} | {better} | {one.value:.12g} | {labels}".rstrip().replace("\n", " ")


def table(tool: str) -> str:
    """Return the table of a tool: the largest value of each metric, unit and direction, which is
    seldom a 0.
    """
    most: dict[tuple[str, str, object], Figure] = {}
    for one in figures(tool):
        key = (one.metric, one.unit, one.direction)
        if key not in most or one.value > most[key].value:
            most[key] = one
    return "".join(sorted(f"{line(one)}\n" for one in most.values()))


@pytest.mark.parametrize("tool", READERS)
def test_every_figure_of_a_tool_has_its_unit_direction_and_value(tool: str) -> None:
    file = GOLDEN / f"{tool}.txt"
    if os.environ.get("REGENERATE") == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(table(tool).encode())
    assert file.read_bytes().decode() == table(tool), (
        f"{file} differs; look, then: REGENERATE=1 pytest tests/workloads"
    )
