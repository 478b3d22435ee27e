"""The map of a fleet: a row a machine, its loss and the value on its baseline, one chart a metric."""

from __future__ import annotations

from collections.abc import Sequence

from assay.pages.fleet import FleetPage, FleetRow, MachineLoss
from assay.pages.numbers import interval_text, value_text
from assay.report.charts.chart_style import FAILED, NEUTRAL, PERCENT, Spec, frame

ROW, LEAST_ROW, MOST_HEIGHT = 16, 3, 900
"""Pixels a machine; with many machines less, down to what keeps them apart."""
NAMED = 60
"""With more machines only outliers are named."""
LOSS = {"title": "loss of throughput", "labelExpr": PERCENT}
TOOLTIP = [
    {"field": "machine", "title": "machine"},
    {"field": "text", "title": "loss"},
    {"field": "value", "title": "baseline"},
    {"field": "hardware", "title": "hardware"},
]
PALETTE = ("#1f77c4", "#0a9373", "#9a6bb8", "#8c6d1f", "#6fb1e6", "#5f6b7a")
"""Colours of classes of hardware, after Okabe and Ito; from the seventh on they come again."""

UNKNOWN = ""
"""The class of a machine whose facts were not kept."""


def fleet_charts(page: FleetPage) -> list[Spec]:
    """Return a chart for each metric."""
    return [fleet_chart(page, row) for row in page.rows]


def named_fleet_charts(page: FleetPage) -> dict[str, Spec]:
    """Return them by name: ``loss``, numbered from 1 where there are several metrics."""
    found = fleet_charts(page)
    return {"loss" if len(found) == 1 else f"loss-{at}": chart for at, chart in enumerate(found, start=1)}


def classes_of(page: FleetPage) -> dict[str, str]:
    """Return the colour of each class of hardware."""
    names = dict.fromkeys(lane.hardware for lane in page.lanes if lane.hardware is not None)
    return {name: PALETTE[at % len(PALETTE)] for at, name in enumerate(names)}


def fleet_chart(page: FleetPage, row: FleetRow) -> Spec:
    """Return the losses of all machines in one metric, the largest on top, and their baselines beside
    them.
    """
    unlike = {(one.machine, one.of) for one in row.outliers}
    hardware = {lane.machine: lane.hardware or UNKNOWN for lane in page.lanes}
    measured = sorted((one for one in row.machines if one.loss is not None), key=lambda one: -(one.loss or 0))
    values = [
        {
            "machine": one.machine,
            "loss": one.loss,
            "low": one.low,
            "high": one.high,
            "text": interval_text(one.loss, one.low, one.high),
            "baseline": one.baseline_value,
            "value": f"{value_text(one.baseline_value)} {row.unit}",
            "hardware": hardware.get(one.machine, UNKNOWN),
            "loss_out": (one.machine, "loss") in unlike,
            "baseline_out": (one.machine, "baseline") in unlike,
        }
        for one in measured
    ]
    each = max(LEAST_ROW, min(ROW, MOST_HEIGHT // max(1, len(values))))
    height = each * max(1, len(values))
    named = len(values) <= NAMED
    order = [one["machine"] for one in values]
    y = {
        "field": "machine",
        "type": "nominal",
        "sort": order,
        "axis": {"title": None, "labels": named, "grid": named, "labelLimit": 160},
    }
    looks = classes_of(page)
    colour = {
        "field": "hardware",
        "type": "nominal",
        "scale": {"domain": [*looks, UNKNOWN], "range": [*looks.values(), NEUTRAL]},
        "legend": None,
    }
    whole = frame(f"{row.workload} {row.metric} on {len(values)} machines")
    losses = [_band(row), _zero(), _intervals(y, colour), *_points("loss", y, colour, LOSS)]
    title = {"title": f"baseline, {row.unit}"}
    baselines = _points("baseline", y | {"axis": None}, colour, title, _held(measured))
    return {
        **{name: part for name, part in whole.items() if name not in {"width", "autosize"}},
        "data": {"values": values},
        "hconcat": [
            {"width": 500, "height": height, "layer": losses},
            {"width": 330, "height": height, "layer": baselines},
        ],
        "spacing": 24,
    }


def _shown(row: FleetRow) -> list[float]:
    """Return what is shown of the axis of losses: all of these, and as much on either side of the ends of
    intervals; one that ends beyond is cut off there.
    """
    told = [*((one.low, one.high) for one in row.machines), (row.fleet.low, row.fleet.high)]
    ends = [end for interval in told for end in interval if end is not None]
    losses = [0.0, *(one.loss for one in row.machines if one.loss is not None)]
    low, high = min(losses), max(losses)
    span = (high - low) or 1.0
    return [max(min([low, *ends]), low - span), min(max([high, *ends]), high + span)]


def _band(row: FleetRow) -> Spec:
    """Return the fleet's interval, behind all."""
    group = row.fleet
    ends = [] if group.low is None else [{"low": group.low, "high": group.high}]
    return {
        "data": {"values": ends},
        "mark": {"type": "rect", "color": NEUTRAL, "opacity": 0.22, "clip": True},
        "encoding": {
            "x": {"field": "low", "type": "quantitative", "scale": {"domain": _shown(row)}},
            "x2": {"field": "high"},
            "y": {"value": 0},
            "y2": {"value": "height"},
        },
    }


def _zero() -> Spec:
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.2},
        "encoding": {"x": {"datum": 0, "type": "quantitative"}, "y": {"value": 0}, "y2": {"value": "height"}},
    }


def _intervals(y: Spec, colour: Spec) -> Spec:
    ends = {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}
    return {
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 1.6, "opacity": 0.8, "clip": True},
        "encoding": ends | {"y": y, "color": colour},
    }


def _held(measured: Sequence[MachineLoss]) -> Spec:
    """Return the scale of baselines by all of them: of outliers alone, where there are none, none could be
    told.
    """
    values = [one.baseline_value for one in measured if one.baseline_value is not None]
    if not values:
        return {}
    room = 0.05 * (max(values) - min(values)) or 0.05 * abs(values[0]) or 1.0
    return {"domain": [min(values) - room, max(values) + room]}


def _points(field: str, y: Spec, colour: Spec, axis: Spec, scale: Spec | None = None) -> list[Spec]:
    """Return a point a machine, and a diamond with its name for an outlier."""
    within = {"zero": False} | (scale or {})
    x = {"field": field, "type": "quantitative", "scale": within, "axis": {"tickCount": 5} | axis}
    at, out = {"x": x, "y": y}, f"{field}_out"
    point = {"type": "point", "filled": True, "opacity": 1}
    named = {"type": "text", "align": "left", "dx": 10, "fontSize": 11, "fontWeight": 600, "color": FAILED}
    return [
        {
            "transform": [{"filter": f"!datum.{out}"}],
            "mark": point | {"size": 55},
            "encoding": at | {"color": colour, "tooltip": TOOLTIP},
        },
        {
            "transform": [{"filter": f"datum.{out}"}],
            "mark": point | {"shape": "diamond", "size": 130, "color": FAILED},
            "encoding": at | {"tooltip": TOOLTIP},
        },
        {
            "transform": [{"filter": f"datum.{out}"}],
            "mark": named,
            "encoding": at | {"text": {"field": "machine"}},
        },
    ]
