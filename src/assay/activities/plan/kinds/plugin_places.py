"""Places of plug-ins as arms, beside the machine that carries them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.activities.plan.arms import Arms
from assay.activities.plan.disk_use import copied_bytes, files_bytes
from assay.activities.plan.kinds.kind import Asked, OwnDisk
from assay.activities.plan.several_sizes import size_doubts
from assay.activities.visits.cpu_allocation import check_memory
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import MissingError
from assay.model.machines.machine import Limits
from assay.platforms.plugin_places import memory_of, why_not
from assay.workloads import Sizes


class PluginKind:
    """Places of a plug-in (``PlaceKind``)."""

    def arms(self, asked: Asked) -> Arms:
        """Return this machine, and places on it with as many processors and as much memory."""
        here, wanted_each = asked.here, asked.scene.plugin_places
        for wanted in wanted_each:
            if (why := why_not(wanted)) is not None:
                msg = f"cannot use platform '{wanted.kind}' on {asked.machine.name}: {why}"
                raise MissingError(msg)
        cores = asked.cores()
        sizes = [memory_of(wanted) for wanted in wanted_each]
        for size in filter(None, sizes):
            check_memory(here, size, f"a place of '{wanted_each[0].kind}'")
        least = min(filter(None, sizes), default=None)
        host = PlannedArm("host", asked.machine, Limits(cores.measured, least))
        treatments = [
            replace(
                host,
                label=", ".join([wanted.kind, *(f"{name} {level}" for name, level in wanted.levels)]),
                limits=Limits(cores.measured, size),
                plugin=wanted,
            )
            for wanted, size in zip(wanted_each, sizes, strict=True)
        ]
        first, *more = treatments
        doubts = tuple(size_doubts(treatments, host))
        work = Sizes(here.cache_bytes, least or here.memory_bytes, len(cores.measured))
        return Arms(host, first, work, doubts, tuple(more))

    def visit_bytes(self, plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
        """Return what its jobs write, and its copy of the data."""
        del home
        return files_bytes(plan, arm) + copied_bytes(plan, arm)

    def own_disk(self, arm: PlannedArm, home: Path) -> OwnDisk | None:
        """Return nothing: what it has for itself only its plug-in knows."""
        del arm, home
        return None
