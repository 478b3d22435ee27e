"""Captures of tools, and their figures by name and labels."""

from __future__ import annotations

from pathlib import Path

from assay.model.work.tool_output import NOT_COMPARABLE, Figure, ToolOutput
from assay.workloads.saved_outputs import read_output

CAPTURES = Path(__file__).parent / "captures"


def capture(name: str) -> bytes:
    """Return a saved output."""
    return (CAPTURES / name).read_bytes()


def read(tool: str, name: str) -> ToolOutput:
    """Return what a saved output says."""
    return read_output(tool, capture(name))


def figure(output: ToolOutput, metric: str, **labels: str) -> Figure:
    """Return the only figure of a metric that has these labels, and perhaps others."""
    (found,) = [
        one for one in output.measurements if one.metric == metric and labels.items() <= one.labels.items()
    ]
    return found


def why_not(output: ToolOutput, metric: str, **labels: str) -> str | None:
    """Return why the only such figure cannot be compared; ``None`` where it can."""
    return figure(output, metric, **labels).labels.get(NOT_COMPARABLE)


def values(output: ToolOutput, **labels: str) -> dict[str, float]:
    """Return the figures that have exactly these labels, by metric."""
    return {one.metric: one.value for one in output.measurements if dict(one.labels) == labels}


def refused(output: ToolOutput) -> dict[str, str]:
    """Return what has no number with the reason, by metric; of several of one metric the last."""
    return {one.metric: one.reason for one in output.refused}
