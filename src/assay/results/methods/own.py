"""How the figures of a user's own programs were read, and when these had succeeded."""

from __future__ import annotations

from assay.model.activity import ActivityPlan
from assay.model.work.workload import Workload
from assay.pages.method.work import OwnFigures


def own_of(plan: ActivityPlan) -> tuple[OwnFigures, ...]:
    """Return each program that says figures of its own or has a success of its own, once a family."""
    families: dict[str, Workload] = {}
    for workload in plan.workloads:
        families.setdefault(workload.family or workload.name, workload)
    return tuple(
        OwnFigures(name, first.readings, first.reader, first.success)
        for name, first in families.items()
        if first.readings or first.success is not None
    )
