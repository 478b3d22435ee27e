"""The figures behind the chart of losses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.pages.context import Page, Row
from assay.pages.numbers import FIGURE_FROM, size_text, value_text
from assay.report.charts.chart_style import Spec
from assay.report.tables.loss_fold import fold_losses
from assay.report.tables.tables import plain
from assay.report.tables.words import floor_text, named, verdict_name, verdict_text

LEAST = -1.0
"""Losses below -100 % (gains beyond twice the throughput) end in an arrow: else they would
flatten the rest.
"""


def loss_row(row: Row, at: int) -> Spec:
    """Return what the chart shows of one metric; ends below ``LEAST`` are cut off there."""
    return {
        "at": at,
        "name": plain(named(row.workload, row.metric)),
        "of": plain(_short(row.treatment)) if row.treatment is not None else None,
        "figures": size_text(row) if row.loss is not None else verdict_text(row),
        "look": verdict_name(row.verdict),
        "loss": row.loss,
        "inside": _inside(row.loss) if row.blocks >= FIGURE_FROM or row.low is None else None,
        "interval_low": _not_below(row.low),
        "interval_high": _inside(row.high),
        "cap_low": _inside(row.low),
        "cap_high": _inside(row.high),
        "floor_low": _not_below(row.floor.low) if row.floor else None,
        "floor_high": _inside(row.floor.high) if row.floor else None,
        "beyond": LEAST if beyond(row) else None,
        "baseline": plain(f"{value_text(row.baseline_value)} {row.unit}"),
        "treatment": plain(f"{value_text(row.treatment_value)} {row.unit}"),
        "floor": floor_text(row),
        "verdict": verdict_text(row),
        "blocks": row.blocks,
    }


def _short(treatment: str) -> str:
    """Return a treatment without the names of its factors, which have a dot: there is little room."""
    heads = (part.partition(" ") for part in treatment.split(", "))
    return ", ".join(rest if "." in head and rest else f"{head}{blank}{rest}" for head, blank, rest in heads)


def beyond(row: Row) -> bool:
    """Return whether a row's loss or its interval reaches below what the chart shows."""
    return any(end is not None and end < LEAST for end in (row.loss, row.low))


def loss_domain(page: Page) -> list[float]:
    """Return the span of losses shown: all intervals, zero and the margin, a little air, nothing below
    ``LEAST``.
    """
    margin = page.result.margin
    ends = [0.0, -margin, margin, *_ends(fold_losses(page).shown)]
    low, high = max(min(ends), LEAST), max(ends)
    air = 0.03 * (high - low) or 0.01
    return [low if low == LEAST else low - air, min(high + air, 1.0)]


def _ends(rows: Iterable[Row]) -> Iterator[float]:
    for row in rows:
        floor = (row.floor.low, row.floor.high) if row.floor else ()
        yield from (end for end in (row.loss, row.low, row.high, *floor) if end is not None)


def _not_below(value: float | None) -> float | None:
    return None if value is None else max(value, LEAST)


def _inside(value: float | None) -> float | None:
    return value if value is not None and value >= LEAST else None
