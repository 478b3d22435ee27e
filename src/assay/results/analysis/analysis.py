"""From the numbers of an analysis to its page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from assay.model.doubt import Raised
from assay.model.figures.estimate import Verdict
from assay.pages.analysis import AnalysisRow, Ratio, Scatter
from assay.pages.context import Aim, Interval
from assay.report.doubts import counted
from assay.results.doubts.ranked import ranked
from assay.results.families.shown_scan import shown_checks, shown_curve, shown_part, shown_sizes
from assay.stats.analysis.measured import MeasuredLoss
from assay.stats.centre import Centre
from assay.stats.replication.levels import Level, LevelLoss
from assay.stats.verdicts.verdict import matters_of, within_margin

LEVELS: dict[Level, Literal["block", "session", "machine"]] = {
    Level.BLOCK: "block",
    Level.SESSION: "session",
    Level.MACHINE: "machine",
}


def row_of(measured: MeasuredLoss) -> AnalysisRow:
    """Return the row of one treatment."""
    estimate, level, asked = measured.loss.estimate, measured.loss, measured.question
    mean = estimate.mean
    scan = measured.scan
    return AnalysisRow(
        metric=asked.kind,
        baseline=asked.baseline,
        treatment=asked.treatment,
        aim=_aim(measured),
        level=LEVELS[level.level],
        baseline_value=measured.pairing.typical[0],
        treatment_value=measured.pairing.typical[1],
        blocks=estimate.blocks,
        incomplete_blocks=measured.pairing.incomplete,
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
        matters=matters_of(estimate, asked.margin),
        method=estimate.method,
        components=_scatter(level),
        ratio_of_totals=_ratio(measured.totals),
        fixed_cost_s=shown_part(scan.fixed_cost_s) if scan else None,
        per_event_s=shown_part(scan.per_event_s) if scan else None,
        events_within_margin=scan.events_within_margin if scan else None,
        curve=shown_curve(scan) if scan else (),
        sizes=shown_sizes(scan) if scan else (),
        linearity=shown_checks(scan) if scan else (),
        doubts=ranked(map(counted, measured.doubts)),
    )


def with_doubts(row: AnalysisRow, doubts: Iterable[Raised]) -> AnalysisRow:
    """Return a row with further doubts, all in their order."""
    return replace(row, doubts=ranked((*row.doubts, *map(counted, doubts))))


def without_loss(row: AnalysisRow, reason: str) -> AnalysisRow:
    """Return a row whose arms are not compared: their values stay, and nothing is formed of both."""
    return replace(
        row,
        loss=None,
        low=None,
        high=None,
        slowdown=None,
        mean=None,
        tail_loss=False,
        verdict=Verdict.NOT_MEASURED,
        blocks_more=None,
        within_margin=False,
        matters=None,
        ratio_of_totals=None,
        fixed_cost_s=None,
        per_event_s=None,
        events_within_margin=None,
        curve=(),
        sizes=(),
        linearity=(),
        reason=reason,
    )


def _aim(measured: MeasuredLoss) -> Aim:
    """Declare what it is a loss of: the data say nothing of caches, nor of other work on the machine."""
    phase = "total" if measured.events is None else f"total({measured.events})"
    return Aim(measured.loss.scope, "as-is", phase, "as measured", str(measured.question.kind))


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
