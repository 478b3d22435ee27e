"""From the numbers of an analysis to its page."""

from __future__ import annotations

import math
from typing import Literal

from assay.explain.sanity import with_next
from assay.model.doubt import Doubt
from assay.report.analysis import AnalysisRow, Ratio, Scatter
from assay.report.context import Aim, DoubtCount, Interval
from assay.results.shown_scan import shown_checks, shown_curve, shown_part, shown_sizes
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
        fixed_cost_s=shown_part(scan.fixed_cost_s) if scan else None,
        per_event_s=shown_part(scan.per_event_s) if scan else None,
        events_within_margin=scan.events_within_margin if scan else None,
        curve=shown_curve(scan) if scan else (),
        sizes=shown_sizes(scan) if scan else (),
        linearity=shown_checks(scan) if scan else (),
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


def _doubt(doubt: Doubt) -> DoubtCount:
    told = with_next(doubt)
    return DoubtCount(told.code, told.sentence, 1, told.next)
