"""What the files of workloads, and copies of the data, take of a disk."""

from __future__ import annotations

from assay.activities.plan.layout import part_of
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.platforms.data import LOCAL, access
from assay.workloads import disk_bytes


def files_bytes(plan: ActivityPlan, arm: PlannedArm) -> int:
    """Return what the largest workload writes on a disk of the arm; each of its guests runs its part."""
    parts = (part_of(workload, arm.parts) for workload in plan.workloads)
    return max((disk_bytes(part) or 0 for part in parts), default=0)


def copied_bytes(plan: ActivityPlan, arm: PlannedArm) -> int:
    """Return the bytes of the copy of the data that an arm gets for itself."""
    return plan.data.bytes if plan.data is not None and access(arm.data) == LOCAL else 0
