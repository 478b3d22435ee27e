"""Machines as arms: this one against itself or under limits, and another one beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.plan.arms import Arms, again
from assay.activities.plan.disk_use import files_bytes
from assay.activities.plan.kinds.kind import Asked, OwnDisk
from assay.activities.plan.kinds.several_machines import several_machines
from assay.activities.plan.limited import limited, limited_all
from assay.activities.plan.programs import needed_programs
from assay.activities.visits.cpu_allocation import machine_limits
from assay.activities.visits.settings import check_levels
from assay.activities.visits.visit import look_at
from assay.factors.base.evidence import Host
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import AssayError
from assay.model.machines.machine import Facts, Limits, Reach
from assay.model.platforms.data import own_scratch
from assay.scenes import OtherMachine
from assay.workloads import Sizes


class MachineKind:
    """A machine without a guest or a container of ours (``PlaceKind``)."""

    def arms(self, asked: Asked) -> Arms:
        """Return this machine twice, or this one and another."""
        other = asked.other
        if other.name != asked.machine.name:
            there = look_at(other, needed_programs(asked.scene), home=asked.home)
            arms = _two_machines(asked, there)
            return under_limits(arms, asked.scene.machines, asked.host)
        arms = _same_machine(asked)
        if asked.scene.several_machines:
            return several_machines(asked, arms)
        if limited(arms.treatment, asked.scene.machines[0]) == arms.treatment:
            return replace(arms, treatment=again(arms.treatment))
        return under_limits(arms, asked.scene.machines, asked.host)

    def visit_bytes(self, plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
        """Return what jobs write; nothing where that goes to a file system of its own."""
        del home
        return files_bytes(plan, arm) if own_scratch(arm.data) is None else 0

    def own_disk(self, arm: PlannedArm, home: Path) -> OwnDisk | None:
        """Return the file system that is made for its jobs."""
        del home
        level = own_scratch(arm.data)
        if level is None:
            return None
        return OwnDisk(f"scratch.filesystem={level}", None, "no scratch.filesystem", holds_data=False)


def under_limits(arms: Arms, wanted_each: Sequence[OtherMachine], host: Host) -> Arms:
    """Put the treatments under their factors; workloads are sized for the least memory that one
    is left with.
    """
    for wanted in wanted_each:
        if wanted.settings and arms.treatment.machine.reach is not Reach.LOCAL:
            msg = (
                f"cannot set {wanted.settings[0][0]} on {arms.treatment.machine.name}: only this "
                "machine's settings are changed"
            )
            raise AssayError(msg, hint="set it there by hand, or evaluate on that machine")
        check_levels(dict(wanted.settings), on=host)
    first, *more = limited_all(arms.treatment, wanted_each)
    memory = min(arm.limits.memory_bytes or arms.sizes.memory_bytes for arm in (first, *more))
    sizes = replace(arms.sizes, memory_bytes=min(memory, arms.sizes.memory_bytes))
    return replace(arms, treatment=first, sizes=sizes, more=tuple(more))


def _same_machine(asked: Asked) -> Arms:
    here, cpus = asked.here, asked.cores().measured
    arm = PlannedArm("host", asked.machine, Limits(cpus))
    return Arms(arm, arm, Sizes(here.cache_bytes, here.memory_bytes, len(cpus)))


def _two_machines(asked: Asked, there: Facts) -> Arms:
    here, other = asked.here, asked.other
    ours, theirs = machine_limits(here, there, asked.cores(), asked.cores(of=there))
    caches = [facts.cache_bytes for facts in (here, there) if facts.cache_bytes is not None]
    memory = min(here.memory_bytes, there.memory_bytes)
    sizes = Sizes(max(caches, default=None), memory, len(ours.cpus))
    return Arms(PlannedArm("host", asked.machine, ours), PlannedArm(other.name, other, theirs), sizes)
