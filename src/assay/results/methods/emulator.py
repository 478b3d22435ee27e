"""What QEMU took beside its vCPUs, and how well clocks agreed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.pages.method.place import ClocksSeen, EmulatorCost


def emulators_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[EmulatorCost, ...]:
    """Return what the QEMU process of each arm took beside its vCPUs, where that was counted."""
    arms = [arm for arm in plan.arms if arm.guest or arm.domain]
    costs = (
        EmulatorCost(
            arm.label,
            len(arms) > 1,
            _spent(plan, [record for record in records if plan.arm_of(record.planned) is arm]),
        )
        for arm in arms
    )
    return tuple(cost for cost in costs if cost.workloads)


def _spent(plan: ActivityPlan, ours: Sequence[Trial]) -> tuple[tuple[str, float], ...]:
    used = [(r.planned.workload, r.hypervisor_cpu.other_s) for r in ours if r.hypervisor_cpu and r.usage]
    spent = ((w.name, [other_s for name, other_s in used if name == w.name]) for w in plan.workloads)
    return tuple((name, fmean(seconds)) for name, seconds in spent if seconds)


def clocks_of(records: Sequence[Trial]) -> ClocksSeen | None:
    """Return how far the clocks of guests or containers were off at most; ``None`` where none was
    compared.
    """
    checks = [record.clock for record in records if record.clock]
    if not checks:
        return None
    return ClocksSeen(
        of_guests=any(record.platform for record in records),
        rate=max((check.rate for check in checks), key=lambda rate: abs(rate - 1)),
        offset_s=max((check.after.offset_s for check in checks), key=abs),
        uncertainty_s=max(check.after.uncertainty_s for check in checks),
    )
