"""The disks of an arm's guests: what they come to take, and what they have room for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.activities.plan.disk_use import (
    copied_bytes,
    files_bytes,
    made_bytes,
    writes_elsewhere,
    written_bytes,
)
from assay.activities.plan.kinds.kind import OwnDisk
from assay.activities.visits.settings import disk_needs
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.units import BYTES, parse_bytes
from assay.platforms.guests.spec import DISK_SIZE, PLACE
from assay.platforms.images.image import list_images
from assay.platforms.images.recipe import DISK_BYTES

GUEST_BYTES = 64 * BYTES["MiB"]
"""What a guest writes from its boot on by itself: 12 to 14 MB were seen."""

IMAGE_BYTES = BYTES["GiB"] // 2
"""What an image of ours holds of its four GiB: taken of one that is not there yet."""

HOLES = 0.9
"""An image of ours of which more than this is allocated has lost its holes."""


def guests_bytes(plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
    """Return what the disks of an arm's guests come to take, each at most its size, and what their jobs write
    by a server.
    """
    guest, elsewhere = arm.place_as(PlannedGuest), writes_elsewhere(arm)
    written = guest.layout.guests * written_bytes(plan, arm) if elsewhere else 0
    if PLACE in dict(guest.settings):
        return written  # the disks lie elsewhere, and their room there was looked at
    size, _ = _disk_of(guest, home)
    needs = disk_needs(guest, size)
    files = made_bytes(plan, arm) if elsewhere else files_bytes(plan, arm)
    held = min(size, GUEST_BYTES + copied_bytes(plan, arm) + files)
    grown = replace(needs, preallocation="off", depth=0, held_bytes=held)
    return written + guest.layout.guests * max(needs.folder_bytes, grown.folder_bytes)


def disk_of_guest(guest: PlannedGuest, home: Path) -> OwnDisk:
    """Return a guest's disk, on which its copy of the data lies, too."""
    _, room = _disk_of(guest, home)
    return OwnDisk("the guest's disk", room, "a larger disk.size", holds_data=True)


def _disk_of(guest: PlannedGuest, home: Path) -> tuple[int, int]:
    """Return the size of a guest's disk, and the most that it has room for; of what is free in a user's own,
    all.
    """
    image = next((one for one in list_images(home) if one.digest == guest.image), None)
    level = dict(guest.settings).get(DISK_SIZE)
    if image is None or level is not None:
        size = DISK_BYTES if level is None else parse_bytes(level)
        held = IMAGE_BYTES if image is None else image.disk.stat().st_blocks * 512
        return size, max(0, size - held)
    status = image.disk.stat()
    held = status.st_blocks * 512
    # a file that was copied without its holes does not tell
    known = image.name is None and held < status.st_size * HOLES
    return status.st_size, status.st_size - (held if known else 0)
