"""Who may read records: their owner, and the group ``assay`` where the site has made one.

Modes are set, whatever the caller's umask and whatever a file had on the machine that it was brought from.

Source: ``man 2 chown``: root gives a file to any group, other users to one that they are in.
"""

from __future__ import annotations

import grp
import os
from functools import cache
from pathlib import Path

GROUP = "assay"
"""Its members read the records of all activities."""
INPUTS, LIST = "inputs", "inputs.json"
"""Folder of the copies of an activity's inputs, and the list of them beside it. They are no record, and
their digest is over the execute bits, folders' too."""
CLOSED = "tunings/*/applied.json*"
"""Files that are their owner's alone: a definition of libvirt's may hold passwords."""


def keep_file(file: Path | int) -> None:
    """Let a file of ours, by its path or open, be read by whom it concerns: mode 0600, or 0640
    for the group.
    """
    _keep(file, 0o600, 0o640)


def keep_folder(folder: Path) -> None:
    """Let a folder of ours be entered by whom it concerns: mode 0700, or 0750 for the group."""
    _keep(folder, 0o700, 0o750)


def keep_tree(folder: Path) -> None:
    """Do the same for a folder and all that is in it; inputs of an activity and ``CLOSED`` stay their owner's
    alone, what is in the former with the modes that it has.
    """
    keep_folder(folder)
    for place, folders, files in os.walk(folder):
        above = Path(place)
        if LIST in files and INPUTS in folders and not (above / INPUTS).is_symlink():
            folders.remove(INPUTS)
            (above / INPUTS).chmod(0o700)
        for path in (above / name for name in (*folders, *files)):
            if path.is_symlink():
                continue
            if path.match(CLOSED):
                path.chmod(0o600)
            else:
                (keep_folder if path.is_dir() else keep_file)(path)


def close_again(home: Path) -> None:
    """Take from the group what an earlier assay has opened to it."""
    for path in home.glob(CLOSED):
        if path.is_file() and not path.is_symlink():
            path.chmod(0o600)


def _keep(file: Path | int, alone: int, shared: int) -> None:
    os.chmod(file, shared if _gave(file) else alone)


def _gave(file: Path | int) -> bool:
    """Give a file to the site's group, and tell whether it has it."""
    if (group := site_group()) is None:
        return False
    try:
        os.chown(file, -1, group)
    except PermissionError:
        return False
    return True


@cache
def site_group() -> int | None:
    """Return the number of the group ``assay``; ``None`` where the site has made none."""
    try:
        return grp.getgrnam(GROUP).gr_gid
    except KeyError:
        return None
