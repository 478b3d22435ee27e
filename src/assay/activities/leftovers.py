"""What crashes left on this machine and in this home, and its removal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.activities.trials.inflight import is_collected
from assay.activities.unlisted import has_records, never_began, unlisted
from assay.model.errors import AssayError
from assay.model.files.native import PROBE
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.leftovers.clean import Leftover, clean, leftovers
from assay.store.imports import left_copies
from assay.store.store import Store


def clean_here(home: Path, *, dry_run: bool) -> list[tuple[Leftover, bool]]:
    """Remove what was left and can be removed; return each thing found and whether it is gone.

    Args:
        home: Folder of all state.
        dry_run: Change nothing.

    Raises:
        MissingError: There may be guests, but libvirt is not there or refuses this user.
    """
    left = leftovers(home, subreaper=PROBE.path(), collected=is_collected)
    gone = () if dry_run else clean(home, subreaper=PROBE.path(), collected=is_collected)
    own = [*_unlisted(home), *_copies(home)]
    removed = {item.name for item in own if item.removable and not dry_run and remove_folder(Path(item.name))}
    return [*((item, item in gone) for item in left), *((item, item.name in removed) for item in own)]


def _copies(home: Path) -> Iterator[Leftover]:
    why = "a copy that was cut off"
    return (Leftover("folder", str(folder), why) for folder in left_copies(home))


def _unlisted(home: Path) -> Iterator[Leftover]:
    known = _known(home)
    for folder in () if known is None else unlisted(home, known):
        if has_records(folder):
            why = f"its records are in no list; assay result import {folder}"
            yield Leftover("folder", str(folder), why, removable=False)
        elif never_began(folder):
            yield Leftover("folder", str(folder), "an activity that never began")


def _known(home: Path) -> frozenset[str] | None:
    """Return the ids of the activities with rows; ``None`` where the database cannot be read."""
    try:
        store = Store(home)
    except AssayError:
        return None
    try:
        return store.ids()
    except AssayError:
        return None
    finally:
        store.close()
