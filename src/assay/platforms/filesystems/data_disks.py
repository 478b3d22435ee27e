"""File systems of an activity's own under the data of a machine: single disks, disks with files spread, RAID
by btrfs.

They lie in loop files below ``home/data/ACTIVITY/disks-LEVEL``, made for the first visit that asks for them
and gone with the activity's data.

Limits: loop files are on the disk of assay's state, so that a layout shows its own cost, not the speed of
    several disks.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.model.errors import MissingError
from assay.model.platforms.data import DataSet
from assay.model.units import format_bytes
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.host_filesystem import disk_folder, make_filesystem, remove_folder
from assay.platforms.filesystems.placed import free_bytes, put_at, seen_places
from assay.platforms.filesystems.room import COPIES
from assay.platforms.mounts import filesystem_of, loops_below, read_mounts

SPREAD = "ext4-spread"
"""Level: single disks, files dealt out to them in turn."""
_DISKS = 3
_TABLES = 1.125
"""The file system's own tables beside the files."""
PREFIX = "disks-"


@dataclass(frozen=True)
class Laid:
    """Data on file systems of their own.

    Attributes:
        root: The folder that holds the files; with several file systems the one that holds all of these.
        files: Each file of the data there, in the data's order.
        how: What was looked at.
        disks: Their block devices; without any, the folder itself.
    """

    root: Path
    files: tuple[Path, ...]
    how: str
    disks: tuple[str, ...]


def lay_on_places(folder: Path, level: str, data: DataSet) -> Laid:
    """Copy an activity's data to places of the site, files dealt out to them in turn; what is there whole
    stays.

    Args:
        folder: The activity's folder of data; ``files`` in it is what is copied.
        level: Of ``data.place``.
        data: What is wanted.

    Raises:
        MissingError: a place is none any more, is not empty, or has no room.
        PlatformError: a place could not be mounted, or the kernel shows another.
    """
    own = hashlib.sha256(level.encode()).hexdigest()[:8]
    places, whole = level.split(), folder / f"{PREFIX}places-{own}"
    parts = [whole / f"disk{number}" for number in range(len(places))]
    if any(place not in _seen_at(part) for part, place in zip(parts, places, strict=True)):
        remove_folder(whole)
        whole.mkdir(mode=0o755)
        for part, place in zip(parts, places, strict=True):
            part.mkdir(mode=0o755)
            _require_place_room(place, int(_TABLES * data.bytes / len(places)))
            put_at(part, place, disk_folder(part, place))
    points = [disk_folder(part, place) for part, place in zip(parts, places, strict=True)]
    for place, part in zip(places, parts, strict=True):
        if place not in (seen := _seen_at(part)):
            on = ", ".join(seen) or "nothing mounted"
            msg = f"cannot measure with data.place={level}: {part} lies on {on}"
            raise PlatformError(msg, hint="assay factors show data.place")
    files = _deal(folder, points, data)
    root = points[0] if len(points) == 1 else whole
    how = f"/proc/self/mountinfo: {len(places)} place{'s' if len(places) > 1 else ''} of the site"
    return Laid(root, files, how, tuple(map(str, points)))


def _seen_at(part: Path) -> tuple[str, ...]:
    point, mounts = disk_folder(part, "mounted"), read_mounts()
    return seen_places(point, mounts) if any(mount.point == point for mount in mounts) else ()


def _require_place_room(place: str, needed: int) -> None:
    if (free := free_bytes(place)) < needed:
        room = f"{place} has {format_bytes(free)} free, {format_bytes(needed)} are needed"
        msg = f"cannot lay out the data: {room}"
        raise MissingError(msg, hint="free some space there, or name more places")


def _deal(folder: Path, points: Sequence[Path], data: DataSet) -> tuple[Path, ...]:
    """Copy the files of the data to some points in turn, and return where each is."""
    files = tuple(points[index % len(points)] / file.name for index, file in enumerate(data.files))
    for file, target in zip(data.files, files, strict=True):
        _copy(folder / "files" / file.name, target, file.bytes)
    return files


def lay_on_disks(folder: Path, level: str, data: DataSet) -> Laid:
    """Copy an activity's data to file systems of a level; what is there whole stays.

    Args:
        folder: The activity's folder of data; ``files`` in it is what is copied.
        level: Of ``data.filesystem``.
        data: What is wanted.

    Raises:
        MissingError: a program is not installed, or there is no room.
        PlatformError: they could not be made, or the kernel shows another file system.
    """
    place = folder / f"{PREFIX}{level}"
    kind, count = ("ext4", _DISKS) if level == SPREAD else (level, 1)
    parts = [place / f"disk{number}" for number in range(count)]
    if any(_shown(part) != kind for part in parts):
        remove_folder(place)
        _require_room(folder, level, data)
        place.mkdir(mode=0o755)
        for part in parts:
            part.mkdir(mode=0o755)
            make_filesystem(part, kind, size_bytes=data.bytes)
    for part in parts:
        _check(part, kind, level)
    points = [disk_folder(part, kind) for part in parts]
    files = _deal(folder, points, data)
    return Laid(
        points[0] if count == 1 else place,
        files,
        f"/proc/self/mountinfo: {count} of {kind}, made for the data",
        tuple(sorted(loops_below(place))) or (str(points[0]),),
    )


def _shown(part: Path) -> str | None:
    """Return the kind of file system that is mounted for a part; ``None`` for none."""
    point, mounts = disk_folder(part, "mounted"), read_mounts()
    return filesystem_of(point, mounts) if any(mount.point == point for mount in mounts) else None


def _check(part: Path, kind: str, level: str) -> None:
    if (mounted := _shown(part)) != kind:
        msg = f"cannot measure with data.filesystem={level}: {part} shows {mounted or 'nothing mounted'}"
        raise PlatformError(msg, hint="assay factors show data.filesystem")


def _copy(source: Path, target: Path, size: int) -> None:
    if target.is_file() and target.stat().st_size == size:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    shutil.copyfile(source, part)
    with part.open("rb") as written:
        os.fsync(written.fileno())
    part.replace(target)


def layout_bytes(level: str, data: DataSet) -> int:
    """Return what data take on file systems of a level of ``data.filesystem``."""
    return int(COPIES.get(level, 1.0) * _TABLES * data.bytes)


def _require_room(folder: Path, level: str, data: DataSet) -> None:
    free, needed = shutil.disk_usage(folder).free, layout_bytes(level, data)
    if free < needed:
        msg = (
            f"cannot lay out the data: {folder} has {format_bytes(free)} free, "
            f"{format_bytes(needed)} are needed"
        )
        raise MissingError(msg, hint="free some space, or set ASSAY_HOME to a larger file system")
