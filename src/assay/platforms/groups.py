"""Control groups named ``assay`` that trials left behind.

Source: Linux ``Documentation/admin-guide/cgroup-v1/cgroups.rst`` and ``cgroup-v2.rst``: a group without
processes and without children is removed by ``rmdir``.
"""

from __future__ import annotations

import time
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_NAME = "assay"
_NEW_S = 10.0


def our_groups(root: Path = _ROOT) -> tuple[Path, ...]:
    """Return our groups in all hierarchies, children before their parents.

    The probe makes them below its own group, which an outer limit may have put anywhere.
    """
    tops = [path for path in root.rglob(_NAME) if path.is_dir()]
    every = {folder for top in tops for folder in (top, *_folders(top))}
    return tuple(sorted(every, key=lambda folder: (-len(folder.parts), str(folder))))


def group_processes(group: Path) -> tuple[int, ...]:
    """Return the processes in a group and below it."""
    return tuple(pid for folder in (group, *_folders(group)) for pid in _pids(folder))


def is_new(group: Path) -> bool:
    """Tell whether a group was made within the last 10 s: a trial may be about to enter it."""
    try:
        return time.time() - group.stat().st_ctime < _NEW_S
    except FileNotFoundError:
        return True


def remove_group(group: Path) -> bool:
    """Remove an empty group; false where processes came meanwhile; one that is gone is no error."""
    try:
        group.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _folders(top: Path) -> list[Path]:
    return [path for path in top.rglob("*") if path.is_dir()]


def _pids(folder: Path) -> list[int]:
    try:
        return [int(word) for word in (folder / "cgroup.procs").read_text().split()]
    except (FileNotFoundError, OSError):
        return []
