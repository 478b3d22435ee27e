"""Where an activity stands, from its plan and its records alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.design.ending import ending_of
from assay.design.extension import in_force
from assay.design.remaining import remaining_trials
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.trial import Arm, State, Trial


def activity_state(plan: ActivityPlan, records: Sequence[Trial]) -> ActivityState:
    """Return ``COMPLETE`` only if every trial that was needed has all of its figures.

    ``INTERRUPTED``: trials are left to run. ``FAILED``: no metric has values on both arms of any block.
    ``PARTIAL``: anything between.

    Args:
        plan: What was planned; where its goal is reached earlier, its last blocks are not needed. An
            extension counts from its first record on.
        records: All records so far, in any order.
    """
    plan = in_force(plan, records)
    ended = ending_of(plan, records) is not None
    outcomes = {record.planned.index: record.state for record in records}
    left = remaining_trials(plan.trials, outcomes, plan.over)
    if left and not ended:
        return ActivityState.INTERRUPTED
    if (ended or len(records) == len(plan.trials)) and all(_whole(record) for record in records):
        return ActivityState.COMPLETE
    baseline, treatment = (_measured(records, arm) for arm in (Arm.BASELINE, Arm.TREATMENT))
    return ActivityState.PARTIAL if baseline & treatment else ActivityState.FAILED


def _whole(record: Trial) -> bool:
    return record.state is State.ENDED and all(m.value is not None for m in record.measurements)


def _measured(records: Iterable[Trial], arm: Arm) -> set[tuple[int, str, str]]:
    """Return block, workload and metric of each figure of an arm."""
    return {
        (record.planned.block, record.planned.workload, m.metric.name)
        for record in records
        if record.planned.arm is arm
        for m in record.measurements
        if m.value is not None
    }


def state_of(lanes: Iterable[ActivityState | None]) -> ActivityState:
    """Return where an activity on several machines stands.

    Args:
        lanes: Where each lane stands; ``None`` was taken out, or could not be planned.
    """
    states = {*lanes}
    if states & {ActivityState.INTERRUPTED, ActivityState.RUNNING}:
        return ActivityState.INTERRUPTED
    if states == {ActivityState.COMPLETE}:
        return ActivityState.COMPLETE
    measured = states & {ActivityState.COMPLETE, ActivityState.PARTIAL}
    return ActivityState.PARTIAL if measured else ActivityState.FAILED
