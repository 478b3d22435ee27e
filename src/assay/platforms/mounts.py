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
    """

    point: Path
    kind: str
    source: str


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """Return the mounts in a ``mountinfo``, in its order: a later one may lie over an earlier."""
    return tuple(_mount(line.split()) for line in text.splitlines() if " - " in line)


def _mount(words: list[str]) -> Mount:
    after = words.index("-") + 1
    return Mount(Path(_plain(words[4])), words[after], _plain(words[after + 1]))


def _plain(word: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), word)


def mounts_below(folder: Path, mounts: tuple[Mount, ...]) -> tuple[Mount, ...]:
    """Return what is mounted below a folder, the last one first."""
    return tuple(mount for mount in reversed(mounts) if folder in mount.point.parents)


def filesystem_of(path: Path, mounts: tuple[Mount, ...], *, sys: Path = _SYS) -> str | None:
    """Return the kind of file system that a file lies on, in the words of ``disk.host-filesystem``.

    Args:
        path: The file, without links in it.
        mounts: As the process that has it open sees them.
        sys: Root of the kernel's ``/sys``.
    """
    over = [mount for mount in mounts if mount.point == path or mount.point in path.parents]
    if not over:
        return None
    depth = max(len(mount.point.parts) for mount in over)
    mount = [each for each in over if len(each.point.parts) == depth][-1]
    if mount.kind == "ext4":
        return "ext4" if _has_journal(mount, sys) else "ext4-nojournal"
    return _btrfs(mount, sys) if mount.kind == "btrfs" else mount.kind


def _has_journal(mount: Mount, sys: Path) -> bool:
    try:
        task = (sys / "fs/ext4" / Path(mount.source).name / "journal_task").read_text().strip()
    except OSError:
        return True  # an old kernel does not tell; it is mke2fs's default
    return task.isdigit()


def _btrfs(mount: Mount, sys: Path) -> str:
    name = Path(mount.source).name
    found = next((at.parents[1] for at in (sys / "fs/btrfs").glob(f"*/devices/{name}")), None)
    profiles = (
        [] if found is None else [at.name for at in (found / "allocation/data").glob("raid*") if at.is_dir()]
    )
    return f"btrfs-{profiles[0]}" if profiles else "btrfs"


def loops_below(folder: Path, *, sys: Path = _SYS) -> tuple[str, ...]:
    """Return the loop devices whose files lie below a folder, ``/dev/loop0``."""
    held = []
    for file in sorted((sys / "block").glob("loop*/loop/backing_file")):
        backing = Path(file.read_text().strip().removesuffix(" (deleted)"))
        if folder in backing.parents:
            held.append(f"/dev/{file.parents[1].name}")
    return tuple(held)
