"""More blocks for a finished activity: its plan with them, and what it said before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.design.plan import plan_trials
from assay.model.activity import ActivityPlan, visits_of
from assay.model.extension import Extension, Former
from assay.model.machines.floor import SiteFloor
from assay.model.trial import PlannedTrial, Trial


def extended(
    plan: ActivityPlan, records: Sequence[Trial], extension: Extension, *, floor: SiteFloor | None = None
) -> ActivityPlan:
    """Return a finished activity's plan with further blocks behind those that ran; its trials so far stay as
    they are.

    Their number is fixed: neither the goal nor the time budget ends them.

    Args:
        plan: The plan, as it is in force.
        records: All of its records.
        extension: How many blocks more, and what was found before; ``after`` and ``former`` are set here.
        floor: The A/A history as it is known now; that of the plan where ``None``.
    """
    after = 1 + max(record.planned.block for record in records)
    kept = tuple(trial for trial in plan.trials if trial.block < after)
    former = Former(plan.blocks, plan.goal.adaptive, plan.floor, plan.ended)
    return replace(
        plan,
        blocks=after + extension.blocks,
        trials=(*kept, *_added(plan, after, extension.blocks, len(kept))),
        goal=replace(plan.goal, adaptive=False),
        floor=floor or plan.floor,
        ended=None,
        extended=(*plan.extended, replace(extension, after=after, former=former)),
    )


def _added(plan: ActivityPlan, after: int, blocks: int, index: int) -> tuple[PlannedTrial, ...]:
    """Return the trials of further blocks, numbered on."""
    added = plan_trials(
        [workload.name for workload in plan.workloads],
        blocks=blocks,
        seed=plan.seed + after,
        shape=plan.goal.shape,
        runs=plan.goal.runs,
        visits=visits_of(plan.treatments),
    )
    return tuple(replace(one, index=index + one.index, block=after + one.block) for one in added)


def is_begun(plan: ActivityPlan, records: Sequence[Trial]) -> bool:
    """Tell whether a trial of the last extension has a record; without an extension all there is
    has begun.
    """
    return not plan.extended or any(r.planned.block >= plan.extended[-1].after for r in records)


def in_force(plan: ActivityPlan, records: Sequence[Trial]) -> ActivityPlan:
    """Return the plan by which records are judged: that of before the last extension while none of that is
    measured.

    Blocks that are only planned have shown nothing to anybody: until then verdicts and state are those of
    before.

    Args:
        plan: The plan as it is kept, with all blocks that are to run.
        records: All records so far.
    """
    if is_begun(plan, records):
        return plan
    last = plan.extended[-1]
    former = last.former or Former(last.after, adaptive=False, floor=plan.floor, ended=None)
    return replace(
        plan,
        blocks=former.blocks,
        trials=tuple(trial for trial in plan.trials if trial.block < last.after),
        goal=replace(plan.goal, adaptive=former.adaptive),
        floor=former.floor,
        ended=former.ended,
        extended=plan.extended[:-1],
    )
