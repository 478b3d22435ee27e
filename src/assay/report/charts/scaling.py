"""Scaling curves as two charts: the rate against the workers with law, knee and ideal line, and the
efficiency.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from assay.explain.scaling.choice import Form
from assay.pages.context import Page
from assay.pages.families.scaling import Scaling, ScalingCurve, ScalingPoint
from assay.report.charts.chart_style import BASELINE, PERCENT, TREATMENT, Spec, frame, scales
from assay.report.tables.scaling import knee_text
from assay.report.tables.tables import plain
from assay.report.tables.words import named

HEIGHT = 240
FIGURE = "format(datum.value, datum.value < 10000 ? '.4~g' : '.3~s')"
STEPS = 60
"""Of a law's line."""
AIR = 1.08
"""Room above the highest rate; the ideal line goes on to there."""


def scaling_charts(page: Page) -> list[Spec]:
    """Return two charts a workload: rate against workers, then efficiency."""
    return [chart for scaling in page.scalings for chart in (rate_chart(scaling), efficiency_chart(scaling))]


def rate_chart(scaling: Scaling) -> Spec:
    """Return the rate of both arms with intervals, their ideal lines thin, their laws dotted, their knees
    with intervals.
    """
    top = AIR * max(point.high or point.rate for curve in scaling.curves for point in curve.points)
    title = f"rate, {scaling.unit}" if scaling.unit else "rate"
    axis = {"title": None, "tickCount": 5, "labelExpr": FIGURE}
    y = {"type": "quantitative", "scale": {"domain": [0, top], "nice": False}, "axis": axis}
    return _frame(scaling, f"{scaling.workload} {scaling.metric} against workers", title) | {
        "layer": [*_knees(scaling), *_ideal(scaling, top, y), *_curve(scaling, "rate", y), *_laws(scaling, y)]
    }


def efficiency_chart(scaling: Scaling) -> Spec:
    """Return the efficiency of both arms with intervals; 100 % is a perfect line through the origin."""
    ends = [p.efficiency_high or p.efficiency for curve in scaling.curves for p in curve.points]
    percent = {"title": None, "tickCount": 5, "labelExpr": PERCENT}
    y = {"type": "quantitative", "scale": {"domain": [0, max(1.05, *ends)], "nice": False}, "axis": percent}
    return _frame(scaling, f"{scaling.workload} efficiency against workers", "efficiency") | {
        "layer": [*_curve(scaling, "efficiency", y)]
    }


def _frame(scaling: Scaling, description: str, what: str) -> Spec:
    values = [_values(curve, point) for curve in scaling.curves for point in curve.points]
    return frame(plain(description)) | {
        "height": HEIGHT,
        "title": {"text": plain(named(scaling.workload, scaling.metric)), "subtitle": plain(what)},
        "data": {"name": "curves", "values": values},
        "encoding": {"x": _x(scaling)},
    }


def _values(curve: ScalingCurve, point: ScalingPoint) -> Spec:
    return {
        "look": curve.label,
        "workers": point.workers,
        "rate": point.rate,
        "rate_low": point.low,
        "rate_high": point.high,
        "efficiency": point.efficiency,
        "efficiency_low": point.efficiency_low,
        "efficiency_high": point.efficiency_high,
        "blocks": point.blocks,
    }


def _x(scaling: Scaling) -> Spec:
    counts = sorted({point.workers for curve in scaling.curves for point in curve.points})
    scale = {"domain": [0, counts[-1] * 1.04], "nice": False}
    axis = {"values": counts, "title": "workers", "format": "d", "grid": False, "labelOverlap": True}
    return {"field": "workers", "type": "quantitative", "scale": scale, "axis": axis}


def _looks(scaling: Scaling) -> Spec:
    by_arm = {"baseline": BASELINE, "treatment": TREATMENT}
    return scales({curve.label: by_arm[curve.arm] for curve in scaling.curves})


def _curve(scaling: Scaling, field: str, y: Spec) -> Iterator[Spec]:
    looks, place = _looks(scaling), {"field": field} | y
    colour = {"color": looks["color"]}
    yield {"name": "line", "mark": {"type": "line", "strokeWidth": 2}, "encoding": {"y": place} | colour}
    ends = {"y": {"field": f"{field}_low"} | y, "y2": {"field": f"{field}_high"}}
    known = [{"filter": f"isValid(datum.{field}_low)"}]
    yield {
        "name": "ends",
        "transform": known,
        "mark": {"type": "rule", "strokeWidth": 1.6, "opacity": 0.8},
        "encoding": ends | colour,
    }
    point = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    tip = [{"field": name} for name in ("look", "workers", field, f"{field}_low", f"{field}_high", "blocks")]
    yield {"name": "point", "mark": point, "encoding": {"y": place, "tooltip": tip} | looks}


def _ideal(scaling: Scaling, top: float, y: Spec) -> Iterator[Spec]:
    """Draw each arm's line through the origin, up to the top or to its most workers."""
    lines: list[dict[str, Any]] = []
    for curve in scaling.curves:
        first, last = curve.points[0], curve.points[-1]
        a_worker = first.rate / first.workers
        end = min(float(last.workers), top / a_worker)
        lines += [{"look": curve.label, "workers": at, "rate": at * a_worker} for at in (0.0, end)]
    yield {
        "name": "ideal",
        "data": {"values": lines},
        "mark": {"type": "line", "strokeWidth": 1, "strokeDash": [4, 3], "opacity": 0.8},
        "encoding": {"y": {"field": "rate"} | y, "color": _looks(scaling)["color"]},
    }


def _laws(scaling: Scaling, y: Spec) -> Iterator[Spec]:
    """Draw the law that each curve was told to follow, from its fewest workers to its most."""
    reported = [curve for curve in scaling.curves if curve.law not in {None, Form.LINEAR}]
    if not reported:
        return
    values = [
        {"look": c.label, "workers": at, "rate": law_rate(c, at)}
        for c in reported
        for at in _between(c.points)
    ]
    yield {
        "name": "law",
        "data": {"values": values},
        "mark": {"type": "line", "strokeWidth": 2, "strokeDash": [1, 3], "strokeCap": "round"},
        "encoding": {"y": {"field": "rate"} | y, "color": _looks(scaling)["color"]},
    }


def _between(points: Sequence[ScalingPoint]) -> list[float]:
    first, last = points[0].workers, points[-1].workers
    return [first + (last - first) * at / STEPS for at in range(STEPS + 1)]


def law_rate(curve: ScalingCurve, workers: float) -> float:
    """Return the rate of so many workers by the law of a curve that has one."""
    one = curve.one or 0.0
    if curve.knee is not None:
        behind = math.log(max(1.0, workers / curve.knee))
        return one * min(workers, curve.knee) * math.exp((curve.slope or 0.0) * behind)
    slower = (workers - 1) * ((curve.serial or 0.0) + (curve.coherency or 0.0) * workers)
    return one * workers / (1 + slower)


def _knees(scaling: Scaling) -> Iterator[Spec]:
    """Draw each knee as a rule with its interval behind it."""
    curves = [curve for curve in scaling.curves if curve.knee is not None]
    if not curves:
        return
    values = [
        {"look": c.label, "workers": c.knee, "low": c.knee_low, "high": c.knee_high, "text": knee_text(c)}
        for c in curves
    ]
    colour = {"color": _looks(scaling)["color"]}
    ends = {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}
    whole = {"y": {"value": 0}, "y2": {"value": "height"}}
    tip = {"tooltip": [{"field": "look"}, {"field": "text", "title": "knee"}]}
    yield {
        "name": "knee_interval",
        "data": {"values": values},
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rect", "opacity": 0.18},
        "encoding": ends | whole | colour | tip,
    }
    yield {
        "name": "knee",
        "data": {"values": values},
        "mark": {"type": "rule", "strokeWidth": 1.2},
        "encoding": whole | colour | tip,
    }
