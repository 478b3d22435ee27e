"""How the losses of an activity narrowed: one chart a metric, its loss and interval over blocks."""

from __future__ import annotations

from collections.abc import Sequence

from assay.design.course import Course, Look
from assay.pages.numbers import interval_text
from assay.report.charts.chart_style import NEUTRAL, PERCENT, VERDICTS, Spec, frame
from assay.report.tables.tables import plain
from assay.report.tables.words import named, verdict_name

HEIGHT = 150
MOST = 8
"""Metrics that have a chart: tables hold those of all."""
AIR = 3.0
"""Intervals of the first blocks are cut off at so many widths of the newest one."""
MOST_ROOM = 1.0
"""Intervals that reach further than this beyond the losses are cut off there: two blocks may leave one of any
size, whose axis would tell nothing of the losses.
"""
NOTHING_WIDE = 0.01
"""Span of losses that do not differ."""


def course_charts(courses: Sequence[Course], margin: float) -> list[Spec]:
    """Return a chart of each of the first metrics.

    Args:
        courses: The metrics.
        margin: Loss that does not matter, a ratio.
    """
    return [course_chart(course, margin) for course in courses[:MOST]]


def course_chart(course: Course, margin: float) -> Spec:
    """Return the loss of a metric after each block with its interval, the margin and zero behind."""
    values = [_point(look) for look in course.looks]
    domain = _domain(course.looks, margin)
    whole = {"tickMinStep": 1, "format": "d", "title": "blocks", "grid": False, "tickCount": 6}
    span = [course.looks[0].blocks, max(course.now.blocks, course.looks[0].blocks + 1)]
    across = {"domain": span, "nice": False, "zero": False, "padding": 8}
    x = {"field": "blocks", "type": "quantitative", "axis": whole, "scale": across}
    scale = {"domain": domain, "nice": False, "zero": False}
    percent = {"labelExpr": PERCENT, "tickCount": 4, "title": None}
    y = {"type": "quantitative", "scale": scale, "axis": percent}
    colour = VERDICTS.get(course.now.verdict, (NEUTRAL, ""))[0]
    known = [{"filter": "isValid(datum.low) && isValid(datum.high)"}]
    point = {"type": "point", "filled": True, "size": 34, "opacity": 1, "color": colour, "clip": True}
    told = [
        {"field": "blocks"},
        {"field": "shown", "title": "loss"},
        {"field": "verdict", "title": "verdict"},
    ]
    name = plain(named(course.workload, course.metric))
    return frame(f"Loss of {name} after each block, with its interval") | {
        "height": HEIGHT,
        "title": {"text": name, "limit": {"expr": "width"}},
        "data": {"name": "looks", "values": values},
        "layer": [
            *_ground(margin, y),
            {
                "name": "interval",
                "transform": known,
                "mark": {"type": "area", "color": colour, "opacity": 0.2, "clip": True},
                "encoding": {"x": x, "y": {"field": "low"} | y, "y2": {"field": "high"}},
            },
            {
                "name": "ends",
                "transform": known,
                "mark": {"type": "rule", "color": colour, "strokeWidth": 1.2, "opacity": 0.6, "clip": True},
                "encoding": {"x": x, "y": {"field": "low"} | y, "y2": {"field": "high"}},
            },
            {
                "name": "loss",
                "mark": {"type": "line", "color": colour, "strokeWidth": 2, "clip": True},
                "encoding": {"x": x, "y": {"field": "loss"} | y},
            },
            {
                "name": "look",
                "mark": point,
                "encoding": {"x": x, "y": {"field": "loss"} | y, "tooltip": told},
            },
        ],
    }


def _point(look: Look) -> Spec:
    return {
        "blocks": look.blocks,
        "loss": look.loss,
        "low": look.low,
        "high": look.high,
        "shown": interval_text(look.loss, look.low, look.high),
        "verdict": verdict_name(look.verdict),
    }


def _ground(margin: float, y: Spec) -> list[Spec]:
    across = {"x": {"value": 0}, "x2": {"value": "width"}}
    band = {"y": {"field": "low"} | y, "y2": {"field": "high"}}
    ends = {"values": [{"low": -margin, "high": margin}]}
    rect = {"type": "rect", "color": NEUTRAL, "opacity": 0.16, "clip": True}
    rule = {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.2, "clip": True}
    zero = {"y": {"datum": 0, "type": "quantitative"}}
    return [
        {"name": "margin", "data": ends, "mark": rect, "encoding": across | band},
        {"name": "zero", "data": {"values": [{}]}, "mark": rule, "encoding": zero},
    ]


def _domain(looks: Sequence[Look], margin: float) -> list[float]:
    """Return the span of losses shown: every loss, intervals as far as there is room, and zero where it is
    near.
    """
    losses = [look.loss for look in looks if look.loss is not None] or [0.0]
    ends = [end for look in looks for end in (look.low, look.high) if end is not None]
    newest = [end for end in (looks[-1].low, looks[-1].high) if end is not None]
    room = AIR * max(max(newest, default=0.0) - min(newest, default=0.0), max(losses) - min(losses), margin)
    room = min(room, MOST_ROOM)
    low = min([*losses, *(max(end, min(losses) - room) for end in ends)])
    high = max([*losses, *(min(end, max(losses) + room) for end in ends)])
    span = high - low or margin or NOTHING_WIDE
    if low - span <= 0 <= high + span:
        low, high = min(low, -margin), max(high, margin)
    air = 0.06 * span
    return [low - air, high + air]
