"""The trials of a page, one small chart a metric: value over blocks in the order in which the trials ran."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from assay.model.trial import Arm, State
from assay.pages.context import Page, Row, TrialPoint
from assay.pages.numbers import value_text
from assay.report.charts.chart_style import (
    AGAIN,
    BASELINE,
    CROSS,
    FAILED,
    NEUTRAL,
    TREATMENT,
    Spec,
    frame,
    scales,
)
from assay.report.tables.tables import plain
from assay.report.tables.words import name_of, named

HEIGHT = 130
WIDE = 4.0
"""Values further apart than this ratio are drawn on a logarithmic scale: else one arm would look
like zero.
"""


def trial_charts(page: Page) -> list[Spec]:
    """Return one chart a metric, in the order of the estimates; each as wide as its container."""
    places = _places(page.trials)
    return [_chart(page, row, _points(page, row, places)) for row in page.estimates]


def _chart(page: Page, row: Row, points: list[Spec]) -> Spec:
    blocks = sorted({trial.block for trial in page.trials}) or [0]
    notes = [row.unit, f"{row.direction} is better", "log scale" if _wide(points) else ""]
    return frame(f"{row.workload} {name_of(row)} of each trial") | {
        "height": HEIGHT,
        "title": {
            "text": named(row.workload, row.metric),
            "subtitle": [*([row.treatment] if row.treatment else []), ", ".join(filter(None, notes))],
            "limit": {"expr": "width"},
        },
        "data": {"name": "trials", "values": points},
        "layer": [_bands(blocks), *_values(page, points), *_without_value()],
    }


def _bands(blocks: Sequence[int]) -> Spec:
    """Return the ground: every second block shaded; it carries the axis of blocks too."""
    last = blocks[-1] + 1
    step = -(-last // 12)  # at most a dozen block numbers fit into the narrowest chart
    labels = [block + 0.5 for block in blocks if block % step == 0]
    number = "'block ' + floor(datum.value)" if len(labels) <= 4 else "floor(datum.value)"
    title = None if len(labels) <= 4 else "block"
    axis = {"values": labels, "labelExpr": number, "grid": False, "title": title}
    scale = {"domain": [blocks[0], last], "nice": False, "zero": False}
    shaded = [{"from": block, "to": block + 1} for block in blocks if block % 2 == 0]
    x = {"field": "from", "type": "quantitative", "scale": scale, "axis": axis}
    ends = {"x": x, "x2": {"field": "to"}, "y": {"value": 0}, "y2": {"value": "height"}}
    mark = {"type": "rect", "color": NEUTRAL, "opacity": 0.12}
    return {"name": "blocks", "data": {"values": shaded}, "mark": mark, "encoding": ends}


def _values(page: Page, points: list[Spec]) -> Iterator[Spec]:
    again = f"{page.result.baseline} again"
    looks = scales({page.result.baseline: BASELINE, again: AGAIN, page.result.treatment: TREATMENT})
    encoding: Spec = {"x": _X, "y": {"field": "value", "type": "quantitative"} | _scale(points)}
    shown = {"transform": [{"filter": "isValid(datum.value)"}]}
    line = {"type": "line", "strokeWidth": 1, "opacity": 0.45}
    yield shown | {"name": "line", "mark": line, "encoding": encoding | {"color": looks["color"]}}
    point = {"type": "point", "filled": True, "size": 55, "opacity": 1}
    yield shown | {"name": "value", "mark": point, "encoding": encoding | looks | {"tooltip": _TOOLTIP}}


def _scale(points: list[Spec]) -> Spec:
    values = _known(points)
    form = "~s" if values and max(values) >= 10000 and min(values) >= 1 else ".4~g"
    axis: dict[str, Any] = {"title": None, "tickCount": 4, "format": form}
    if not values:
        return {"scale": {"domain": [0, 1]}, "axis": None}
    if not _wide(points):
        return {"scale": {"zero": False, "nice": True, "padding": 10}, "axis": axis}
    # Vega's own logarithmic axes draw nine lines a decade and label few of them
    low, high = min(values) / 1.6, max(values) * 1.3
    ticks = {"values": log_ticks(low, high)}
    return {"scale": {"type": "log", "domain": [low, high], "nice": False}, "axis": axis | ticks}


def log_ticks(low: float, high: float) -> list[float]:
    """Return at most five round numbers between two positive ones: 1, 2, 5 a decade, or whole decades."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= 5:
            return inside
    return inside[:: -(-len(inside) // 5)]


def _known(points: list[Spec]) -> list[float]:
    return [point["value"] for point in points if point["value"] is not None]


def _wide(points: list[Spec]) -> bool:
    values = _known(points)
    return bool(values) and min(values) > 0 and max(values) / min(values) > WIDE


def _without_value() -> Iterator[Spec]:
    """Return the marks at the foot: a cross for a failed trial, a ring for a value that was not measured."""
    foot = {"x": _X, "y": {"value": HEIGHT - 9}, "tooltip": _TOOLTIP}
    cross = {"type": "point", "shape": CROSS, "size": 130, "stroke": FAILED, "strokeWidth": 2.2, "opacity": 1}
    failed = [{"filter": "datum.state === 'failed'"}]
    yield {"name": "failed", "transform": failed, "mark": cross, "encoding": foot}
    ring = {
        "type": "point",
        "shape": "circle",
        "size": 55,
        "stroke": NEUTRAL,
        "strokeWidth": 1.6,
        "opacity": 1,
    }
    empty = [{"filter": "datum.state === 'ended' && !isValid(datum.value)"}]
    yield {"name": "empty", "transform": empty, "mark": ring, "encoding": foot}


_X = {"field": "place", "type": "quantitative"}
_TOOLTIP = [{"field": field} for field in ("look", "block", "trial", "shown", "state", "cause")]


def _points(page: Page, row: Row, places: dict[int, float]) -> list[Spec]:
    over = {State.ENDED, State.FAILED}
    trials = [trial for trial in page.trials if _is_of(trial, row) and trial.state in over]
    return [_point(page, trial, row, places[trial.index]) for trial in trials]


def _is_of(trial: TrialPoint, row: Row) -> bool:
    """Tell whether a trial belongs to a row: of its workload, on its treatment or on what that is over."""
    return trial.workload == row.workload and trial.treatment in {row.against, row.treatment}


def _is_base(trial: TrialPoint, row: Row) -> bool:
    return trial.arm is Arm.BASELINE if row.against is None else trial.treatment == row.against


def _point(page: Page, trial: TrialPoint, row: Row, place: float) -> Spec:
    value = next((value.value for value in trial.metrics if value.metric == row.metric), None)
    again = f"{page.result.baseline} again" if trial.replicate else page.result.baseline
    return {
        "place": place,
        "value": value,
        "look": again if _is_base(trial, row) else page.result.treatment,
        "block": trial.block,
        "trial": trial.name,
        "shown": plain(f"{value_text(value)} {row.unit}"),
        "state": str(trial.state),
        "cause": plain(trial.cause or ""),
    }


def _places(trials: Sequence[TrialPoint]) -> dict[int, float]:
    """Return each trial's place on the axis: its block, and how far in the block's order it ran."""
    blocks: dict[int, list[int]] = defaultdict(list)
    for trial in sorted(trials, key=lambda trial: trial.index):
        blocks[trial.block].append(trial.index)
    return {
        index: block + (at + 0.5) / len(order)
        for block, order in blocks.items()
        for at, index in enumerate(order)
    }
