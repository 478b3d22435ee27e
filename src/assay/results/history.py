"""What earlier activities tell a new one: the cost of a switch between the arms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from statistics import fmean, median

from assay.design.shape import SwitchCost
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.model.trial import Arm, Trial
from assay.model.work.workload import Workload
from assay.store.record import read_activity, read_trials
from assay.store.store import Store

LATEST, TRIALS = 20, 1000
"""So many of the newest activities of a scene are looked at, and so many of the first trials of one."""


def switch_cost(store: Store, *, scene: str, workloads: Sequence[Workload], boot_s: float) -> SwitchCost:
    """Return what visits cost, by the newest complete activity of the scene and its workloads, or a guess.

    Args:
        store: Where earlier activities are found.
        scene: Name of the scene.
        workloads: What will run.
        boot_s: Guess of the time that a switch takes, 0 where nothing is booted.
    """
    names = {workload.name for workload in workloads}
    for row in store.completed(scene, limit=LATEST):
        try:
            plan = read_activity(row.folder)
            if {workload.name for workload in plan.workloads} != names:
                continue
            cost = cost_of(plan, islice(read_trials(row.folder), TRIALS))
        except AssayError:  # a damaged folder has no say here, and says so when it is asked for
            continue
        if cost is not None:
            return cost
    return SwitchCost(sum(workload.seconds for workload in workloads), boot_s)


def cost_of(plan: ActivityPlan, records: Iterable[Trial]) -> SwitchCost | None:
    """Return what the visits of an activity cost; ``None`` where its arms never changed."""
    ordered = sorted(records, key=lambda record: record.planned.index)
    changes = [
        (b.started_ns - a.ended_ns) / 1e9
        for a, b in pairwise(ordered)
        if a.planned.arm is not b.planned.arm and b.planned.arm is Arm.TREATMENT
    ]
    pauses = [pause for pause in changes if 0 <= pause < plan.goal.session_gap_s]
    if not pauses:
        return None
    seconds = [
        fmean(_seconds(ordered, workload.name))
        for workload in plan.workloads
        if _seconds(ordered, workload.name)
    ]
    return SwitchCost(sum(seconds), median(pauses), measured=True)


def _seconds(records: Iterable[Trial], workload: str) -> list[float]:
    return [(r.ended_ns - r.started_ns) / 1e9 for r in records if r.planned.workload == workload]
