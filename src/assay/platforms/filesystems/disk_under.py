"""The disk on which a folder lies, and the disk that schedules its requests, in the kernel's words.

Source: https://docs.kernel.org/admin-guide/sysfs-rules.html (``/sys/dev/block``); ``man 5 proc``, mountinfo;
Linux ``block/elevator.c`` (a queue without a choice of schedulers says ``none``),
``drivers/nvme/host/multipath.c`` (names of paths).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_DEVICES = Path("/sys/dev/block")
_BLOCK = Path("/sys/block")
_BTRFS = Path("/sys/fs/btrfs")


def disk_under(folder: Path) -> str | None:
    """Return the whole disk under a folder, or under where it will be made.

    Returns:
        ``vda``, or ``dm-0`` of a logical volume; ``None`` where there is no one block device: a file system
        in memory, over the network, or over several disks; or where this user may not look into the folder.
    """
    try:
        there = next(place for place in (folder, *folder.parents) if place.exists()).resolve()
        number = there.stat().st_dev
    except PermissionError:
        return None
    # btrfs has numbers of its own, which are no device's
    device = number if os.major(number) else _source_device(there)
    return None if device is None else _whole_disk(device)


def scheduling_disk(disk: str, *, block: Path = _BLOCK) -> str | None:
    """Return the disk whose scheduler orders the requests to a disk.

    Logical volumes, encrypted and md devices have no scheduler, and their ``queue/scheduler`` says ``none``
    whatever the disk below them does. A device that offers a choice of schedulers has one of its own.

    Args:
        disk: Its name, ``dm-0``.
        block: ``/sys/block``.

    Returns:
        ``sda``; the disk itself where nothing lies below it; ``None`` where several disks do.
    """
    found = _scheduling(disk, block)
    return found.pop() if len(found) == 1 else None


def _scheduling(disk: str, block: Path) -> set[str]:
    try:
        chooses = "[" in (block / disk / "queue/scheduler").read_text()
    except OSError:  # kernels that show no file where there is no choice
        chooses = False
    below = set() if chooses else _disks_below(disk, block)
    return {name for one in below for name in _scheduling(one, block)} or {disk}


def _disks_below(disk: str, block: Path) -> set[str]:
    if (nvme := re.fullmatch(r"(nvme\d+)(n\d+)", disk)) is not None:  # its paths are no slaves of it
        return {place.name for place in block.glob(f"{nvme[1]}c*{nvme[2]}")}
    slaves = (place.resolve() for place in (block / disk / "slaves").glob("*"))
    return {_disk_of(place) for place in slaves}


def _disk_of(place: Path) -> str:
    return place.parent.name if (place / "partition").exists() else place.name


def _whole_disk(device: int) -> str | None:
    place = _DEVICES / f"{os.major(device)}:{os.minor(device)}"
    folder = place.resolve()
    if not place.exists() or _is_one_of_several(folder.name):
        return None
    return _disk_of(folder)


def _is_one_of_several(name: str) -> bool:
    systems = [{one.name for one in place.iterdir()} for place in _BTRFS.glob("*/devices")]
    return any(name in devices and len(devices) > 1 for devices in systems)


def _source_device(folder: Path) -> int | None:
    text = Path("/proc/self/mountinfo").read_text(errors="replace")
    source = mount_source(text, folder)
    try:
        status = None if source is None else Path(source).stat()
    except OSError:
        return None
    return status.st_rdev if status is not None and status.st_rdev else None


def mount_source(mountinfo: str, folder: Path) -> str | None:
    """Return the device of the mount that a folder lies in; ``None`` where its source is none.

    Args:
        mountinfo: Text of ``/proc/self/mountinfo``; of two mounts on one point the later one counts.
        folder: Absolute and without symbolic links.
    """
    depth, source = -1, None
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        point = Path(left.split()[4].replace("\\040", " "))
        if folder.is_relative_to(point) and len(point.parts) >= depth:
            depth, source = len(point.parts), right.split()[1]
    return source if source is not None and source.startswith("/dev/") else None
