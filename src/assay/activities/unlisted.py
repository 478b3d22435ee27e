"""Folders of activities without a row: cut off before it was made, or after the database was lost."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from assay.model.activity import is_activity_id
from assay.model.files.activities import LANES
from assay.model.files.marker import may_go
from assay.platforms.claims import is_live
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.store.store import Store


def unlisted(home: Path, known: Collection[str]) -> tuple[Path, ...]:
    """Return the folders of activities that have no row and that no process conducts.

    Args:
        home: Folder of all state.
        known: Ids of the activities that have one.
    """
    folders = sorted((home / "activities").glob("*"))
    return tuple(folder for folder in folders if folder.name not in known and not is_live(home, folder.name))


def has_records(folder: Path) -> bool:
    """Tell whether an activity has a trial's record, whole or damaged, or a trial under way."""
    whole = [folder, *(folder / LANES).glob("*")]
    return any(any((one / "trials").glob("[!.]*")) or (one / "inflight.json").exists() for one in whole)


def never_began(folder: Path) -> bool:
    """Tell whether a folder is one of ours in which nothing was measured."""
    return is_activity_id(folder.name) and may_go(folder) and not has_records(folder)


def remove_unbegun(home: Path, store: Store) -> None:
    """Remove what creations that were cut off left: copies of inputs may be large."""
    for folder in filter(never_began, unlisted(home, store.ids())):
        remove_folder(folder)
