"""Room for a guest's disk, asked for where its bytes will lie in the end, before anything is made.

A file system of the guest's own lies in sparse files and believes all of its room to be there: not it is
asked, but the one that its files lie on.

Source: ``man 8 mkfs.btrfs`` (profiles), ``man 5 tmpfs``, ``man 5 proc`` (``MemAvailable``).
Limits: a file system's own tables are not counted, nor what others take meanwhile.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from assay.factors.base.filesystems import in_memory, parts_of
from assay.model.errors import MissingError
from assay.model.units import format_bytes
from assay.platforms.filesystems.placed import free_bytes

_WHOLE = ("falloc", "full")
"""Levels of preallocation that take the room of the whole disk."""
COPIES = {"btrfs-raid1": 2.0, "btrfs-raid5": 1.5}
"""Bytes on the devices for each of a file: two copies; one part of parity to two of data, on
three devices.
"""
_MEMINFO = Path("/proc/meminfo")
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True)
class DiskNeeds:
    """What a guest's disk will take.

    Attributes:
        preallocation: Level of ``disk.preallocation``.
        size_bytes: Size of the disk as its guest sees it.
        held_bytes: What a copy holds at once, whatever the level.
        depth: Number of files below it; each is made as the disk is. 0 for a copy.
        host_filesystem: Level of ``disk.host-filesystem``; ``None`` for none of its own.
        root_bytes: What a root made anew holds beside the disk, until the disk is made from it.
        memory_bytes: What the guest will take of the host's free memory.
    """

    preallocation: str
    size_bytes: int
    held_bytes: int = 0
    depth: int = 0
    host_filesystem: str | None = None
    root_bytes: int = 0
    memory_bytes: int = 0

    @property
    def disk_bytes(self) -> int:
        """Return what the disk's files take where they lie."""
        if self.preallocation in _WHOLE:
            return self.size_bytes * max(self.depth, 1)
        return 0 if self.depth else self.held_bytes

    @property
    def in_memory(self) -> bool:
        """Tell whether the disk takes the host's memory."""
        return in_memory(self.host_filesystem)

    @property
    def place_bytes(self) -> int:
        """Return what the disk's files take with all copies that the file systems below them keep."""
        kinds = parts_of(self.host_filesystem or "")
        return round(self.disk_bytes * prod(COPIES.get(kind or "", 1.0) for kind in kinds))

    @property
    def folder_bytes(self) -> int:
        """Return what the file system of the guest's folder has to give."""
        return self.root_bytes + (0 if self.in_memory else self.place_bytes)

    @property
    def levels(self) -> str:
        """Return the levels that decide it, spelt."""
        place = self.host_filesystem
        suffix = "" if place is None else f" and disk.host-filesystem={place}"
        return f"disk.preallocation={self.preallocation}{suffix}"


def require_room(needs: DiskNeeds, folder: Path, *, at: str | None = None, meminfo: Path = _MEMINFO) -> None:
    """Refuse a disk that there is no room for.

    Args:
        needs: What it will take.
        folder: The guest's; it or one above it is there.
        at: Place of the site that the disk shall lie on instead; ``None`` for none.
        meminfo: What the kernel tells of memory; where it tells nothing, nothing is refused for it.

    Raises:
        MissingError: there is too little; both figures are in the message.
    """
    there = at or next(place for place in (folder, *folder.parents) if place.exists())
    free = shutil.disk_usage(there).free if at is None else free_bytes(at)
    if free < needs.folder_bytes:
        raise _too_little(needs, str(there), needs.folder_bytes, free=free, hint=f"df -h {there}")
    available = _available_bytes(meminfo) if needs.in_memory else None
    if available is not None and available - needs.memory_bytes < needs.place_bytes:
        beside = max(available - needs.memory_bytes, 0)
        where = f"memory beside the guest's own {format_bytes(needs.memory_bytes)}"
        raise _too_little(needs, where, needs.place_bytes, free=beside, hint="free -h")


def several(needs: DiskNeeds, guests: int) -> DiskNeeds:
    """Return what the disks of several such guests will take; the memory is that of all of them already."""
    return replace(
        needs,
        size_bytes=needs.size_bytes * guests,
        held_bytes=needs.held_bytes * guests,
        root_bytes=needs.root_bytes * guests,
    )


def free_memory_taken(memory_bytes: int, levels: Mapping[str, str]) -> int:
    """Return what a guest of these levels takes of what the kernel calls available: pages of a
    pool are not.
    """
    return memory_bytes if levels.get("memory.hugepages", "none") == "none" else 0


def _available_bytes(meminfo: Path) -> int | None:
    match = _AVAILABLE.search(meminfo.read_text())
    return int(match[1]) * 1024 if match else None


def _too_little(needs: DiskNeeds, where: str, needed: int, *, free: int, hint: str) -> MissingError:
    room = f"{needed} bytes needed ({format_bytes(needed)}), {free} free ({format_bytes(free)})"
    return MissingError(f"cannot make the guest's disk with {needs.levels}: {where}, {room}", hint=hint)
