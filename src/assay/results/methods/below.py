"""What lies below the machines of a result: hypervisors that they recognised from inside."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.pages.method.place import Below


def below_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[Below, ...]:
    """Return which hypervisor each arm's machine runs on, where one is seen."""
    first: dict[str, str] = {}
    for record in records:
        if record.below is not None:
            first.setdefault(plan.arm_of(record.planned).label, record.below)
    return tuple(Below(label, hypervisor) for label, hypervisor in first.items())
