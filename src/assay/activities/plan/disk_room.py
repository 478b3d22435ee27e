"""What a plan puts on the disk of assay's state at least; one that cannot fit is refused before anything
runs.

Limits: not counted are what a user's program writes, an image that is built first or copied for a guest's
    disk (both have checks of their own), the states that restored guests come from, and the disks of other
    machines. Of inputs that workloads of the chain make of different events, only the largest count.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from assay.activities.data.scratch import scratch_levels, scratch_room
from assay.activities.plan.disk_use import copied_bytes, made_bytes, writes_elsewhere
from assay.activities.plan.kept_inputs import input_bytes
from assay.activities.plan.kinds.kind import OwnDisk
from assay.activities.plan.kinds.table import kind_of
from assay.activities.plan.layout import part_of
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import MissingError
from assay.model.machines.machine import Reach
from assay.model.platforms.data import access, own_filesystem
from assay.model.units import BYTES, format_bytes
from assay.model.work.workload import Workload
from assay.platforms.filesystems.data_disks import layout_bytes
from assay.platforms.filesystems.scratch_disk import scratch_bytes
from assay.workloads import disk_bytes, prepared_bytes

ALLOWANCE_BYTES = BYTES["GiB"]
"""Records, programs that are brought, small files, tables of file systems."""


@dataclass(frozen=True)
class DiskRoom:
    """What has to be free at least.

    Attributes:
        parts: What takes it, and how many bytes.
    """

    parts: tuple[tuple[str, int], ...]

    @property
    def bytes(self) -> int:
        """Return the bytes of all parts together."""
        return sum(count for _, count in self.parts)


def disk_room(plan: ActivityPlan, home: Path) -> DiskRoom:
    """Return what a plan needs on the disk of assay's state: of the visits, which follow each other, the
    largest, beside what is made on the machine for all trials.
    """
    arms = plan.arms
    here = [arm for arm in arms if arm.on_machine and _on_state_disk(arm, home)]
    made = max((made_bytes(plan, arm) for arm in here), default=0)
    visit, arm = max(((_visit_bytes(plan, arm, home, made), arm) for arm in arms), key=lambda use: use[0])
    parts = (
        ("records and small files", ALLOWANCE_BYTES),
        ("the copies of the inputs (inputs)", input_bytes(plan)),
        ("the data (data: size)", _laid_bytes(plan, arms)),
        (
            "scratch.filesystem (fewer levels, copies, events)",
            scratch_bytes(scratch_levels(plan), scratch_room(plan)),
        ),
        ("what is made for the workloads (size, events)", made),
        (f"what is written on {arm.label} (size, copies, guests)", visit),
    )
    return DiskRoom(parts)


def check_disk(plan: ActivityPlan, home: Path) -> None:
    """Refuse a plan that cannot fit, on a guest's disk, on a file system of its own, or on that of assay's
    state.

    Raises:
        MissingError: It cannot; both figures are in the message.
    """
    for arm in plan.arms:
        if (disk := kind_of(arm).own_disk(arm, home)) is not None:
            for workload in plan.workloads:
                _check_fits(plan, arm, workload, disk)
    room = disk_room(plan, home)
    largest = max(room.parts, key=lambda part: part[1])[0]
    require_free(home, room.bytes, "at least ", f"most of it is {largest}: make it less; or ")


def require_free(home: Path, needed: int, words: str = "", change: str = "") -> None:
    """Refuse a home with less than so many bytes free.

    Args:
        home: Folder of all state; it or one above it is there.
        needed: Bytes.
        words: Said before them.
        change: Said before the rest of the hint.

    Raises:
        MissingError: It has less.
    """
    free = shutil.disk_usage(next(place for place in (home, *home.absolute().parents) if place.exists())).free
    if free < needed:
        msg = f"cannot start: {home} has {format_bytes(free)} free, {words}{format_bytes(needed)} are needed"
        raise MissingError(msg, hint=f"{change}free some space, or set ASSAY_HOME to a larger file system")


def _laid_bytes(plan: ActivityPlan, arms: tuple[PlannedArm, ...]) -> int:
    """Return what the data take on this machine: their files, and each layout's copy of them."""
    if plan.data is None or all(access(arm.data) == "cvmfs" for arm in arms):
        return 0
    levels = {own_filesystem(arm.data) for arm in arms} - {None}
    return plan.data.bytes + sum(layout_bytes(str(level), plan.data) for level in levels)


def _on_state_disk(arm: PlannedArm, home: Path) -> bool:
    """Tell whether an arm's jobs write on the disk of assay's state."""
    return arm.machine.reach is Reach.LOCAL and kind_of(arm).own_disk(arm, home) is None


def _visit_bytes(plan: ActivityPlan, arm: PlannedArm, home: Path, made: int) -> int:
    """Return what an arm's visit takes of this machine's disk beside the data, file systems of its own, and
    what is made on the machine.
    """
    if arm.machine.reach is not Reach.LOCAL:
        return 0
    taken = kind_of(arm).visit_bytes(plan, arm, home)
    return max(0, taken - made) if _on_state_disk(arm, home) else taken


def _check_fits(plan: ActivityPlan, arm: PlannedArm, workload: Workload, disk: OwnDisk) -> None:
    part = part_of(workload, arm.parts)
    own = prepared_bytes(part) if writes_elsewhere(arm) else disk_bytes(part) or 0
    copied = copied_bytes(plan, arm) if disk.holds_data else 0
    beside = made_bytes(plan, arm) - prepared_bytes(part)
    needed = copied + own + beside
    if disk.room_bytes is not None and needed > disk.room_bytes:
        files = "the data and its files" if copied else "its files"
        files += " with those that are made for others" if beside else ""
        msg = (
            f"cannot run {workload.name} on {arm.label}: {files} take {format_bytes(needed)}, "
            f"{disk.name} has room for {format_bytes(disk.room_bytes)}"
        )
        raise MissingError(msg, hint=f"a smaller size or fewer copies, or {disk.instead}")
