"""Small JSON files that survive a crash: whole or not there."""

from __future__ import annotations

import json
import os
from itertools import count
from pathlib import Path
from typing import Any

from assay.model.files.json_text import parse_json
from assay.platforms.readers import make_missing


def write_json(path: Path, value: dict[str, Any], *, mode: int = 0o600) -> None:
    """Write a JSON object so that after a crash the file is the old one or the new one, never half.

    The content and its name are on the disk when this returns.

    Args:
        path: Its folder is made too.
        value: What goes into it.
        mode: Whatever the caller's umask: 0644 for what processes of other users ask, too.
    """
    make_missing(path.parent)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    handle = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        os.fchmod(handle, mode)
        json.dump(value, file, indent=1, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    _sync_folder(path.parent)


def read_json(path: Path, *names: str) -> dict[str, Any] | None:
    """Return the object in a file that ``write_json`` made; ``None`` where there is no whole one.

    Args:
        path: The file.
        names: Fields without which it is not whole.
    """
    try:
        value = parse_json(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return value if isinstance(value, dict) and value.keys() >= set(names) else None


def free_place(path: Path, suffix: str) -> Path:
    """Return the first path that is not there of ``path`` with a suffix and a number, to keep the
    file aside.
    """
    places = (path.with_name(f"{path.name}{suffix}-{number}") for number in count(1))
    return next(place for place in places if not place.exists())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
