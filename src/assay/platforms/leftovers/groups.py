"""Control groups named ``assay`` that trials left behind.

Source: Linux ``Documentation/admin-guide/cgroup-v1/cgroups.rst`` and ``cgroup-v2.rst``: a group without
processes and without children is removed by ``rmdir``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_NAME = "assay"
_NEW_S = 10.0


def our_groups(root: Path = _ROOT) -> tuple[Path, ...]:
    """Return our groups in all hierarchies, children before their parents.

    The probe makes them below its own group, which an outer limit may have put anywhere.
    """
    ours = [folder for folder in _folders(root) if _NAME in folder.relative_to(root).parts]
    return tuple(sorted(ours, key=lambda folder: (-len(folder.parts), str(folder))))


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
    """Return the folders below one; groups come and go meanwhile, and those that have gone are left out."""
    return [Path(folder) for folder, _, _ in os.walk(top)][1:]


def _pids(folder: Path) -> list[int]:
    try:
        return [int(word) for word in (folder / "cgroup.procs").read_text().split()]
    except (FileNotFoundError, OSError):
        return []
