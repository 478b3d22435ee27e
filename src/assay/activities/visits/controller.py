"""Where this process runs while trials run: on processors that none of them has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from assay.factors.cpu.pin_sets import cpus_of_others
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.machines.machine import Reach


def confine_controller(cpus: Iterable[int]) -> None:
    """Keep every thread of this process on these processors; threads and children to come follow."""
    wanted = set(cpus)
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setaffinity(int(thread.name), wanted)


def controller_cpus(plan: ActivityPlan) -> tuple[int, ...]:
    """Return this machine's processors that no trial runs on, or all of them where none is left.

    Processors that QEMU's other threads are pinned to are spared as long as others are left.
    """
    measured = {cpu for arm in plan.arms for cpu in _here(arm)}
    here = os.sched_getaffinity(0) | _here(plan.baseline)
    free = here - measured
    return tuple(sorted(free - _pinned(plan) or free or here))


def _here(arm: PlannedArm) -> set[int]:
    """Return this machine's processors that an arm has."""
    return set(arm.limits.cpus) if arm.machine.reach is Reach.LOCAL else set()


def _pinned(plan: ActivityPlan) -> set[int]:
    """Return the processors that levels of any guest give to QEMU's threads beside the vCPUs'."""
    arms = [arm for arm in plan.arms if arm.machine.reach is Reach.LOCAL]
    return {cpu for arm in arms for cpu in cpus_of_others(dict(arm.guest_settings))}
