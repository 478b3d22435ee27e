"""What the containers of a result were: as the kernel showed them after their start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from assay.model.activity import ActivityPlan
from assay.model.platforms.container import Runtime
from assay.model.trial import Trial
from assay.pages.method.place import Containers


def containers_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[Containers, ...]:
    """Return what the container of each arm was, and what it used beside its jobs."""
    arms = []
    for arm in plan.arms:
        ours = [record for record in records if record.container and plan.arm_of(record.planned) is arm]
        kinds = dict.fromkeys(replace(r.container, cpu_s=None, group=None) for r in ours if r.container)
        arms.append(Containers(arm.label, tuple(kinds), _cpu_s(ours)))
    return tuple(arms)


def _cpu_s(ours: Sequence[Trial]) -> tuple[float, float] | None:
    """Return what gVisor's or a kernel's own processes cost, beside what the job was told that it used."""
    known = [
        (r.container.cpu_s, r.usage.user_s + r.usage.system_s)
        for r in ours
        if r.container
        and r.container.runtime in {Runtime.RUNSC, Runtime.UML}
        and r.container.cpu_s
        and r.usage
    ]
    return (fmean(whole for whole, _ in known), fmean(reported for _, reported in known)) if known else None
