"""Has an activity measured enough? From its plan and its records alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from statistics import fmean

from assay.design.blocks import blocks_of, metrics_of, sessions_of, slowdowns, spans_of
from assay.design.remaining import given_up_of, is_given_up
from assay.design.stopping import Metered, Wanted, all_enough
from assay.design.sweep import views_of
from assay.model.activity import ActivityPlan
from assay.model.trial import Trial


class Ending(StrEnum):
    """Why an activity ended before its last block."""

    REACHED = "every metric has what was wanted"
    BUDGET = "the next block would end after the time budget"


def ending_of(plan: ActivityPlan, records: Sequence[Trial]) -> Ending | None:
    """Return why no further block is needed, or ``None`` where one is, or where a block is under way.

    Asked after each block in the order of the plan, the first answer ends the activity; since its records
    are then the same for good, so is the answer.
    """
    if not plan.goal.adaptive or not records or not _between_blocks(plan, records):
        return None
    if all_enough((metered for _, _, metered in metered_of(plan, records)), wanted_of(plan)):
        return Ending.REACHED
    budget = plan.goal.time_budget_s
    if (
        budget is not None
        and spent_s(records, gap_s=plan.goal.session_gap_s) + block_s(plan, records) > budget
    ):
        return Ending.BUDGET
    return None


def wanted_of(plan: ActivityPlan) -> Wanted:
    """Return what a plan asks of each metric."""
    return Wanted(plan.goal, plan.confidence, plan.margin)


def metered_of(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[tuple[str, str, Metered]]:
    """Yield workload, metric and blocks so far of all that was measured in at least one block.

    A metric that has no value on one arm (a clock that is not trusted, a 0) is left out: no number of
    blocks would give it one.
    """
    for view in views_of(plan, records):
        for workload, metric, metered in _metered(view.plan, view.records):
            which = f", {view.plan.treatment.label}" if plan.more else ""
            yield workload, f"{metric}{which}", metered


def _metered(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[tuple[str, str, Metered]]:
    for workload in plan.workloads:
        for metric in metrics_of(records, workload):
            blocks = [b for b in blocks_of(plan, records, workload, metric) if b.whole]
            known = plan.floor.of(workload.work, metric.name) if plan.floor else None
            if blocks:
                logs = slowdowns(blocks, metric.direction)
                sessions = len({block.session for block in blocks})
                yield workload.name, metric.name, Metered(logs, sessions, known.session if known else None)


def spent_s(records: Sequence[Trial], *, gap_s: float) -> float:
    """Return the time that the blocks so far took with everything between them, save that between sessions."""
    spans, sessions = list(spans_of(records).items()), sessions_of(records, gap_s=gap_s)
    within = sum(ended - begun for _, (begun, ended) in spans)
    between = (b[1][0] - a[1][1] for a, b in pairwise(spans) if sessions[a[0]] == sessions[b[0]])
    return within + sum(between)


def block_s(plan: ActivityPlan, records: Sequence[Trial]) -> float:
    """Return how long a block takes, by the blocks that are whole; 0 before the first."""
    spans = spans_of(records)
    whole = _whole_blocks(plan, records)
    times = [ended - begun for block, (begun, ended) in spans.items() if block in whole]
    gap_s = plan.goal.session_gap_s
    pauses = [b[0] - a[1] for a, b in pairwise(spans.values()) if 0 <= b[0] - a[1] < gap_s]
    return fmean(times) + (fmean(pauses) if pauses else 0.0) if times else 0.0


def _between_blocks(plan: ActivityPlan, records: Sequence[Trial]) -> bool:
    return {record.planned.block for record in records} == _whole_blocks(plan, records)


def _whole_blocks(plan: ActivityPlan, records: Sequence[Trial]) -> set[int]:
    """Return the blocks all of whose trials have a record; workloads that were given up do not count."""
    done = {record.planned.index: record.state for record in records}
    given_up = given_up_of(plan.trials, done)
    left: Mapping[int, int] = Counter(
        trial.block for trial in plan.trials if trial.index not in done and not is_given_up(trial, given_up)
    )
    return {record.planned.block for record in records if not left.get(record.planned.block)}
