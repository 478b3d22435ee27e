"""From the numbers of an analysis to its page."""

from __future__ import annotations

import math
from typing import Literal

from assay.model.doubt import Doubt
from assay.model.scan import Linearity, Part, Scan, Value
from assay.report.analysis import (
    AnalysisRow,
    CostPart,
    EventLoss,
    LineCheck,
    Quantity,
    Ratio,
    Scatter,
    SizeLoss,
)
from assay.report.context import Aim, DoubtCount, Interval
from assay.stats.blocks import geometric_mean
from assay.stats.centre import Centre
from assay.stats.levels import Level, LevelLoss
from assay.stats.measured import MeasuredLoss
from assay.stats.verdict import within_margin

LEVELS: dict[Level, Literal["block", "session", "machine"]] = {
    Level.BLOCK: "block",
    Level.SESSION: "session",
    Level.MACHINE: "machine",
}


def row_of(found: MeasuredLoss) -> AnalysisRow:
    """Return the row of one treatment."""
    estimate, level, asked = found.loss.estimate, found.loss, found.question
    mean = estimate.mean
    scan = found.scan
    return AnalysisRow(
        metric=asked.kind,
        baseline=asked.baseline,
        treatment=asked.treatment,
        aim=_aim(found),
        level=LEVELS[level.level],
        baseline_value=geometric_mean(found.pairing.baseline) if found.pairing.baseline else None,
        treatment_value=geometric_mean(found.pairing.treatment) if found.pairing.treatment else None,
        blocks=estimate.blocks,
        incomplete_blocks=found.pairing.incomplete,
        sessions=level.sessions,
        machines=level.machines,
        loss=estimate.loss,
        low=estimate.low,
        high=estimate.high,
        confidence=estimate.confidence,
        slowdown=estimate.slowdown,
        mean=Interval(mean.loss, mean.low, mean.high, estimate.blocks) if mean else None,
        tail_loss=any(doubt.code == "tail-loss" for doubt in estimate.doubts),
        verdict=estimate.verdict,
        blocks_more=estimate.blocks_more,
        hours_more=None,
        within_margin=within_margin(estimate, asked.margin),
        method=estimate.method,
        components=_scatter(level),
        ratio_of_totals=_ratio(found.totals),
        fixed_cost_s=_part(scan.fixed_cost_s) if scan else None,
        per_event_s=_part(scan.per_event_s) if scan else None,
        events_within_margin=scan.events_within_margin if scan else None,
        curve=_curve(scan) if scan else (),
        sizes=_sizes(scan) if scan else (),
        linearity=tuple(_check(check) for check in scan.linearity) if scan else (),
        doubts=tuple(_doubt(doubt) for doubt in found.doubts),
    )


def _aim(found: MeasuredLoss) -> Aim:
    """Declare what it is a loss of: the data say nothing of caches, nor of other work on the machine."""
    phase = "total" if found.events is None else f"total({found.events})"
    return Aim(found.loss.scope, "as-is", phase, "as measured", str(found.question.kind))


def _scatter(level: LevelLoss) -> Scatter:
    parts = level.components
    group: Literal["session", "machine"] = "machine" if level.machines > 1 else "session"
    return Scatter(group, parts.sessions, parts.session, parts.block, parts.chance)


def _ratio(totals: Centre | None) -> Ratio | None:
    if totals is None:
        return None
    return Ratio(totals.value, _finite(totals.low), _finite(totals.high))


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _part(part: Part | None) -> CostPart | None:
    """Return a part of the cost; there is none where rounding left no line to times that lie too far apart."""
    if part is None or not (math.isfinite(part.baseline.value) and math.isfinite(part.treatment.value)):
        return None
    arms = _quantity(part.baseline), _quantity(part.treatment)
    return CostPart(*arms, part.loss, part.loss_low, part.loss_high)


def _quantity(value: Value) -> Quantity:
    return Quantity(value.value, value.low, value.high)


def _curve(scan: Scan) -> tuple[EventLoss, ...]:
    return tuple(EventLoss(events, loss.loss, loss.low, loss.high) for events, loss in scan.curve)


def _sizes(scan: Scan) -> tuple[SizeLoss, ...]:
    return tuple(
        SizeLoss(s.events, s.blocks, s.baseline_s, s.treatment_s, s.loss.loss, s.loss.low, s.loss.high)
        for s in scan.sizes
    )


def _check(check: Linearity) -> LineCheck:
    kink = check.kink
    place = (None,) * 5 if kink is None else (
        kink.events, kink.above, kink.below, kink.slope_before, kink.slope_after,
    )  # fmt: skip
    return LineCheck(check.arm, check.sizes, check.straight, check.chance, *place)


def _doubt(doubt: Doubt) -> DoubtCount:
    return DoubtCount(doubt.code, doubt.sentence, 1, doubt.next)
