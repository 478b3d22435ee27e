"""A file system of an activity's own for the scratch folders of a machine's jobs.

It lies below ``home/data/ACTIVITY/disks-scratch-LEVEL``, made for the first visit that asks for it and gone
with the activity's data, or with the visit where it lies in memory, which other arms would lack; a bind mount
shows it among the probe's own folders.

Limits: those in loop files on the disk of assay's state share that disk; the probe's record of a trial lies
    on it, too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from assay.factors.base.filesystems import MEMORY, in_memory, parts_of
from assay.model.errors import MissingError
from assay.model.units import format_bytes
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.data_disks import PREFIX
from assay.platforms.filesystems.host_filesystem import (
    disk_folder,
    make_filesystem,
    remove_folder,
    show_at,
    shown_filesystem,
)
from assay.platforms.mounts import read_mounts

SCRATCH_BYTES = 4 << 30
"""Room of the jobs at least; sparse, so that what is not written takes none."""
_BESIDE_BYTES = 1 << 30
"""Room beside the files that are known: outputs, the probe's records."""
_MEMINFO = Path("/proc/meminfo")
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True)
class Laid:
    """A file system for scratch folders.

    Attributes:
        root: Where it is seen.
        how: What was looked at.
    """

    root: Path
    how: str


def lay_scratch(folder: Path, level: str, point: Path, room: int) -> Laid:
    """Make and mount a file system of a level where it is not there yet, and show it where jobs run.

    Args:
        folder: The activity's folder of data; must be there.
        level: Of ``scratch.filesystem``.
        point: Where it is to be seen: below the folder in which the probe may remove what a trial leaves.
        room: Bytes of files that it has room for (``room_for``).

    Raises:
        MissingError: a program is not installed, or there is no room.
        PlatformError: it could not be made, or the kernel shows another file system.
    """
    part, what = _part(folder, level), f"scratch.filesystem={level}"
    if _shown(part) != level:
        remove_folder(part)
        require_room(folder, [level], room)
        part.mkdir(mode=0o755)
        make_filesystem(part, level, size_bytes=room, what=what)
    mounted = _shown(part)
    if mounted != level:
        msg = f"cannot measure with {what}: {part} shows {mounted or 'nothing mounted'}"
        raise PlatformError(msg, hint="assay factors show scratch.filesystem")
    size = format_bytes(room)
    kind, below = parts_of(level)
    where = ("" if kind == MEMORY else " in a loop file") + (f" on {below}" if below else "")
    show_at(point, disk_folder(part, level), what)
    return Laid(point, f"/proc/self/mountinfo: {kind}{where}, made for {size} of files")


def leave_scratch(folder: Path, level: str) -> None:
    """Unmake a level in memory at the end of a visit; one on disk stays for the next."""
    if in_memory(level):
        remove_folder(_part(folder, level))


def require_room(folder: Path, levels: Iterable[str], room: int) -> None:
    """Refuse levels for which there is no room: those on disk are there all at once, those in memory one by
    one.

    Args:
        folder: The activity's folder of data; must be there. What lies there already has its room.
        levels: Of ``scratch.filesystem``, each once.
        room: Bytes of files that each has room for.

    Raises:
        MissingError: there is less than they need.
    """
    wanted = [level for level in levels if _shown(_part(folder, level)) != level]
    memory, disk = ([one for one in wanted if in_memory(one) == held] for held in (True, False))
    if disk:
        hint = "free some space, or set ASSAY_HOME"
        _require(disk, scratch_bytes(disk, room), shutil.disk_usage(folder).free, str(folder), hint)
    match = _AVAILABLE.search(_MEMINFO.read_text())
    if memory and match:
        _require(memory, room, int(match[1]) * 1024, "memory", "free -h")


def room_for(files: int) -> int:
    """Return the room of a file system for so many bytes of files: whole GiB, four at least."""
    gib = 1 << 30
    return max(SCRATCH_BYTES, -(-(files + _BESIDE_BYTES) // gib) * gib)


def scratch_bytes(levels: Iterable[str], room: int) -> int:
    """Return what file systems of levels of ``scratch.filesystem`` may take of the disk; those in memory take
    none.
    """
    return room * sum(not in_memory(level) for level in levels)


def _require(levels: list[str], needed: int, free: int, where: str, hint: str) -> None:
    if free < needed:
        what = f"scratch.filesystem={', '.join(levels)}"
        msg = f"cannot make {what}: {where} has {format_bytes(free)} free, {format_bytes(needed)} are needed"
        raise MissingError(msg, hint=hint)


def _part(folder: Path, level: str) -> Path:
    return folder / f"{PREFIX}scratch-{level}"


def _shown(part: Path) -> str | None:
    """Return the level that is mounted for a part, by the kernel's word; ``None`` for none."""
    point, mounts = disk_folder(part, "mounted"), read_mounts()
    return shown_filesystem(point, mounts) if any(mount.point == point for mount in mounts) else None
