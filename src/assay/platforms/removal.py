"""Removal of folders of ours: what a marker names, and nothing that a link or a mount leads to.

Source: ``man 1 find`` (``-xdev``, ``-delete``, which takes a link itself).
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from assay.model.files.marker import FILE, is_ours, mark
from assay.platforms.host_command import HOUR_S, ask
from assay.platforms.mounts import read_mounts


def remove_tree(folder: Path) -> None:
    """Remove a folder that is ours; one without a marker, or in which something is mounted, stays.

    The marker goes last: what a crash leaves of the folder is still known.
    """
    folder = folder.parent.resolve() / folder.name
    if not is_ours(folder) or not folder.is_dir() or _is_mounted(folder):
        return
    marker = folder / FILE
    spared = ["-not", "-samefile", str(marker)] if marker.exists() else []
    command = ["find", str(folder), "-xdev", "-mindepth", "1", *spared, "-delete"]
    ask(command, timeout_s=HOUR_S)
    if [entry.name for entry in folder.iterdir()] in ([], [FILE]):
        marker.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()


def scratch_folder(prefix: str, below: Path) -> Path:
    """Make a new folder of ours, for its owner alone, whose name begins with a prefix."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=below))
    mark(folder)
    return folder


def _is_mounted(folder: Path) -> bool:
    """Tell whether something is mounted at a folder or below it."""
    return any(folder in (mount.point, *mount.point.parents) for mount in read_mounts())
