"""Markers of assay's folders: nothing is removed but a folder whose marker names it.

A marker is written before anything else in a folder; the probe writes the same one where it makes folders.
Source: ``CACHEDIR.TAG`` (https://bford.info/cachedir/) has the idea of a file that says what a folder is.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from assay.model.files.own import is_own_file

FILE = ".assay"
SCHEMA, VERSION = "assay.folder", [1, 0]
_LARGEST_BYTES = 4096
_HALF = re.compile(r"\.assay\.\d+\.new")
"""A marker that is being written."""


def make_marked(folder: Path, *, mode: int = 0o700) -> None:
    """Make a folder of ours, its parents as needed, with its marker and a mode that no umask changes.

    Raises:
        FileExistsError: Something is there already, and is no empty folder.
        OSError: It cannot be made.
    """
    make_parents(folder)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if folder.is_symlink() or not folder.is_dir() or any(folder.iterdir()):
            raise
    mark(folder)
    folder.chmod(mode)


def make_parents(path: Path) -> None:
    """Make the folders that lead to a path, as far as they are not there: others may enter and read them.

    Raises:
        OSError: One cannot be made.
    """
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)


def mark(folder: Path) -> None:
    """Write the marker of a folder that is ours; one that has it stays as it is.

    Raises:
        OSError: It cannot be written.
    """
    write_marker(folder, marker_text(folder.name))


def marker_text(name: str) -> str:
    """Return the one line of the marker of a folder of this name."""
    return json.dumps({"schema": SCHEMA, "version": VERSION, "folder": name})


def write_marker(folder: Path, line: str, *, mode: int = 0o600) -> None:
    """Write a marker of one line, whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    part = folder / f"{FILE}.{os.getpid()}.new"
    with part.open("w", encoding="utf-8") as file:
        file.write(f"{line}\n")
        os.fchmod(file.fileno(), mode)
        file.flush()
        os.fsync(file.fileno())
    part.replace(folder / FILE)


def is_ours(path: Path) -> bool:
    """Tell whether a path is a marked folder or lies in one."""
    return any(is_marked(folder) for folder in (path, *path.parents))


def is_marked(folder: Path) -> bool:
    """Tell whether a folder has a marker that names it, and that nobody else can have written; a link never
    has.
    """
    marker = folder / FILE
    try:
        if folder.is_symlink() or not is_own_file(marker) or marker.stat().st_size > _LARGEST_BYTES:
            return False
        content = json.loads(marker.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and (content.get("schema"), content.get("folder")) == (
        SCHEMA,
        folder.name,
    )


def may_go(folder: Path) -> bool:
    """Tell whether a folder is one of ours, or holds nothing: its making was cut off before it had its
    marker.
    """
    return is_marked(folder) or half_marker(folder) is not None


def half_marker(folder: Path) -> tuple[Path, ...] | None:
    """Return what a creation that was cut off left in a folder, if nothing else lies there; else ``None``."""
    if folder.is_symlink():
        return None
    try:
        held = tuple(folder.iterdir())
    except OSError:
        return None
    return held if all(_HALF.fullmatch(entry.name) and is_own_file(entry) for entry in held) else None
