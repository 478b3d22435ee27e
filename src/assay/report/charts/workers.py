"""Scaling curves of several treatments in one chart a workload: rate against workers, a line for each, the
best number of each ringed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.trial import Arm
from assay.pages.context import Page
from assay.pages.families.scaling import Scaling, ScalingCurve
from assay.report.charts.chart_style import Spec, frame, scales
from assay.report.charts.layout import LOOKS
from assay.report.charts.scaling import AIR, FIGURE
from assay.report.tables.scaling import best_text
from assay.report.tables.tables import plain
from assay.report.tables.words import named

HEIGHT = 300
BASELINE = ("#1b2330", "square")
"""Colour and shape of a baseline's line: none of those of the treatments."""
FURTHER_SHAPES = {
    "circle": "cross",
    "triangle-up": "triangle-down",
    "diamond": "triangle-right",
    "square": "triangle-left",
}
FURTHER = tuple((colour, FURTHER_SHAPES[shape]) for colour, shape in LOOKS)
"""Of the treatments behind the first eight, whose lines are dashed; taken again where there are more."""
DASH = [5, 3]
SUBTITLE = "a ring is the best number of workers: the fewest whose rate is as good as the highest"


def workers_charts(page: Page) -> list[Spec]:
    """Return one chart a workload of which several treatments have curves."""
    return [workers_chart(scalings) for scalings in curve_groups(page)]


def curve_groups(page: Page) -> list[tuple[Scaling, ...]]:
    """Return the scalings of each workload that several treatments ran, in the order of the page."""
    grouped: dict[tuple[str, str, str], list[Scaling]] = {}
    for scaling in page.scalings:
        if family_of(scaling) != scaling.workload:
            grouped.setdefault((family_of(scaling), scaling.metric, scaling.unit), []).append(scaling)
    return [tuple(scalings) for scalings in grouped.values() if len(scalings) > 1]


def family_of(scaling: Scaling) -> str:
    """Return the name of a scaling's workload without the label of its treatment, which follows it where
    there are several.
    """
    labels = [curve.label for curve in scaling.curves if curve.arm is Arm.TREATMENT]
    return scaling.workload.removesuffix(f", {labels[0]}") if labels else scaling.workload


def workers_chart(scalings: Sequence[Scaling]) -> Spec:
    """Return the chart of a workload's curves, each baseline once.

    Args:
        scalings: Of one workload and metric, one a treatment.
    """
    lines = _lines(scalings)
    points = [point for curve in lines.values() for point in curve.points]
    top = AIR * max(point.high or point.rate for point in points)
    name, unit = plain(named(family_of(scalings[0]), scalings[0].metric)), scalings[0].unit
    counts = sorted({point.workers for point in points})
    x = {
        "field": "workers",
        "type": "quantitative",
        "scale": {"domain": [0, counts[-1] * 1.04], "nice": False},
        "axis": {"values": counts, "title": "workers", "format": "d", "grid": False, "labelOverlap": True},
    }
    axis = {"title": f"rate, {unit}" if unit else "rate", "tickCount": 6, "labelExpr": FIGURE}
    y = {"type": "quantitative", "scale": {"domain": [0, top], "nice": False}, "axis": axis}
    whole = frame(f"{name} against workers, a line for each treatment")
    legend = whole["config"]["legend"] | {"columns": 1, "labelLimit": 0}
    return whole | {
        "config": whole["config"] | {"legend": legend},
        "height": HEIGHT,
        "title": {"text": name, "subtitle": SUBTITLE},
        "data": {"name": "lines", "values": list(_values(lines))},
        "encoding": {"x": x},
        "layer": list(_layers(curve_looks(scalings), y)),
    }


def curve_looks(scalings: Sequence[Scaling]) -> dict[str, tuple[str, str]]:
    """Return colour and shape of each line, by what the legend calls it."""
    looks: dict[str, tuple[str, str]] = {}
    treatments = 0
    for name, curve in _lines(scalings).items():
        of_baseline = curve.arm is Arm.BASELINE
        every = (*LOOKS, *FURTHER)
        looks[name] = BASELINE if of_baseline else every[treatments % len(every)]
        treatments += not of_baseline
    return looks


def _lines(scalings: Sequence[Scaling]) -> dict[str, ScalingCurve]:
    """Return the curves by what the legend calls each, with its best number of workers."""
    lines: dict[str, ScalingCurve] = {}
    every = [curve for scaling in scalings for curve in scaling.curves]
    for curve in sorted(every, key=lambda one: one.arm is not Arm.BASELINE):
        lines.setdefault(f"{plain(curve.label)}: {best_text(curve)}", curve)
    return lines


def _values(lines: dict[str, ScalingCurve]) -> Iterator[Spec]:
    for look, curve in lines.items():
        for point in curve.points:
            yield {
                "look": look,
                "workers": point.workers,
                "rate": point.rate,
                "low": point.low,
                "high": point.high,
                "blocks": point.blocks,
                "best": point.workers == curve.best,
            }


def _dashes(lines: dict[str, tuple[str, str]]) -> Spec:
    """Return the encoding of the dashes; empty where each line has a colour of its own."""
    dashed = [look in FURTHER for look in lines.values()]
    if not any(dashed):
        return {}
    scale = {"domain": list(lines), "range": [DASH if one else [1, 0] for one in dashed]}
    return {"strokeDash": {"field": "look", "type": "nominal", "scale": scale}}


def _layers(lines: dict[str, tuple[str, str]], y: Spec) -> Iterator[Spec]:
    looks = scales(lines)
    colour = {"color": looks["color"]}
    rate = {"y": {"field": "rate"} | y}
    mark = {"type": "line", "strokeWidth": 1.8}
    yield {"name": "line", "mark": mark, "encoding": rate | colour | _dashes(lines)}
    yield {
        "name": "ends",
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 1.4, "opacity": 0.7},
        "encoding": {"y": {"field": "low"} | y, "y2": {"field": "high"}} | colour,
    }
    tip = [{"field": name} for name in ("look", "workers", "rate", "low", "high", "blocks")]
    yield {
        "name": "point",
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
        "encoding": rate | looks | {"tooltip": tip},
    }
    yield {
        "name": "best",
        "transform": [{"filter": "datum.best"}],
        "mark": {"type": "point", "shape": "circle", "filled": False, "size": 260, "strokeWidth": 2},
        "encoding": rate | colour,
    }
