"""Activities that were measured elsewhere: where they lie, and where they came from.

Layout of a home::

    activities/<id>/             measured here; only these are run, stopped and proved
    imported/<id>/               copies of others' folders, for reading
    imported/<id>/imported.json  where a copy came from, and when
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.model.errors import AssayError, MissingError
from assay.model.files.marker import FILE as MARKER
from assay.model.files.marker import make_marked, may_go
from assay.model.units import format_bytes
from assay.store.content import content_bytes, content_digest, copy_content
from assay.store.readers import keep_folder, keep_tree
from assay.store.record import replace_file, sync_folder

OWN, FOREIGN = "activities", "imported"
NOTE = "imported.json"
LEFT_BYTES = 64 << 20
"""Others that write on the disk of a home are left this much by an import."""
SCHEMA, VERSION = "assay.imported", (1, 0)


@dataclass(frozen=True)
class Import:
    """Where an imported activity came from.

    Attributes:
        origin: Its folder there, absolute.
        imported_ns: Wall clock at its import, ns since 1970.
    """

    origin: str
    imported_ns: int


def is_place(home: Path, kind: str, activity: str, folder: Path) -> bool:
    """Tell whether a folder is the one that an activity of this kind, ``OWN`` or ``FOREIGN``, has
    in a home.
    """
    return folder.resolve() == (home / kind / activity).resolve()


def read_import(copy: Path) -> Import:
    """Return where a copy came from; one without a legible note was imported at the beginning of time."""
    try:
        note = json.loads((copy / NOTE).read_bytes())
        return Import(str(note["origin"]), min(max(int(note["imported_ns"]), 0), time.time_ns()))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return Import(str(copy), 0)


@contextmanager
def copied(folder: Path, home: Path, activity: str) -> Iterator[Path]:
    """Yield a copy of an activity's folder, which is gone afterwards unless ``settle`` gave it its name.

    Raises:
        MissingError: It cannot be read, or not be written here; a copy that would fill the disk is not begun.
    """
    place = home / FOREIGN / f".{activity}.{os.getpid()}.new"
    try:
        make_marked(place)
        keep_folder(place)
        _require_room(folder, place)
        copy_content(folder, place)
        yield place
    except AssayError as error:  # who reads the copy names it, not what is imported
        error.message = error.message.replace(str(place), str(folder))
        raise
    except OSError as error:
        msg = f"cannot import {folder}: {error.strerror or error}: {error.filename or place}"
        raise MissingError(msg) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _require_room(folder: Path, place: Path) -> None:
    needed, free = content_bytes(folder), shutil.disk_usage(place).free
    if needed > free - LEFT_BYTES:
        msg = (
            f"cannot import {folder}: it takes {format_bytes(needed)}, the disk of "
            f"{place.parent} has {format_bytes(free)} free, of which {format_bytes(LEFT_BYTES)} stay so"
        )
        raise MissingError(
            msg, hint=f"free some space, or leave it where it is: assay result import --link {folder}"
        )


def left_copies(home: Path) -> list[Path]:
    """Return copies of which a crash has left a part: the process that they are named after is gone."""
    copies = (folder for folder in sorted((home / FOREIGN).glob(".*.new")) if may_go(folder))
    return [folder for folder in copies if not Path("/proc", folder.name.split(".")[-2]).exists()]


def settle(copy: Path, home: Path, activity: str, note: Import) -> Path:
    """Give a copy its name, with the note of where it came from; return its place."""
    place = home / FOREIGN / activity
    content = {"schema": SCHEMA, "version": VERSION, **asdict(note)}
    replace_file(copy / NOTE, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")
    keep_tree(copy)
    for folder, _, _ in os.walk(copy):
        sync_folder(Path(folder))
    (copy / MARKER).unlink()  # it names the copy as it was called so far
    copy.rename(place)
    for above in (place.parent, home):
        sync_folder(above)
    return place


def require_same(known: Path, other: Path, activity: str, *, origin: Path) -> None:
    """Refuse a folder that has the id of a known activity, but not its content.

    Args:
        known: Folder of the known activity.
        other: What is to be imported.
        activity: The id of both.
        origin: What the second is called.

    Raises:
        AssayError: They differ.
    """
    if content_digest(known) != content_digest(other):
        msg = f"cannot import {origin}: activity {activity} is known with other content, in {known}"
        raise AssayError(msg, hint=f"diff -r {known} {origin}")
