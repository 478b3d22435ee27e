"""Containers as arms, beside the machine that carries them or beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.plan.arms import Arms, again
from assay.activities.plan.disk_use import copied_bytes, files_bytes
from assay.activities.plan.kinds.kind import Asked, OwnDisk
from assay.activities.plan.several_sizes import size_doubts
from assay.activities.visits.contained import contained
from assay.activities.visits.cpu_allocation import Cores
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.machines.machine import Limits
from assay.model.platforms.container import CONTAINER, PlannedContainer, Runtime
from assay.model.platforms.layout import Layout, fitting_cores, label_of
from assay.model.units import format_bytes
from assay.model.work.page_cache import CacheState
from assay.workloads import Sizes


class ContainerKind:
    """Containers of ours (``PlaceKind``)."""

    def arms(self, asked: Asked) -> Arms:
        """Return this machine and containers on it, or containers alone; a kernel of one processor has one to
        match.
        """
        here, wanted_each = asked.here, asked.scene.containers
        alone = wanted_each[0].runtime is Runtime.UML
        cores = _fitting(asked.cores(1 if alone else None), wanted_each)
        memory = min(
            (wanted.memory_bytes for wanted in wanted_each if wanted.memory_bytes is not None), default=None
        )
        host = PlannedArm("host", asked.machine, Limits(cores.measured, memory if alone else None))
        treatments = [_preloaded(contained(host, wanted, here)) for wanted in wanted_each]
        wanted = asked.scene.baseline_container
        base = host if wanted is None else contained(host, wanted, here)
        sizes = Sizes(here.cache_bytes, memory or here.memory_bytes, len(cores.measured))
        doubts = tuple(size_doubts(treatments, base)) if alone else ()
        first, *more = _distinguished(_laid_out(treatments))
        return Arms(base, again(first) if base == first else first, sizes, doubts, tuple(more))

    def visit_bytes(self, plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
        """Return what its jobs write, and its copy of the data."""
        del home
        return files_bytes(plan, arm) + copied_bytes(plan, arm)

    def own_disk(self, arm: PlannedArm, home: Path) -> OwnDisk | None:
        """Return nothing: it writes on the disk of assay's state."""
        del arm, home
        return None


def _preloaded(arm: PlannedArm) -> PlannedArm:
    """Return an arm with the state of its files that its layout asks for."""
    return replace(arm, cache=CacheState.WARM) if arm.layout.preload else arm


def _fitting(cores: Cores, wanted_each: Sequence[PlannedContainer]) -> Cores:
    """Return as many processors as the containers of all layouts can share."""
    counts = sorted({wanted.layout.guests for wanted in wanted_each})
    most = fitting_cores(counts, len(cores.measured))
    return replace(cores, measured=cores.measured[:most])


def _laid_out(arms: Sequence[PlannedArm]) -> Sequence[PlannedArm]:
    """Return containers called by their layouts, where any is of several."""
    if all(arm.layout == Layout() for arm in arms):
        return arms
    labels = [label_of(arm.layout, len(arm.limits.cpus), of=CONTAINER) for arm in arms]
    return [replace(arm, label=f"{label}, {arm.label}") for arm, label in zip(arms, labels, strict=True)]


def _distinguished(every: Sequence[PlannedArm]) -> Sequence[PlannedArm]:
    """Return containers with the memory of user-mode Linux in their labels where only that tells
    them apart.
    """
    if len({arm.label for arm in every}) == len(every):
        return every
    return [
        replace(arm, label=f"{arm.label}, {format_bytes(arm.limits.memory_bytes or 0)} memory")
        for arm in every
    ]
