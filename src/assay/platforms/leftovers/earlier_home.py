"""Homes of an assay that wrote no markers yet: known by their database or their activities, and marked."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.model.activity import is_activity_id
from assay.model.files.activities import activity_folder
from assay.model.files.home import mark_home
from assay.model.files.marker import mark

_KNOWN_BY = {
    "guests": ("spec.json",),
    "containers": ("note.json",),
    "data": (".assay-data",),
    "images": ("manifest.json",),
    "saved": ("manifest.json",),
}
"""File by which each folder below one of these is known as one of assay's."""
_HALF = {"images": ".build-", "saved": ".build-", "packs": ".new-"}
"""How the names of folders begin that were cut off in the making."""


def adopt(home: Path) -> bool:
    """Mark a home of an earlier assay, and the folders in it that it made; return whether it is one.

    What was put there by hand gets no marker, and is never removed.
    """
    made = (_has_database, _has_activity, _has_image, _has_pack, _has_guests_of_others)
    if not any(has(home) for has in made):
        return False
    with contextlib.suppress(OSError):  # a reader without the right to write
        for folder in _folders(home):
            mark(folder)
        mark_home(home)
    return True


def _has_database(home: Path) -> bool:
    """Tell whether there is a database with our tables."""
    file = home / "assay.db"
    if not file.is_file():
        return False
    query = "SELECT count(*) FROM sqlite_master WHERE name IN ('activity', 'trial', 'measurement', 'doubt')"
    try:
        with contextlib.closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute(query).fetchone()[0] == 4)
    except sqlite3.Error:
        return False


def _has_activity(home: Path) -> bool:
    """Tell whether an activity's description is there: its database may be damaged."""
    return any(_is_description(path) for path in (home / "activities").glob("*/activity.json"))


def _has_image(home: Path) -> bool:
    """Tell whether a guest image is there: they may have been built before anything was measured."""
    wanted = {"format", "packages", "kernel_release"}
    return any(wanted <= _read_object(path).keys() for path in (home / "images").glob("*/manifest.json"))


def _has_pack(home: Path) -> bool:
    """Tell whether a pack for workloads is there: nothing else may have been asked for yet."""
    return any(
        {"pythons", "distributions"} <= _read_object(path).keys()
        for path in (home / "packs").glob("*-*/pack.json")
    )


def _has_guests_of_others(home: Path) -> bool:
    """Tell whether an assay on another machine makes guests here: it has a folder of its own in this home."""
    return all((home / "remote" / name).is_dir() for name in ("images", "guests", "run"))


def _is_description(path: Path) -> bool:
    fields = _read_object(path)
    named = is_activity_id(path.parent.name)
    return named and (fields.get("schema"), fields.get("id")) == ("assay.activity", path.parent.name)


def _read_object(path: Path) -> dict[str, Any]:
    """Return the object in a file; empty where it holds none."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _folders(home: Path) -> Iterator[Path]:
    """Yield the folders below a home that an earlier assay surely made."""
    for kind, names in _KNOWN_BY.items():
        yield from (one for one in _real(home / kind) if any((one / name).is_file() for name in names))
    for kind, start in _HALF.items():
        yield from (one for one in _real(home / kind) if one.name.startswith(start))
    own = (one for one in _real(home / "work") if is_activity_id(one.name))
    yield from (one for one in own if (activity_folder(home, one.name) / "activity.json").is_file())


def _real(folder: Path) -> list[Path]:
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    return [one for one in entries if one.is_dir() and not one.is_symlink()]
