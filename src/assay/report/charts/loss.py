"""The losses of a page with their intervals, one row a metric, before the noise floor and the margin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from assay.pages.context import Page, Row
from assay.report.charts.chart_style import NEUTRAL, PERCENT, VERDICTS, Spec, frame, scales
from assay.report.charts.loss_rows import loss_domain, loss_row
from assay.report.tables.loss_fold import fold_losses
from assay.report.tables.words import own_hosts, verdict_name

ROW = 42
"""Pixels a metric: on a narrow screen its name and figures, and the treatment's name, stand above its
interval.
"""

WIDE: Spec = {"name": "wide", "expr": "width > 640"}
"""Where there is room, names stand left of the intervals and figures right of them, all on one line."""

LEFT, RIGHT = "wide ? 225 : 0", "wide ? width - 165 : width"
LONG = "length(datum.name) > 30"
"""Workload and metric would be cut off in one line."""
NAME = f"wide && datum.of ? [datum.name, datum.of] : wide && {LONG} ? split(datum.name, ' · ') : datum.name"
NAME_ABOVE = f"wide ? (datum.of || {LONG} ? -8 : 0) : datum.of ? -14 : -9"
"""Of several treatments a row has two lines of names; on a narrow screen the second has all of its width."""
ABOVE, BELOW = {"expr": "wide ? 0 : datum.of ? -14 : -9"}, {"expr": "wide ? 0 : datum.of ? 12 : 8"}
OF = "wide || !datum.of ? '' : datum.of"
NAME_LIMIT = "wide ? 215 : width - min(165, 10 + 6.5 * length(datum.figures))"
"""Up to the figures, whose characters are 6.5 pixels wide in a wide font."""


def loss_chart(page: Page) -> Spec:
    """Return the chart of losses: point and interval by verdict, noise floor behind, margin band,
    zero line; of the rows that are not folded.
    """
    domain = loss_domain(page)
    shown = fold_losses(page).shown
    rows = [loss_row(row, at) for at, row in enumerate(shown)]
    over = "its host" if own_hosts(page) else page.result.baseline
    title = f"← gain · loss of throughput, {page.result.treatment} against {over} →"
    scale = {"domain": domain, "range": [{"expr": LEFT}, {"expr": RIGHT}], "nice": False, "zero": False}
    axis = {"labelExpr": PERCENT, "title": title, "tickCount": 6, "labelFlush": True}
    return frame(f"Loss of {len(rows)} metrics with intervals") | {
        "params": [WIDE],
        "height": ROW * max(1, len(rows)),
        "data": {"name": "rows", "values": rows},
        "encoding": {"y": {"field": "at", "type": "ordinal", "axis": None, "scale": {"padding": 0}}},
        "layer": [
            *_ground(page.result.margin, {"scale": scale, "axis": axis}),
            _span("floor", {"color": NEUTRAL, "strokeWidth": 14, "opacity": 0.38, "strokeCap": "butt"}),
            *_marks(shown),
            *_labels(),
        ],
    }


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


def _marks(rows: Iterable[Row]) -> Iterator[Spec]:
    seen = {row.verdict for row in rows}
    looks = scales({verdict_name(verdict): look for verdict, look in VERDICTS.items() if verdict in seen})
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
    limit = {"limit": {"expr": NAME_LIMIT}}
    name = {
        "align": "left",
        "fontWeight": 600,
        "text": {"expr": NAME},
        "yOffset": {"expr": NAME_ABOVE},
    } | limit
    yield {"name": "name", "mark": style | name, "encoding": {"x": {"value": 0}}}
    treatment = {"align": "left", "text": {"expr": OF}, "yOffset": -1, "limit": {"expr": "width"}}
    yield {"name": "of", "mark": style | treatment, "encoding": {"x": {"value": 0}}}
    figures = {"x": {"value": "width"}, "text": {"field": "figures"}}
    yield {"name": "figures", "mark": style | {"align": "right"}, "encoding": figures}


_TOOLTIP = [
    {"field": field, "title": title}
    for field, title in (
        ("name", "metric"), ("figures", "loss"), ("verdict", "verdict"), ("baseline", "baseline"),
        ("treatment", "treatment"), ("floor", "noise floor"), ("blocks", "blocks"),
    )
]  # fmt: skip
