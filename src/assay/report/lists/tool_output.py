"""What a tool printed, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.explain.sanity import severity_of
from assay.explain.sanity.tool_rates import rate_doubts
from assay.model.work.tool_output import NOT_COMPARABLE, ToolOutput
from assay.pages.tool_page import FigureShown, NoFigure, ToolPage
from assay.report.doubts import counted
from assay.report.tables import words
from assay.report.tables.tables import align, plain, table


def tool_page(output: ToolOutput, *, disk: str | None = None) -> ToolPage:
    """Return what a tool printed as data.

    Args:
        output: What it printed.
        disk: Kind of the disk below its files; ``None`` where nobody says.
    """
    figures = tuple(
        FigureShown(one.metric, one.value, one.unit, one.direction, dict(one.labels))
        for one in output.measurements
    )
    refused = tuple(NoFigure(one.metric, one.reason, dict(one.labels)) for one in output.refused)
    doubts = tuple(
        replace(counted(doubt), severity=severity_of(doubt.code)) for doubt in rate_doubts(output, disk)
    )
    return ToolPage(output.tool, output.version, figures, refused, tuple(_notes(output)), doubts)


def _notes(output: ToolOutput) -> Iterator[str]:
    yield from (f"a line that is not known was passed over: {remark}" for remark in output.remarks)
    if output.open_end:
        yield (
            "nothing marks the end of this output: whether it was cut off behind its last line cannot be seen"
        )


def tool_text(page: ToolPage) -> str:
    """Return a line for each figure, those of no number below with their reasons."""
    version = f" {plain(page.version)}" if page.version else ""
    parts = [f"{page.tool}{version}: {_count(len(page.measurements), 'figure')}"]
    if page.measurements:
        parts.append(_figures(page))
    if page.refused:
        rows = [(one.metric, _labels(one.labels), one.reason) for one in page.refused]
        parts.append(f"refused: {_count(len(rows), 'place')} without a number")
        parts.append(table(("metric", "of", "reason"), rows))
    if page.doubts:
        parts.append("\n".join(f"doubt: {plain(line)}" for line in words.doubts(page.doubts)))
    if page.notes:
        parts.append("\n".join(f"note: {plain(note)}" for note in page.notes))
    return "\n\n".join(parts)


def _figures(page: ToolPage) -> str:
    values = align([number_text(one.value) + "." for one in page.measurements], ".")
    cells = [
        (
            one.metric,
            value.removesuffix("."),
            one.unit,
            str(one.direction or "-"),
            _labels(one.labels),
            _mark(one),
        )
        for one, value in zip(page.measurements, values, strict=True)
    ]
    return table(("metric", "value", "unit", "better", "of", ""), cells)


def number_text(value: float) -> str:
    """Return a number as it was printed, without the zeros of a whole one."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)


def _mark(one: FigureShown) -> str:
    reason = one.labels.get(NOT_COMPARABLE)
    return f"not comparable: {reason}" if reason else ""


def _labels(labels: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in labels.items() if name != NOT_COMPARABLE)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
