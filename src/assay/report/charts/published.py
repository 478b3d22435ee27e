"""Published figures beside ours: our interval, and under it the ranges of others, on one axis for
each unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.pages.context import Page
from assay.pages.published import Published, PublishedRow, Unit
from assay.report.charts.chart_style import NEUTRAL, PERCENT, Spec, frame
from assay.report.charts.published_lines import chart_lines
from assay.report.tables.tables import plain

ROW = 34
"""Pixels a line: on a narrow screen its name stands above its marks."""
OURS, THEIRS = ("#1f77c4", "circle"), ("#d1570f", "diamond")
"""Colour and shape of our figures and of theirs, after Okabe and Ito, darkened for lines on white."""
WIDE: Spec = {"name": "wide", "expr": "width > 640"}
LEFT = "wide ? 360 : 0"
ABOVE, BELOW = {"expr": "wide ? 0 : -8"}, {"expr": "wide ? 0 : 8"}
TITLES = {
    Unit.LOSS: "← gain · loss of throughput →",
    Unit.MB: "memory, MB",
    Unit.MB_PER_CORE: "memory, MB a core",
    Unit.EVENTS: "events",
}


def published_charts(page: Page) -> list[Spec]:
    """Return one chart a unit in which ours and theirs are both known; none where the scene names none."""
    if page.published is None:
        return []
    return [_chart(page.published, unit, rows) for unit, rows in _drawn(page.published).items()]


def _drawn(shown: Published) -> dict[Unit, list[PublishedRow]]:
    by_unit: dict[Unit, list[PublishedRow]] = {}
    for row in shown.rows:
        if row.unit is not None and row.value is not None:
            by_unit.setdefault(row.unit, []).append(row)
    return by_unit


def _chart(shown: Published, unit: Unit, rows: Sequence[PublishedRow]) -> Spec:
    sources = {source.key: source for source in shown.publications}
    lines = list(chart_lines(rows, sources))
    marks = [mark | {"at": at} for at, line in enumerate(lines) for mark in line["marks"]]
    names = [{"at": at, "name": line["name"], "ours": line["ours"]} for at, line in enumerate(lines)]
    scale = {
        "domain": _domain(marks),
        "range": [{"expr": LEFT}, {"expr": "width"}],
        "nice": False,
        "zero": False,
    }
    axis = {"title": TITLES[unit], "tickCount": 6, "labelFlush": True, "grid": True}
    axis |= {"labelExpr": PERCENT} if unit is Unit.LOSS else {}
    x = {"type": "quantitative", "scale": scale, "axis": axis}
    return frame(plain(f"{TITLES[unit]}: ours with intervals, and published ranges")) | {
        "params": [WIDE],
        "height": ROW * len(lines),
        "data": {"name": "published", "values": marks},
        "encoding": {"y": {"field": "at", "type": "ordinal", "axis": None, "scale": {"padding": 0}}},
        "layer": [*_zero(unit, x), *_names(names), *_marks(x)],
    }


def _domain(marks: Sequence[Spec]) -> list[float]:
    ends = [mark[end] for mark in marks for end in ("low", "high", "point") if mark[end] is not None]
    low, high = min(0.0, *ends), max(0.0, *ends)
    air = 0.03 * (high - low) or 0.01
    return [low - air if low < 0 else 0.0, high + air]


def _zero(unit: Unit, x: Spec) -> Iterator[Spec]:
    if unit is Unit.LOSS:
        yield {
            "name": "zero",
            "data": {"values": [{}]},
            "mark": {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.2},
            "encoding": {"x": {"datum": 0} | x, "y": {"value": 0}, "y2": {"value": "height"}},
        }


def _names(names: list[Spec]) -> Iterator[Spec]:
    """Yield the names at the left: ours in bold, theirs set in."""
    for look, dx, weight in ((True, 0, 600), (False, 14, 400)):
        yield {
            "name": "name" if look else "source",
            "data": {"values": [line for line in names if line["ours"] is look]},
            "mark": {
                "type": "text", "align": "left", "baseline": "middle", "fontSize": 12 if look else 11,
                "fontWeight": weight, "dx": dx, "yOffset": ABOVE,
                "limit": {"expr": f"wide ? {LEFT.split()[2]} - {10 + dx} : width - {dx}"},
            },
            "encoding": {"x": {"value": 0}, "text": {"field": "name"}},
        }  # fmt: skip


def _marks(x: Spec) -> Iterator[Spec]:
    looks = {"ours": OURS, "theirs": THEIRS}
    scale = {"domain": list(looks), "range": [look[0] for look in looks.values()]}
    colour = {"color": {"field": "look", "type": "nominal", "scale": scale}}
    shapes = {"domain": list(looks), "range": [look[1] for look in looks.values()]}
    shape = {"shape": {"field": "look", "type": "nominal", "scale": shapes}}
    tip = {"tooltip": [{"field": field} for field in ("what", "printed", "on")]}
    yield {
        "name": "range",
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high) && datum.low != datum.high"}],
        "mark": {"type": "rule", "strokeWidth": 7, "opacity": 0.55, "strokeCap": "butt", "yOffset": BELOW},
        "encoding": {"x": {"field": "low"} | x, "x2": {"field": "high"}} | colour | tip,
    }
    yield {
        "name": "point",
        "transform": [{"filter": "isValid(datum.point)"}],
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, "yOffset": BELOW},
        "encoding": {"x": {"field": "point"} | x} | colour | shape | tip,
    }
    yield {
        "name": "arrow",
        "transform": [{"filter": "isValid(datum.beyond)"}],
        "mark": {
            "type": "point", "shape": "triangle-left", "filled": True, "size": 110, "opacity": 1,
            "yOffset": BELOW,
        },
        "encoding": {"x": {"field": "beyond"} | x} | colour,
    }  # fmt: skip
