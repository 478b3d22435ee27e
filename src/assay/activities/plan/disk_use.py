"""What the files of workloads, and copies of the data, take of a disk."""

from __future__ import annotations

from collections.abc import Iterator

from assay.activities.plan.layout import part_of
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.platforms.data import LOCAL, access, scratch_access
from assay.model.work.workload import Workload
from assay.workloads import disk_bytes, prepared_bytes


def made_bytes(plan: ActivityPlan, arm: PlannedArm) -> int:
    """Return what is made for the workloads on a disk of the arm: it stays there for all their trials.

    Of workloads whose making begins with the same command, and whose trials share the files, only the largest
    counts: what they have in common is made once.
    """
    made: dict[object, int] = {}
    for part in _parts(plan, arm):
        begun = (part.prepare[:1] if part.keeps_inputs else part.prepare, part.inputs)
        made[begun] = max(made.get(begun, 0), prepared_bytes(part))
    return sum(made.values())


def files_bytes(plan: ActivityPlan, arm: PlannedArm) -> int:
    """Return what is made for the workloads on a disk of the arm, with what the largest writes beside it."""
    return made_bytes(plan, arm) + written_bytes(plan, arm)


def written_bytes(plan: ActivityPlan, arm: PlannedArm) -> int:
    """Return what the largest workload writes beside what is made for it."""
    written = ((disk_bytes(part) or 0) - prepared_bytes(part) for part in _parts(plan, arm))
    return max(written, default=0)


def writes_elsewhere(arm: PlannedArm) -> bool:
    """Tell whether an arm's jobs write by a server, to the disk of assay's state on this machine."""
    return scratch_access(arm.data) != LOCAL


def _parts(plan: ActivityPlan, arm: PlannedArm) -> Iterator[Workload]:
    """Yield what each of an arm's guests runs of each workload."""
    return (part_of(workload, arm.parts) for workload in plan.workloads)


def copied_bytes(plan: ActivityPlan, arm: PlannedArm) -> int:
    """Return the bytes of the copy of the data that an arm gets for itself."""
    return plan.data.bytes if plan.data is not None and access(arm.data) == LOCAL else 0
