"""Room on the disks of this machine, and the words for a disk that has too little of it."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from assay.model.errors import NoRoomError
from assay.model.units import BYTES, format_bytes

LEFT_BYTES = 16 * BYTES["MiB"]
"""No copy goes below this: records and the database are written on the same disk."""
FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a disk that is full, or of which a user's share is."""


def free_bytes(place: Path) -> int:
    """Return the bytes that are free for us where a path lies, or will lie."""
    return shutil.disk_usage(existing(place)).free


def existing(place: Path) -> Path:
    """Return a path, or the nearest above it that is there."""
    whole = place.absolute()
    return next(one for one in (whole, *whole.parents) if one.exists())


def require_room(place: Path, size: int, *, doing: str) -> None:
    """Refuse to put so many bytes where they would fill the disk.

    Args:
        place: Where they come to lie, on this machine.
        size: Bytes.
        doing: What cannot be done then, ``copy a to b on this machine``.

    Raises:
        NoRoomError: Less than ``LEFT_BYTES`` would be left.
    """
    free = free_bytes(place)
    if size > 0 and free - size < LEFT_BYTES:
        raise no_room(doing, disk_of(place), free=free, needed=size + LEFT_BYTES)


def disk_of(place: Path) -> str:
    """Name the disk of a path of this machine by the path and by where the disk is mounted."""
    here = existing(place)
    mount = next(one for one in (here, *here.parents) if os.path.ismount(one))
    return f"the disk of {place} (mounted at {mount})"


def full_disk(doing: str, place: Path, error: OSError) -> NoRoomError:
    """Return the error of a disk of this machine that took no more (``FULL``), or of a share of it that is
    used up.
    """
    why = f"{str(error.strerror).lower()}, {format_bytes(free_bytes(place))} free"
    return NoRoomError(f"cannot {doing}: {disk_of(place)} is full: {why}", hint="free some space there")


def no_room(doing: str, disk: str, *, free: int, needed: int) -> NoRoomError:
    """Return the error of a disk that has too little room.

    Args:
        doing: What cannot be done.
        disk: Which, in words.
        free: Bytes.
        needed: Bytes.
    """
    msg = f"cannot {doing}: {disk} has {format_bytes(free)} free, {format_bytes(needed)} are needed"
    return NoRoomError(msg, hint="free some space there")
