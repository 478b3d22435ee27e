"""Has an activity measured enough? From its plan and its records alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from assay.design.blocks import blocks_of, metrics_of, slowdowns
from assay.design.pace import block_s, spent_s
from assay.design.remaining import given_up_of
from assay.design.stopping import Metered, Standing, Wanted, standing
from assay.model.activity import ActivityPlan
from assay.model.trial import Trial

NEVER_AFTER = 3
"""A metric without a value in so many whole blocks in a row is not waited for any more."""


class Ending(StrEnum):
    """Why an activity ended before its last block."""

    REACHED = "every metric has what was wanted"
    FLOOR = "no number of blocks would bring the rest what was wanted: the site's A/A floor is above it"
    BUDGET = "the next block would end after the time budget"
    NOTHING = "nothing was measured on both arms"


def ending_of(plan: ActivityPlan, records: Sequence[Trial]) -> Ending | None:
    """Return why no further block is needed, or ``None`` where one is, or where a block is under way.

    Asked after each block in the order of the plan, the first answer ends the activity; since its records
    are then the same for good, so is the answer.
    """
    if not plan.goal.adaptive or not records or not _between_blocks(plan, records):
        return None
    asked = {standing(metered, wanted_of(plan)) for metered in awaited(plan, records)}
    if asked and Standing.GO_ON not in asked:
        return Ending.FLOOR if Standing.FLOOR in asked else Ending.REACHED
    if not asked and len(_whole_blocks(plan, records)) >= plan.goal.minimum_blocks:
        return Ending.NOTHING
    budget = plan.goal.time_budget_s
    spent = spent_s(records, gap_s=plan.goal.session_gap_s)
    return Ending.BUDGET if budget is not None and spent + a_block_s(plan, records) > budget else None


def awaited(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Metered]:
    """Yield the metrics that further blocks can still tell more of.

    What was given up, or had no value in the last ``NEVER_AFTER`` whole blocks, is not waited for.
    """
    given_up = given_up_of((record.planned, record.state) for record in records)
    newest = sorted(_whole_blocks(plan, records))[-NEVER_AFTER:]
    for workload, _, metered in metered_of(plan, records):
        silent = len(newest) == NEVER_AFTER and not set(newest) & set(metered.blocks)
        if workload not in given_up and not silent:
            yield metered


def wanted_of(plan: ActivityPlan) -> Wanted:
    """Return what a plan asks of each metric."""
    return Wanted(plan.goal, plan.confidence, plan.margin)


def metered_of(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[tuple[str, str, Metered]]:
    """Yield workload, metric and blocks so far of all that was measured in at least one block.

    A metric that has no value on one arm (a clock that is not trusted, a 0) is left out: no number of
    blocks would give it one.
    """
    for workload in plan.workloads:
        for metric in metrics_of(records, workload):
            blocks = [b for b in blocks_of(plan, records, workload, metric) if b.whole]
            known = plan.floor.of(workload.work, metric.name) if plan.floor else None
            if blocks:
                logs = slowdowns(blocks, metric.direction)
                yield workload.name, metric.name, Metered.of(blocks, logs, known.session if known else None)


def a_block_s(plan: ActivityPlan, records: Sequence[Trial]) -> float:
    """Return how long a block of this activity takes, s; 0 before the first."""
    return block_s(records, _whole_blocks(plan, records), gap_s=plan.goal.session_gap_s)


def _between_blocks(plan: ActivityPlan, records: Sequence[Trial]) -> bool:
    return {record.planned.block for record in records} == _whole_blocks(plan, records)


def _whole_blocks(plan: ActivityPlan, records: Sequence[Trial]) -> set[int]:
    """Return the blocks all of whose trials have a record; workloads that were given up do not count."""
    done = {record.planned.index for record in records}
    given_up = given_up_of((record.planned, record.state) for record in records)
    left: Mapping[int, int] = Counter(
        trial.block for trial in plan.trials if trial.index not in done and trial.workload not in given_up
    )
    return {record.planned.block for record in records if not left.get(record.planned.block)}
