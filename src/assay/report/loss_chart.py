"""The losses of a page with their intervals, one row a metric, before the noise floor and the margin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from assay.report.chart_style import NEUTRAL, VERDICTS, Spec, frame, scales
from assay.report.context import Page, Row
from assay.report.numbers import value_text
from assay.report.tables import plain
from assay.report.words import floor_text, loss_text, verdict_text

ROW = 42
"""Pixels a metric: on a narrow screen its name and figures stand above its interval."""

WIDE: Spec = {"name": "wide", "expr": "width > 640"}
"""Where there is room, names stand left of the intervals and figures right of them, all on one line."""

LEFT, RIGHT = "wide ? 225 : 0", "wide ? width - 165 : width"
ABOVE, BELOW = {"expr": "wide ? 0 : -9"}, {"expr": "wide ? 0 : 8"}

LEAST = -1.0
"""Losses below -100 % (gains beyond twice the throughput) end in an arrow: else they would flatten the rest."""


def loss_chart(page: Page) -> Spec:
    """Return the chart of losses: point and interval by verdict, noise floor behind, margin band, zero line."""
    domain = _domain(page)
    rows = [_row(row, at, domain[0]) for at, row in enumerate(page.estimates)]
    title = f"← gain · loss of throughput, {page.result.treatment} against {page.result.baseline} →"
    scale = {"domain": domain, "range": [{"expr": LEFT}, {"expr": RIGHT}], "nice": False, "zero": False}
    percent = "format(datum.value * 100, '.3~g') + ' %'"
    axis = {"labelExpr": percent, "title": title, "tickCount": 6, "labelFlush": True}
    return frame(f"Loss of {len(rows)} metrics with intervals") | {
        "params": [WIDE],
        "height": ROW * max(1, len(rows)),
        "data": {"name": "rows", "values": rows},
        "encoding": {"y": {"field": "at", "type": "ordinal", "axis": None, "scale": {"padding": 0}}},
        "layer": [
            *_ground(page.result.margin, {"scale": scale, "axis": axis}),
            _span("floor", {"color": NEUTRAL, "strokeWidth": 14, "opacity": 0.38, "strokeCap": "butt"}),
            *_marks(page),
            *_labels(),
        ],
    }


def beyond(row: Row) -> bool:
    """Return whether a row's loss or its interval reaches below what the chart shows."""
    return any(end is not None and end < LEAST for end in (row.loss, row.low))


def _ground(margin: float, x: Spec) -> Iterator[Spec]:
    band = {"values": [{"low": -margin, "high": margin}]}
    ends = {"x": {"field": "low", "type": "quantitative"} | x, "x2": {"field": "high"}, "y": {"value": 0}}
    yield {
        "name": "margin",
        "data": band,
        "mark": {"type": "rect", "color": NEUTRAL, "opacity": 0.16},
        "encoding": ends | {"y2": {"value": "height"}},
    }
    zero = {"x": {"datum": 0, "type": "quantitative"}, "y": {"value": 0}, "y2": {"value": "height"}}
    yield {
        "name": "zero",
        "data": {"values": [{}]},
        "mark": {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.2},
        "encoding": zero,
    }


def _span(name: str, mark: Spec, **encoding: Any) -> Spec:
    """Return a line from ``<name>_low`` to ``<name>_high`` where both are known."""
    low, high = f"{name}_low", f"{name}_high"
    ends = {"x": {"field": low, "type": "quantitative"}, "x2": {"field": high}}
    return {
        "name": name,
        "transform": [{"filter": f"isValid(datum.{low}) && isValid(datum.{high})"}],
        "mark": {"type": "rule", "yOffset": BELOW} | mark,
        "encoding": ends | encoding,
    }


def _marks(page: Page) -> Iterator[Spec]:
    seen = {row.verdict for row in page.estimates}
    looks = scales({str(verdict): look for verdict, look in VERDICTS.items() if verdict in seen})
    yield _span("interval", {"strokeWidth": 2.5}, color=looks["color"])
    for end in ("cap_low", "cap_high"):
        yield _mark(end, {"type": "tick", "size": 11, "thickness": 2.5}, end, looks["color"])
    disc = {"type": "point", "filled": True, "size": 95, "opacity": 1}
    point = _mark("point", disc, "inside", looks["color"])
    yield point | {"encoding": point["encoding"] | {"shape": looks["shape"], "tooltip": _TOOLTIP}}
    arrow = {"type": "point", "shape": "triangle-left", "filled": True, "size": 110, "opacity": 1}
    yield _mark("arrow", arrow, "beyond", looks["color"])


def _mark(name: str, mark: Spec, field: str, colour: Spec) -> Spec:
    return {
        "name": name,
        "transform": [{"filter": f"isValid(datum.{field})"}],
        "mark": {"yOffset": BELOW} | mark,
        "encoding": {"x": {"field": field, "type": "quantitative"}, "color": colour},
    }


def _labels() -> Iterator[Spec]:
    style = {"type": "text", "yOffset": ABOVE, "baseline": "middle", "fontSize": 12}
    name = {"align": "left", "fontWeight": 600, "limit": {"expr": "wide ? 215 : width - 165"}}
    yield {"name": "name", "mark": style | name, "encoding": {"x": {"value": 0}, "text": {"field": "name"}}}
    figures = {"x": {"value": "width"}, "text": {"field": "figures"}}
    yield {"name": "figures", "mark": style | {"align": "right"}, "encoding": figures}


def _row(row: Row, at: int, least: float) -> Spec:
    return {
        "at": at,
        "name": plain(f"{row.workload} · {row.metric}"),
        "figures": loss_text(row) if row.loss is not None else verdict_text(row),
        "look": str(row.verdict),
        "loss": row.loss,
        "inside": _inside(row.loss, least),
        "interval_low": _not_below(row.low, least),
        "interval_high": _inside(row.high, least),
        "cap_low": _inside(row.low, least),
        "cap_high": _inside(row.high, least),
        "floor_low": _not_below(row.floor.low, least) if row.floor else None,
        "floor_high": _inside(row.floor.high, least) if row.floor else None,
        "beyond": least if beyond(row) else None,
        "baseline": plain(f"{value_text(row.baseline_value)} {row.unit}"),
        "treatment": plain(f"{value_text(row.treatment_value)} {row.unit}"),
        "floor": floor_text(row),
        "verdict": verdict_text(row),
        "blocks": row.blocks,
    }


_TOOLTIP = [
    {"field": field, "title": title}
    for field, title in (
        ("name", "metric"), ("figures", "loss"), ("verdict", "verdict"), ("baseline", "baseline"),
        ("treatment", "treatment"), ("floor", "noise floor"), ("blocks", "blocks"),
    )
]  # fmt: skip


def _domain(page: Page) -> list[float]:
    """Return the span of losses shown: all intervals, zero and the margin, a little air, nothing below ``LEAST``."""
    margin = page.result.margin
    ends = [0.0, -margin, margin, *_ends(page.estimates)]
    low, high = max(min(ends), LEAST), max(ends)
    air = 0.03 * (high - low)
    return [low if low == LEAST else low - air, min(high + air, 1.0)]


def _ends(rows: Iterable[Row]) -> Iterator[float]:
    for row in rows:
        floor = (row.floor.low, row.floor.high) if row.floor else ()
        yield from (end for end in (row.loss, row.low, row.high, *floor) if end is not None)


def _not_below(value: float | None, least: float) -> float | None:
    return None if value is None else max(value, least)


def _inside(value: float | None, least: float) -> float | None:
    return value if value is not None and value >= least else None
