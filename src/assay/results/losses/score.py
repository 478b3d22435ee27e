"""A score as benchmark suites form it: the geometric mean over workloads, here of the treatment over the
baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from assay.design.site_floor import floor_known
from assay.model.activity import ActivityPlan
from assay.model.metric import Direction
from assay.model.work.accounting import own_metrics
from assay.model.work.workload import Workload
from assay.pages.context import Row
from assay.pages.score import Lack, Score
from assay.report.tables.score import NO_BLOCK, lack_text
from assay.results.losses.correction import by_block, loss_over
from assay.stats.replication.components import Floor


def scores(plan: ActivityPlan, rows: Sequence[Row], *, early: bool = False) -> Iterator[Score]:
    """Yield the score of a treatment, where the scene asks for one; without one workload's loss it is not
    measured.

    In each block the log slowdowns of all workloads, each by its first rate that rests on a clock, or time,
    are averaged; the interval is that of the blocks' means, as of any loss. A block in which one lacks is
    left out. The largest of the parts' A/A floors widens it, since the mean of parts that share their site's
    state scatters at most as much as the worst of them.

    Args:
        plan: What was planned, of one treatment.
        rows: Its estimates.
        early: Trials are left to run.
    """
    if not plan.goal.score or not plan.workloads:
        return
    by_name = {workload.name: _part(rows, workload) for workload in plan.workloads}
    parts = [row for row in by_name.values() if row is not None and row.loss is not None]
    names = tuple(_named(workload) for workload in plan.workloads)
    marks = tuple(f"{one.name}: {one.note}" for one in plan.workloads if not one.rule_met)
    if lacking := [lack for one in plan.workloads if (lack := _lack(one, by_name[one.name])) is not None]:
        yield Score(names, None, None, None, None, 0, reason=lack_text(lacking), marks=marks)
        return
    reported = [by_block(part) for part in parts]
    whole = [block for block in reported[0] if all(block in one for one in reported)]
    means = {block: fmean(one[block] for one in reported) for block in whole}
    estimate = loss_over(plan, parts[0], means, early=early, floor=_floor(plan, parts))
    yield Score(
        parts=names,
        score=None if estimate.loss is None else 1 - estimate.loss,
        loss=estimate.loss,
        low=estimate.low,
        high=estimate.high,
        blocks=estimate.blocks,
        reason=None if whole else NO_BLOCK,
        marks=marks,
    )


def _metric(workload: Workload) -> str | None:
    """Return the metric that stands for a workload: its first rate, else its first time."""
    timed = [metric for metric in own_metrics(workload.metrics) if metric.timed]
    rates = [metric for metric in timed if metric.direction is Direction.HIGHER]
    return next((metric.name for metric in rates or timed), None)


def _named(workload: Workload) -> str:
    return f"{workload.name} {_metric(workload) or ''}".rstrip()


def _part(rows: Sequence[Row], workload: Workload) -> Row | None:
    metric = _metric(workload)
    return next((row for row in rows if (row.workload, row.metric) == (workload.name, metric)), None)


def _lack(workload: Workload, row: Row | None) -> Lack | None:
    """Return why a workload has no part in the score; ``None`` where it has one."""
    if row is not None and row.loss is not None:
        return None
    return Lack(workload.name, _metric(workload), None if row is None else row.reason)


def _floor(plan: ActivityPlan, parts: Sequence[Row]) -> Floor | None:
    """Return the largest A/A floor that is known of the parts."""
    if plan.floor is None:
        return None
    works = {workload.name: workload.work for workload in plan.workloads}
    reported = [floor_known(plan.floor, works[part.workload], part.metric, part.workload) for part in parts]
    known = [floor for floor in reported if floor is not None]
    return max(known, key=lambda floor: floor.half(1, confidence=plan.confidence), default=None)
