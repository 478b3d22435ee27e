"""A score as benchmark suites form it: the geometric mean over workloads, here of the treatment over the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from assay.model.activity import ActivityPlan
from assay.model.metric import Direction
from assay.model.workload import Workload
from assay.report.context import Row
from assay.report.score import Score
from assay.results.correction import by_block
from assay.stats import paired_loss


def scores(plan: ActivityPlan, rows: Sequence[Row]) -> Iterator[Score]:
    """Yield the score of a treatment, where the scene asks for one and every workload has a complete block.

    In each block the log slowdowns of all workloads, each by its first rate that rests on a clock, or time, are averaged;
    the interval is that of the blocks' means, as of any loss. A block in which one lacks is left out.

    Args:
        plan: What was planned, of one treatment.
        rows: Its estimates.
    """
    parts = [_part(rows, workload) for workload in plan.workloads] if plan.goal.score else []
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return
    told = [by_block(part) for part in known]
    whole = [block for block in told[0] if all(block in one for one in told)]
    found = paired_loss([fmean(one[block] for one in told) for block in whole], confidence=plan.confidence)
    yield Score(
        parts=tuple(f"{part.workload} {part.metric}" for part in known),
        score=None if found.loss is None else 1 - found.loss,
        loss=found.loss,
        low=found.low,
        high=found.high,
        blocks=found.blocks,
    )


def _part(rows: Sequence[Row], workload: Workload) -> Row | None:
    """Return the row that stands for a workload: its first rate, else its first time; ``None`` where not measured."""
    timed = [metric for metric in workload.metrics if metric.timed]
    rates = [metric for metric in timed if metric.direction is Direction.HIGHER]
    names = [metric.name for metric in rates or timed][:1]
    return next(
        (row for row in rows if row.workload == workload.name and row.metric in names and row.blocks), None
    )
