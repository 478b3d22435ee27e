"""Places of plug-ins as arms, beside the baseline's machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.activities.plan.arms import Arms
from assay.activities.plan.disk_use import copied_bytes, files_bytes
from assay.activities.plan.kinds.kind import Asked, OwnDisk
from assay.activities.plan.several_sizes import least_limits, size_doubts
from assay.activities.visits.cpu_allocation import check_memory
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import MissingError
from assay.model.machines.machine import Limits
from assay.model.platforms.plugin_place import PluginPlace
from assay.platforms.plugin_places import cpus_of, memory_of, why_not
from assay.workloads import Sizes


class PluginKind:
    """Places of a plug-in (``PlaceKind``)."""

    def arms(self, asked: Asked) -> Arms:
        """Return the baseline's machine, and places with as many processors and as much memory.

        Where places are of several sizes, the machine has as much as the smallest.
        """
        here, wanted_each = asked.here, asked.scene.plugin_places
        for wanted in wanted_each:
            if (why := why_not(wanted)) is not None:
                msg = f"cannot use platform '{wanted.kind}' on {asked.machine.name}: {why}"
                raise MissingError(msg)
        cores = [_processors(asked, wanted) for wanted in wanted_each]
        sizes = [memory_of(wanted) for wanted in wanted_each]
        for size in filter(None, sizes):
            check_memory(here, size, f"a place of '{wanted_each[0].kind}'")
        host = PlannedArm("host", asked.machine, Limits(cores[0]))
        treatments = [
            replace(
                host,
                label=", ".join([wanted.kind, *(f"{name} {level}" for name, level in wanted.levels)]),
                limits=Limits(cpus, size),
                plugin=wanted,
            )
            for wanted, cpus, size in zip(wanted_each, cores, sizes, strict=True)
        ]
        least = least_limits(treatments)
        host = replace(host, limits=least)
        first, *more = treatments
        doubts = tuple(size_doubts(treatments, host))
        work = Sizes(here.cache_bytes, least.memory_bytes or here.memory_bytes, len(least.cpus))
        return Arms(host, first, work, doubts, tuple(more))

    def visit_bytes(self, plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
        """Return what its jobs write, and its copy of the data."""
        del home
        return files_bytes(plan, arm) + copied_bytes(plan, arm)

    def own_disk(self, arm: PlannedArm, home: Path) -> OwnDisk | None:
        """Return nothing: what it has for itself only its plug-in knows."""
        del arm, home
        return None


def _processors(asked: Asked, wanted: PluginPlace) -> tuple[int, ...]:
    """Return the processors of the baseline's machine to which a place corresponds.

    Raises:
        MissingError: It has more than may be measured on.
    """
    free, count = asked.cores().measured, cpus_of(wanted)
    if count is not None and count > len(free):
        has = f"a place of '{wanted.kind}' that has {count} processors"
        msg = f"cannot compare {asked.machine.name} with {has}: it leaves {len(free)} to measure on"
        hint = "fewer of them, or more of the machine's: processors: all"
        raise MissingError(msg, hint=hint)
    return free[:count]
