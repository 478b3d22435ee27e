"""Has an activity measured enough? From its plan and its records alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from assay.design.barred import barred
from assay.design.blocks import (
    Block,
    blocks_of,
    lasted_s,
    metrics_of,
    slowdowns,
    spans_of,
    times_of,
    whole_of,
)
from assay.design.remaining import given_up_of, is_given_up
from assay.design.remembered import remembered
from assay.design.site_floor import floor_known
from assay.design.stopping import Metered, Standing, Wanted, standings
from assay.design.sweep import views_of
from assay.model.activity import ActivityPlan
from assay.model.extension import Ending
from assay.model.figures.estimate import Looks
from assay.model.goal import Headline
from assay.model.metric import Metric
from assay.model.trial import Trial
from assay.model.work.workload import Workload
from assay.stats.replication.resolution import resolution_of

ENDINGS = {
    Ending.REACHED: "every metric has what was wanted",
    Ending.NEVER: "further blocks would not bring what is still wanted",
    Ending.BUDGET: "the next block would end after the time budget",
    Ending.EARLIER: "it had what was wanted by the rule of that time",
}
"""Why an activity needs no further block, in words."""


def ending_of(plan: ActivityPlan, records: Sequence[Trial]) -> Ending | None:
    """Return why no further block is needed, or ``None`` where one is, or where a block is under way.

    Asked after each block in the order of the plan, of many blocks less often, the first answer ends the
    activity. It is written into the plan: of the same records it stays the answer, whatever later rules
    would say.
    """
    if not plan.goal.adaptive or not records or not _between_blocks(plan, records):
        return None
    if plan.ended is not None and plan.ended.blocks == len(spans_of(records)):
        return plan.ended.why
    if (ending := _by_goal(plan, records)) is not None:
        return ending
    budget = plan.goal.time_budget_s
    if (
        budget is not None
        and spent_s(records, gap_s=plan.goal.session_gap_s) + block_s(plan, records) > budget
    ):
        return Ending.BUDGET
    return None


def _by_goal(plan: ActivityPlan, records: Sequence[Trial]) -> Ending | None:
    """Return the ending where nothing is left to be wanted: each metric has reached its goal, or
    never will.
    """
    wanted = wanted_of(plan)
    states = {one for metrics in comparisons_of(plan, records) for one in standings(metrics, wanted)}
    if not states:
        return Ending.NEVER if _all_barred(plan, records) else None
    if Standing.GO_ON in states:
        return None
    return Ending.REACHED if states == {Standing.REACHED} else Ending.NEVER


def _all_barred(plan: ActivityPlan, records: Sequence[Trial]) -> bool:
    """Tell whether enough blocks were measured, and whatever was measured bears no loss."""
    rows = [row for view in views_of(plan, records) for row in _rows(view.plan, view.records)]
    enough = any(len(row.metered.slowdowns) >= plan.goal.minimum_blocks for row in rows)
    return enough and all(row.barred for row in rows)


def wanted_of(plan: ActivityPlan, *, early: bool = False) -> Wanted:
    """Return what a plan asks of each metric.

    Args:
        plan: The plan.
        early: Trials are left to run: a look that was not declared.
    """
    every = early or bool(plan.extended) or (plan.goal.adaptive and plan.goal.precision is None)
    return _wanted(plan, every=every)


@remembered
def _wanted(plan: ActivityPlan, *, every: bool) -> Wanted:
    return Wanted(plan.goal, plan.confidence, plan.margin, Looks.EVERY if every else Looks.ONCE)


@remembered
def comparisons_of(plan: ActivityPlan, records: Sequence[Trial]) -> list[list[Metered]]:
    """Return the metrics of each treatment, which are judged together: those of ``metered_of``."""
    views = ((view.plan, view.records) for view in views_of(plan, records))
    return [[row.metered for row in _compared(*view)] for view in views]


def judged_rows(plan: ActivityPlan, records: Sequence[Trial]) -> int:
    """Return how many metrics of a treatment are judged together, one at least: those with two blocks or
    more.
    """
    counts = (sum(len(row.slowdowns) > 1 for row in rows) for rows in comparisons_of(plan, records))
    return max(1, *counts)


def metered_of(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[tuple[str, str, Metered]]:
    """Yield workload, metric and blocks so far of all that was measured in at least one block, as
    ``comparisons_of``.

    A metric that has no value on one arm (a clock that is not trusted, a 0), or bears no loss (``barred``),
    is left
    out: no number of blocks would give it one.
    """
    for view in views_of(plan, records):
        for row in _compared(view.plan, view.records):
            which = f", {view.plan.treatment.label}" if plan.more else ""
            yield row.workload, f"{row.metric}{which}", row.metered


@dataclass(frozen=True)
class _Row:
    """What was measured of one metric in at least one block, and why it bears no loss."""

    workload: str
    metric: str
    metered: Metered
    barred: str | None


def _compared(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[_Row]:
    return (row for row in _rows(plan, records) if row.barred is None)


@remembered
def _rows(plan: ActivityPlan, records: Sequence[Trial]) -> list[_Row]:
    return list(_all_rows(plan, records))


def _all_rows(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[_Row]:
    for workload in plan.workloads:
        for metric in metrics_of(records, workload):
            blocks = blocks_of(plan, records, workload, metric)
            if any(block.whole for block in blocks):
                so_far = metered(plan, workload, metric, blocks)
                yield _Row(workload.name, metric.name, so_far, barred(records, workload, metric))


@remembered
def metered(plan: ActivityPlan, workload: Workload, metric: Metric, blocks: Sequence[Block]) -> Metered:
    """Return one metric's blocks with what the site knows of it; blocks that are not whole are left out."""
    whole = [block for block in blocks if block.whole]
    labels = tuple(block.session for block in whole)
    floor = floor_known(plan.floor, workload.work, metric.name, workload.name)
    seen = resolution_of(
        [value for block in whole for value in block.baseline],
        [value for block in whole for value in block.treated or (block.treatment,) if value is not None],
    )
    so_far = Metered(
        slowdowns(whole, metric.direction), max(1, len(set(labels))), labels=labels, resolution=seen
    )
    if plan.goal.headline is Headline.TOTAL:
        so_far = replace(so_far, times=times_of(whole, metric.direction))
    return so_far if floor is None else replace(so_far, sigma=floor.sigma, freedom=floor.freedom)


def spent_s(records: Sequence[Trial], *, gap_s: float) -> float:
    """Return the time that the trials so far took with everything between them, save that between
    sessions.
    """
    return lasted_s(records, gap_s=gap_s)


def block_s(plan: ActivityPlan, records: Sequence[Trial]) -> float:
    """Return how long a block takes, by the blocks that are whole; 0 before the first."""
    spans = spans_of(records)
    whole = _whole_blocks(plan, records)
    gap_s = plan.goal.session_gap_s
    by_block: dict[int, list[Trial]] = {}
    for record in whole_of(records):
        by_block.setdefault(record.planned.block, []).append(record)
    times = [lasted_s(held, gap_s=gap_s) for block, held in by_block.items() if block in whole]
    pauses = [b[0] - a[1] for a, b in pairwise(spans.values()) if 0 <= b[0] - a[1] < gap_s]
    return fmean(times) + (fmean(pauses) if pauses else 0.0) if times else 0.0


def _between_blocks(plan: ActivityPlan, records: Sequence[Trial]) -> bool:
    return {record.planned.block for record in records} == _whole_blocks(plan, records)


def _whole_blocks(plan: ActivityPlan, records: Sequence[Trial]) -> set[int]:
    """Return the blocks all of whose trials have a record; workloads that were given up do not count."""
    done = {record.planned.index: record.state for record in records}
    given_up = given_up_of(plan.trials, done, plan.over)
    left: Mapping[int, int] = Counter(
        trial.block for trial in plan.trials if trial.index not in done and not is_given_up(trial, given_up)
    )
    return {record.planned.block for record in records if not left.get(record.planned.block)}
