"""The comparison of two results as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from assay.pages.comparison import ComparedResult, ComparisonPage, ComparisonRow, Name
from assay.pages.context import Interval
from assay.pages.numbers import NOTHING, percent_text, size_text, sized_text
from assay.report.render.markdown_words import bullets, escape, markdown_table
from assay.report.render.text import section
from assay.report.tables import words
from assay.report.tables.tables import align, plain, table

HEADERS = ("workload", "metric", "loss in A", "loss in B", "B - A", "what it says")


def text_comparison(page: ComparisonPage) -> str:
    """Return the comparison as text: one line a metric, never wrapped."""
    head = "\n".join(plain(line) for line in (side_text("A", page.a), side_text("B", page.b)))
    columns = [list(column) for column in zip(*(difference_cells(row) for row in page.rows), strict=True)]
    for at, mark in ((2, " %"), (3, " %"), (4, " pp")) if columns else ():
        columns[at] = align(columns[at], mark)
    parts = [head, table(HEADERS, list(zip(*columns, strict=True))), reading(page)]
    sections = [section(title, lines) for title, lines in further(page)]
    return "\n\n".join(part for part in [*parts, *sections] if part) + "\n"


def markdown_comparison(page: ComparisonPage) -> str:
    """Return the comparison as Markdown."""
    parts = [
        f"# {escape(f'{page.b.id} against {page.a.id}')}",
        bullets((side_text("A", page.a), side_text("B", page.b))),
        markdown_table(HEADERS, [difference_cells(row) for row in page.rows], right={2, 3, 4}),
        escape(reading(page)),
        *(f"## {title}\n\n{bullets(lines)}" for title, lines in further(page) if lines),
    ]
    return "\n\n".join(parts) + "\n"


def statement(row: ComparisonRow) -> str:
    """Return what the difference's interval says against zero, in words."""
    if row.difference is None:
        return "not measured" if row.reason is None else "not comparable"
    if row.low is None or row.high is None:
        return row.reason or "no interval"
    if row.low > 0:
        return "B loses more"
    return "B loses less" if row.high < 0 else "no difference seen"


def difference_cells(row: ComparisonRow) -> tuple[str, ...]:
    """Return a row of the table of differences, one text a column of ``HEADERS``."""
    return (
        row.workload,
        row.metric,
        _loss(row.a),
        _loss(row.b),
        sized_text(row.difference, row.low, row.high, _blocks(row), unit="pp"),
        statement(row),
    )


def _blocks(row: ComparisonRow) -> int | None:
    """Return the blocks of the side that has fewer: from few of them the size of a difference is not a figure
    either.
    """
    return min((side.blocks for side in (row.a, row.b) if side is not None), default=None)


def _loss(loss: Interval | None) -> str:
    return NOTHING if loss is None else size_text(loss)


def side_text(letter: str, side: ComparedResult) -> str:
    """Return which result a letter stands for."""
    how = f" ({words.ACCELERATORS.get(side.accelerator, side.accelerator)})" if side.accelerator else ""
    against = f"{side.treatment}{how} against {side.baseline}"
    return f"{letter}: {side.id}, {side.scene}, {side.state}, {side.started}; {against}"


def reading(page: ComparisonPage) -> str:
    """Return how to read the differences."""
    level = percent_text(page.confidence)
    several = sum(row.low is not None for row in page.rows) > 1
    judged = f"judged together at {level}" if several else f"{level} interval"
    return f"B - A: loss of B minus loss of A in percentage points (pp), {judged}"


def further(page: ComparisonPage) -> list[tuple[str, tuple[str, ...]]]:
    """Return what else is to be said, line by line below its title."""
    return [
        ("Only in A", _names(page.only_a)),
        ("Only in B", _names(page.only_b)),
        ("Doubts", words.doubts(page.doubts) or ("none",)),
    ]


def _names(names: Iterable[Name]) -> tuple[str, ...]:
    pairs = ((name.workload, name.metric) for name in names)
    return tuple(metric if workload == metric else f"{workload} {metric}" for workload, metric in pairs)
