"""Two charts of a scan of event numbers: the loss of the total over events, and the times with
their lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.model.trial import Arm
from assay.pages.context import Page, Result
from assay.pages.families.events import EventLoss, EventScan, LineCheck, SizeLoss
from assay.pages.numbers import size_text, value_text
from assay.report.charts.chart_style import (
    BASELINE,
    NEUTRAL,
    PERCENT,
    TREATMENT,
    VERDICTS,
    Spec,
    frame,
    scales,
)
from assay.report.charts.trial import log_ticks
from assay.report.tables.scan_words import about, fit_words, straight

HEIGHT = 240
LOSS = next(iter(VERDICTS.values()))[0]
EVENTS = "format(datum.value, ',.6~g')"


def scan_charts(page: Page) -> list[Spec]:
    """Return two charts a scan with a line: the loss of the total, then the times."""
    lined = [scan for scan in page.scans if scan.curve]
    return [chart for scan in lined for chart in (total_chart(scan), times_chart(scan, page.result))]


def total_chart(scan: EventScan) -> Spec:
    """Return the loss of the total over events with its band, where it tends to, and what was measured."""
    first, last = scan.curve[0].events, scan.curve[-1].events
    ticks = {"values": log_ticks(first, last), "labelExpr": EVENTS, "grid": False}
    low, high = _domain(scan)
    x = {
        "scale": {"type": "log", "domain": [first / 1.25, last], "nice": False},
        "axis": ticks | {"title": "events"},
    }
    y_axis = {"labelExpr": PERCENT, "title": None, "tickCount": 5}
    y = {"scale": {"domain": [low, high], "nice": False, "zero": False}, "axis": y_axis}
    curve = [vars(point) for point in scan.curve if point.loss is not None]
    title = {
        "text": "Loss of the total time",
        "subtitle": f"over the events of a job, log scale{fit_words(scan)}",
    }
    return frame(f"Loss of the total time of {scan.workload} over events") | {
        "height": HEIGHT,
        "title": title,
        "data": {"name": "curve", "values": curve},
        "layer": [*_asymptote(scan), *_curve(x, y), *_within(scan), *_measured(scan)],
    }


def _domain(scan: EventScan) -> tuple[float, float]:
    """Return the losses to be seen: all points, and of their intervals what does not flatten the rest."""
    points: list[EventLoss | SizeLoss] = [*scan.curve, *scan.sizes]
    losses = [point.loss for point in points if point.loss is not None] or [0.0]
    span = max(max(losses) - min(losses), 2 * scan.margin, 0.02)
    ends = [end for point in points for end in (point.low, point.high) if end is not None]
    low, high = min([*losses, *ends]), max([*losses, *ends])
    low, high = max(low, min(losses) - span), min(high, max(losses) + span)
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _asymptote(scan: EventScan) -> Iterator[Spec]:
    """Return the ground: where the total tends to, and the margin around it."""
    if scan.asymptote is None:
        return
    ends = {"low": scan.asymptote - scan.margin, "high": scan.asymptote + scan.margin}
    band: Spec = {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
    across = {"x": {"value": 0}, "x2": {"value": "width"}}
    ground = {"type": "rect", "color": NEUTRAL, "opacity": 0.16, "clip": True}
    yield {"name": "margin", "data": {"values": [ends]}, "mark": ground, "encoding": band | across}
    rule = {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.5, "strokeDash": [6, 4], "clip": True}
    value = {"y": {"datum": scan.asymptote, "type": "quantitative"}}
    yield {"name": "asymptote", "data": {"values": [{}]}, "mark": rule, "encoding": value}


def _curve(x: Spec, y: Spec) -> Iterator[Spec]:
    events = {"field": "events", "type": "quantitative"} | x
    band = {"x": events, "y": {"field": "low", "type": "quantitative"} | y, "y2": {"field": "high"}}
    area = {"type": "area", "color": LOSS, "opacity": 0.2, "clip": True}
    known = [{"filter": "isValid(datum.low) && isValid(datum.high)"}]
    yield {"name": "band", "transform": known, "mark": area, "encoding": band}
    line = {"type": "line", "color": LOSS, "strokeWidth": 2.2, "clip": True}
    yield {"name": "loss", "mark": line, "encoding": {"x": events, "y": _quantity("loss")}}


def _within(scan: EventScan) -> Iterator[Spec]:
    """Return where the total comes within the margin, as far as that is in the chart."""
    number = scan.events_within_margin
    if number is None or not straight(scan) or not scan.curve[0].events < number < scan.curve[-1].events:
        return
    place = {"x": {"datum": number, "type": "quantitative"}}
    rule = {"type": "rule", "color": NEUTRAL, "strokeWidth": 1, "strokeDash": [2, 3]}
    yield {"name": "within", "data": {"values": [{}]}, "mark": rule, "encoding": place}
    right = number**2 < scan.curve[0].events * scan.curve[-1].events
    style = {
        "type": "text",
        "align": "left" if right else "right",
        "dx": 5 if right else -5,
        "baseline": "top",
    }
    words = {"text": {"value": f"within the margin from about {about(number)}"}, "y": {"value": 2}}
    yield {
        "name": "within_text",
        "data": {"values": [{}]},
        "mark": style | {"fontSize": 11},
        "encoding": place | words,
    }


def _measured(scan: EventScan) -> Iterator[Spec]:
    values = [
        vars(size) | {"shown": size_text(size)}
        for size in scan.sizes
        if size.events > 0 and size.loss is not None
    ]
    place = {"x": _quantity("events")}
    known = [{"filter": "isValid(datum.low) && isValid(datum.high)"}]
    span = {"y": _quantity("low"), "y2": {"field": "high"}}
    rule = {"type": "rule", "color": LOSS, "strokeWidth": 1.6, "clip": True}
    data = {"name": "measured", "values": values}
    yield {"name": "interval", "data": data, "transform": known, "mark": rule, "encoding": place | span}
    point = {"type": "point", "filled": True, "size": 70, "color": LOSS, "opacity": 1, "clip": True}
    tooltip = [{"field": "events"}, {"field": "shown", "title": "loss"}, {"field": "blocks"}]
    dot = place | {"y": _quantity("loss"), "tooltip": tooltip}
    yield {"name": "point", "data": data, "mark": point, "encoding": dot}


def times_chart(scan: EventScan, result: Result) -> Spec:
    """Return the mean times of both arms over events with their lines, broken where a kink was found."""
    looks = scales({str(Arm.BASELINE): BASELINE, str(Arm.TREATMENT): TREATMENT})
    labels = {"axis": {"labelExpr": EVENTS, "title": "events", "grid": False, "tickCount": 6}}
    seconds = {"axis": {"title": None, "tickCount": 5, "format": ".4~g"}, "scale": {"zero": True}}
    x, y = _quantity("events") | labels, _quantity("seconds") | seconds
    thin = {"type": "line", "strokeWidth": 1.8, "opacity": 0.8}
    dots = {"type": "point", "filled": True, "size": 65, "opacity": 1}
    tooltip = [
        {"field": "label", "title": "arm"},
        {"field": "events"},
        {"field": "shown", "title": "seconds"},
    ]
    return frame(f"Times of {scan.workload} over events") | {
        "height": HEIGHT,
        "title": {"text": "Time of a job", "subtitle": "seconds, mean over blocks, and its line"},
        "data": {"name": "times", "values": list(_times(scan, result))},
        "layer": [
            {"name": "line", "data": {"name": "lines", "values": list(_lines(scan))}, "mark": thin,
             "encoding": {"x": x, "y": y, "color": looks["color"]}},
            {"name": "time", "mark": dots, "encoding": {"x": x, "y": y, "tooltip": tooltip} | looks},
        ],
    }  # fmt: skip


def _times(scan: EventScan, result: Result) -> Iterator[Spec]:
    for size in scan.sizes:
        for arm, label, seconds in (
            (Arm.BASELINE, result.baseline, size.baseline_s),
            (Arm.TREATMENT, result.treatment, size.treatment_s),
        ):
            words = {"look": str(arm), "label": label, "shown": value_text(float(f"{seconds:.4g}"))}
            yield words | {"events": size.events, "seconds": seconds}


def _lines(scan: EventScan) -> Iterator[Spec]:
    fixed, slope = scan.fixed_cost_s, scan.per_event_s
    if fixed is None or slope is None:
        return
    last = scan.sizes[-1].events if scan.sizes else scan.curve[-1].events
    broken = {check.arm: _broken(check, last) for check in scan.linearity}
    arms = (
        (Arm.BASELINE, fixed.baseline.value, slope.baseline.value),
        (Arm.TREATMENT, fixed.treatment.value, slope.treatment.value),
    )
    for arm, start, each in arms:
        straight = ((0, start), (last, start + each * last))
        for events, seconds in broken.get(arm) or straight:
            yield {"look": str(arm), "events": events, "seconds": seconds}


def _broken(check: LineCheck, last: float) -> tuple[tuple[float, float], ...]:
    """Return the corners of a line that breaks at a kink; none without one."""
    if check.kink is None or check.at_s is None or check.before_s is None or check.after_s is None:
        return ()
    start = check.at_s - check.before_s * check.kink
    end = check.at_s + check.after_s * (last - check.kink)
    return (0, start), (check.kink, check.at_s), (last, end)


def _quantity(field: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative"}
