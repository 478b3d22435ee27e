"""Layouts as one chart a metric: the loss against the number of guests, a line for each way to start and
preload.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.context import Page
from assay.pages.families.layouts import LayoutMap, LayoutPoint
from assay.report.charts.chart_style import NEUTRAL, PERCENT, Spec, frame, scales
from assay.report.tables.layout import columns, line_of, line_text, map_title
from assay.report.tables.tables import plain
from assay.report.tables.words import verdict_name

HEIGHT = 260
LOOKS = (
    ("#1f77c4", "circle"), ("#d1570f", "triangle-up"), ("#0a9373", "diamond"), ("#9a6bb8", "square"),
    ("#8a6d00", "circle"), ("#c1121f", "triangle-up"), ("#3d5a80", "diamond"), ("#6b7280", "square"),
)  # fmt: skip
"""Of the lines, after Okabe and Ito, darkened for lines on white; taken again from the first where more."""
APART = 0.07
"""Between the points of two lines at one number of guests, of the distance to the next number."""


def layout_charts(page: Page) -> list[Spec]:
    """Return one chart a map of which anything was measured; intervals lie over the margin and
    the zero line.
    """
    return [layout_chart(shown, page.result.margin) for shown in page.layouts if shown.measured]


def layout_chart(shown: LayoutMap, margin: float) -> Spec:
    """Return the chart of a map.

    Args:
        shown: The map.
        margin: Loss that does not matter.
    """
    counts = sorted({point.guests for point in shown.points})
    looks = scales(line_looks(shown))
    spelt = "[" + ", ".join(f"'{count}'" for count in counts) + "][datum.value]"
    axis = {"values": list(range(len(counts))), "title": f"{shown.of}s", "labelExpr": spelt, "grid": False}
    scale = {"domain": [-0.4, len(counts) - 0.6], "nice": False}
    x = {"field": "at", "type": "quantitative", "scale": scale, "axis": axis}
    return frame(plain(f"{map_title(shown)}: loss against the number of {shown.of}s")) | {
        "height": HEIGHT,
        "title": {"text": f"loss of throughput against the number of {shown.of}s", "fontWeight": "normal"},
        "data": {"name": "layouts", "values": list(_values(shown, counts))},
        "encoding": {"x": x},
        "layer": [*_ground(margin), *_lines(looks)],
    }


def line_looks(shown: LayoutMap) -> dict[str, tuple[str, str]]:
    """Return colour and shape of each line, by its name."""
    names = (line_text(line) for line in columns(shown))
    return {name: LOOKS[at % len(LOOKS)] for at, name in enumerate(names)}


def _values(shown: LayoutMap, counts: list[int]) -> Iterator[Spec]:
    """Yield each point of each line; that of one guest is its own on the first of its preload's
    lines alone.
    """
    lines = columns(shown)
    for number, line in enumerate(lines):
        aside = (number - (len(lines) - 1) / 2) * APART
        for point in shown.points:
            own = line_of(point) == line
            shared = point.guests == 1 and point.preload == line[-1]
            if (own or shared) and point.loss is not None:
                at = counts.index(point.guests) + aside
                yield _value(point, at, line_text(line), own=own)


def _value(point: LayoutPoint, at: float, look: str, *, own: bool) -> Spec:
    return {
        "at": round(at, 4),
        "look": look,
        "own": own,
        "layout": plain(point.label),
        "guests": point.guests,
        "loss": point.loss,
        "low": point.low,
        "high": point.high,
        "verdict": verdict_name(point.verdict),
        "blocks": point.blocks,
    }


def _ground(margin: float) -> Iterator[Spec]:
    whole = {"x": {"value": 0}, "x2": {"value": "width"}}
    band = {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
    yield {
        "name": "margin",
        "data": {"values": [{"low": -margin, "high": margin}]},
        "mark": {"type": "rect", "color": NEUTRAL, "opacity": 0.16},
        "encoding": whole | band,
    }
    yield {
        "name": "zero",
        "data": {"values": [{}]},
        "mark": {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.2},
        "encoding": whole | {"y": {"datum": 0, "type": "quantitative"}},
    }


def _lines(looks: Spec) -> Iterator[Spec]:
    y = {
        "type": "quantitative",
        "scale": {"zero": True},
        "axis": {"title": None, "tickCount": 6, "labelExpr": PERCENT},
    }
    colour = {"color": looks["color"]}
    thin = {"type": "line", "strokeWidth": 1.6, "opacity": 0.75}
    yield {"name": "line", "mark": thin, "encoding": {"y": {"field": "loss"} | y} | colour}
    own = {"filter": "datum.own"}
    yield {
        "name": "interval",
        "transform": [own, {"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {"y": {"field": "low"} | y, "y2": {"field": "high"}} | colour,
    }
    names = ("layout", "loss", "low", "high", "verdict", "blocks")
    tip = {"tooltip": [{"field": name} for name in names]}
    yield {
        "name": "point",
        "transform": [own],
        "mark": {"type": "point", "filled": True, "size": 75, "opacity": 1},
        "encoding": {"y": {"field": "loss"} | y} | looks | tip,
    }
