"""What is mounted where, and what kind of file system a file lies on.

Source: ``man 5 proc`` (``mountinfo``), Linux ``fs/ext4/sysfs.c`` (``journal_task``), ``fs/btrfs/sysfs.c``
(``allocation/data``), ``Documentation/ABI/testing/sysfs-block-loop`` (``loop/backing_file``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

MOUNTINFO = Path("/proc/self/mountinfo")
_SYS = Path("/sys")
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mount:
    """One mounted file system.

    Attributes:
        point: Where it is mounted.
        kind: The kernel's word for it, ``ext4``.
        source: Its device, ``/dev/loop0``; any word where it has none.
        device: Numbers of its device, ``7:0``: the same for all mounts of one file system.
    """

    point: Path
    kind: str
    source: str
    device: str = ""


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """Return the mounts in a ``mountinfo``, in its order: a later one may lie over an earlier."""
    return tuple(_mount(line.split()) for line in text.splitlines() if " - " in line)


def read_mounts(file: Path = MOUNTINFO) -> tuple[Mount, ...]:
    """Return what a process sees mounted; names that are no UTF-8 stay as the system spells them."""
    return parse_mounts(file.read_text(errors="surrogateescape"))


def _mount(words: list[str]) -> Mount:
    after = words.index("-") + 1
    return Mount(Path(_plain(words[4])), words[after], _plain(words[after + 1]), words[2])


def _plain(word: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), word)


def mounts_below(folder: Path, mounts: tuple[Mount, ...]) -> tuple[Mount, ...]:
    """Return what is mounted below a folder, the last one first."""
    return tuple(mount for mount in reversed(mounts) if folder in mount.point.parents)


def mount_of(path: Path, mounts: tuple[Mount, ...]) -> Mount | None:
    """Return the mount that a file lies on; without links in its path. ``None`` where none is known."""
    over = [mount for mount in mounts if mount.point == path or mount.point in path.parents]
    if not over:
        return None
    depth = max(len(mount.point.parts) for mount in over)
    return [each for each in over if len(each.point.parts) == depth][-1]


def filesystem_of(path: Path, mounts: tuple[Mount, ...], *, sys: Path = _SYS) -> str | None:
    """Return the kind of file system that a file lies on, in the words of ``disk.host-filesystem``.

    Args:
        path: The file, without links in it.
        mounts: As the process that has it open sees them.
        sys: Root of the kernel's ``/sys``.

    Returns:
        ``None`` where no mount is known; of ext4 and btrfs the words say so where the kernel does not tell
        the journal or the profile.
    """
    mount = mount_of(path, mounts)
    if mount is None:
        return None
    if mount.kind == "ext4":
        return _ext4(mount, sys)
    return _btrfs(mount, sys) if mount.kind == "btrfs" else mount.kind


def _ext4(mount: Mount, sys: Path) -> str:
    try:
        task = (sys / "fs/ext4" / _device(mount) / "journal_task").read_text().strip()
    except OSError:
        return "ext4, whether with a journal is not told"
    return "ext4" if task.isdigit() else "ext4-nojournal"


def _btrfs(mount: Mount, sys: Path) -> str:
    places = (sys / "fs/btrfs").glob(f"*/devices/{_device(mount)}")
    profiles = [at.name for place in places for at in _folders(place.parents[1] / "allocation/data")]
    if not profiles:
        return "btrfs, its profile is not told"
    return "-".join(("btrfs", *(name for name in profiles if name != "single")))


def _device(mount: Mount) -> str:
    """Return the kernel's name of a mount's device: ``dm-0`` for ``/dev/mapper/NAME``, which is a link."""
    return Path(mount.source).resolve().name


def _folders(place: Path) -> list[Path]:
    return sorted(each for each in place.glob("*") if each.is_dir())


def loops_below(folder: Path, *, sys: Path = _SYS) -> tuple[str, ...]:
    """Return the loop devices whose files lie below a folder, ``/dev/loop0``; one that goes meanwhile is
    none.
    """
    held = []
    for file in sorted((sys / "block").glob("loop*/loop/backing_file")):
        try:
            text = file.read_text(errors="surrogateescape")
        except OSError:
            continue  # it was detached meanwhile
        backing = Path(text.strip().removesuffix(" (deleted)"))
        if folder in backing.parents:
            held.append(f"/dev/{file.parents[1].name}")
    return tuple(held)
