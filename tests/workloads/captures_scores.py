"""Captures of scores and monitors, and how a test asks for a figure of one."""

from __future__ import annotations

from pathlib import Path

from assay.model.work.tool_output import NOT_COMPARABLE, Figure, ToolOutput
from assay.workloads.saved_outputs import read_output

CAPTURES = Path(__file__).parent / "captures"


def read(tool: str, capture: str) -> ToolOutput:
    """Return what a capture says."""
    return read_output(tool, (CAPTURES / capture).read_bytes())


def figures(output: ToolOutput, metric: str, **labels: str) -> list[Figure]:
    """Return the figures of a metric that have these labels; a figure's name itself is a label ``event_``."""
    wanted = {name.rstrip("_"): value for name, value in labels.items()}
    return [
        figure
        for figure in output.measurements
        if figure.metric == metric and wanted.items() <= dict(figure.labels).items()
    ]


def only(output: ToolOutput, metric: str, **labels: str) -> Figure:
    """Return the only such figure."""
    (figure,) = figures(output, metric, **labels)
    return figure


def value(output: ToolOutput, metric: str, **labels: str) -> float:
    """Return the value of the only such figure."""
    return only(output, metric, **labels).value


def reason(output: ToolOutput, metric: str, **labels: str) -> str:
    """Return why the only such figure cannot be compared."""
    return only(output, metric, **labels).labels[NOT_COMPARABLE]


def distinct(output: ToolOutput) -> bool:
    """Tell whether every figure is told from all others by its metric and labels."""
    seen = {
        (f.metric, tuple(sorted((k, v) for k, v in f.labels.items() if k != NOT_COMPARABLE)))
        for f in output.measurements
    }
    return len(seen) == len(output.measurements)
