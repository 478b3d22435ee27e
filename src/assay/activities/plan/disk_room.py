"""What a plan puts on the disk of assay's state at least; one that cannot fit is refused before anything runs.

Limits: not counted are what a user's program writes, what several workloads leave beside each other, an image that is
built first or copied for a guest's disk (both have checks of their own), the states that restored guests come from,
and the disks of other machines.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.plan.kept_inputs import input_bytes
from assay.activities.plan.layout import part_of
from assay.activities.visits.scratch_place import scratch_levels
from assay.activities.visits.settings import disk_needs
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.errors import MissingError
from assay.model.machines.machine import Reach
from assay.model.platforms.data import LOCAL, access, own_filesystem, own_scratch
from assay.model.units import BYTES, format_bytes
from assay.model.work.workload import Workload
from assay.platforms.filesystems.data_disks import layout_bytes
from assay.platforms.filesystems.scratch_disk import SCRATCH_BYTES, scratch_bytes
from assay.platforms.images.image import list_images
from assay.platforms.images.recipe import DISK_BYTES
from assay.workloads import disk_bytes

ALLOWANCE_BYTES = BYTES["GiB"]
"""Records, programs that are brought, small files, tables of file systems."""
GUEST_BYTES = 64 * BYTES["MiB"]
"""What a guest writes from its boot on by itself: 12 to 14 MB were seen."""

HOLES = 0.9
"""An image of ours of which more than this is allocated has lost its holes: it holds half a GiB of four."""


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
    """Return what a plan needs on the disk of assay's state: of the visits, which follow each other, the largest."""
    arms = plan.arms
    visit, arm = max(((_visit_bytes(plan, arm, home), arm) for arm in arms), key=lambda found: found[0])
    parts = (
        ("records and small files", ALLOWANCE_BYTES),
        ("the copies of the inputs (inputs)", input_bytes(plan)),
        ("the data (data: size)", _laid_bytes(plan, arms)),
        ("scratch.filesystem (fewer levels)", scratch_bytes(scratch_levels(plan))),
        (f"what is written on {arm.label} (size, copies, guests)", visit),
    )
    return DiskRoom(parts)


def check_disk(plan: ActivityPlan, home: Path) -> None:
    """Refuse a plan that cannot fit, on a guest's disk, on a file system of its own, or on that of assay's state.

    Raises:
        MissingError: It cannot; both figures are in the message.
    """
    for arm in plan.arms:
        if (place := _place(arm, home)) is not None:
            for workload in plan.workloads:
                _check_fits(plan, arm, workload, *place)
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


def _visit_bytes(plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
    """Return what an arm's visit takes of this machine's disk beside the data and file systems of its own."""
    if arm.machine.reach is not Reach.LOCAL or arm.domain is not None or own_scratch(arm.data) is not None:
        return 0
    if arm.guest is not None:
        return _guest_bytes(plan, arm, arm.guest, home)
    files = max((disk_bytes(workload) or 0 for workload in plan.workloads), default=0)
    return files + (_copied_bytes(plan, arm) if arm.container else 0)


def _guest_bytes(plan: ActivityPlan, arm: PlannedArm, guest: PlannedGuest, home: Path) -> int:
    """Return what the disks of an arm's guests come to take, each at most its size."""
    files = max((disk_bytes(_part(workload, guest)) or 0 for workload in plan.workloads), default=0)
    size, _ = _disk_of(guest, home)
    needs = disk_needs(guest, size)
    held = min(size, GUEST_BYTES + _copied_bytes(plan, arm) + files)
    grown = replace(needs, preallocation="off", depth=0, held_bytes=held)
    return guest.layout.guests * max(needs.folder_bytes, grown.folder_bytes)


def _part(workload: Workload, guest: PlannedGuest) -> Workload:
    """Return what each of an arm's guests runs of a workload."""
    return workload if guest.layout.guests == 1 else part_of(workload, guest.layout.guests)


def _copied_bytes(plan: ActivityPlan, arm: PlannedArm) -> int:
    """Return the bytes of the copy of the data that an arm gets for itself."""
    return plan.data.bytes if plan.data is not None and access(arm.data) == LOCAL else 0


def _place(arm: PlannedArm, home: Path) -> tuple[str, int, str] | None:
    """Return a disk of the arm's own: what it is, the most that it has room for, what else to use."""
    if arm.guest is not None:
        return "the guest's disk", _disk_of(arm.guest, home)[1], "an image of yours with a larger disk"
    if (level := own_scratch(arm.data)) is not None:
        return f"scratch.filesystem={level}", SCRATCH_BYTES, "no scratch.filesystem"
    return None


def _disk_of(guest: PlannedGuest, home: Path) -> tuple[int, int]:
    """Return the size of a guest's disk, and the most that it has room for; of what is free in a user's own, all."""
    image = next((one for one in list_images(home) if one.digest == guest.image), None)
    if image is None:
        return DISK_BYTES, DISK_BYTES
    found = image.disk.stat()
    held = found.st_blocks * 512
    # a file that was copied without its holes does not tell
    reported = image.name is None and held < found.st_size * HOLES
    return found.st_size, found.st_size - (held if reported else 0)


def _check_fits(
    plan: ActivityPlan, arm: PlannedArm, workload: Workload, what: str, room: int, instead: str
) -> None:
    copied = _copied_bytes(plan, arm) if arm.guest is not None else 0
    part = _part(workload, arm.guest) if arm.guest is not None else workload
    needed = copied + (disk_bytes(part) or 0)
    if needed > room:
        files = "the data and its files" if copied else "its files"
        msg = (
            f"cannot run {workload.name} on {arm.label}: {files} take {format_bytes(needed)}, "
            f"{what} has room for {format_bytes(room)}"
        )
        raise MissingError(msg, hint=f"a smaller size or fewer copies, or {instead}")
