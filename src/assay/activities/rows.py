"""Rows of activities in the store: brought up to their records, and what may be done with those that were
imported.
"""

from __future__ import annotations

from contextlib import suppress

from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.platforms.claims import claim, is_live, release
from assay.store.rows import ActivityRow
from assay.store.store import Store


def take_up_records(store: Store) -> None:
    """Bring the rows of activities that were cut off up to their records; a folder that cannot be read stays
    out.

    Nothing is done while an activity runs: its records wait for the database meanwhile.
    """
    for row in store.activities(ActivityState.RUNNING, ActivityState.INTERRUPTED):
        if not row.is_own or is_live(store.home, row.id):
            continue
        records = len(list((row.folder / "trials").glob("[!.]*/trial.json")))
        if row.state is ActivityState.RUNNING or records != row.ended + row.failed:
            with suppress(AssayError, OSError):
                claim(store.home, row.id)
                try:
                    store.import_folder(row.folder)
                finally:
                    release(store.home, row.id)


def refuse_imported(row: ActivityRow, act: str) -> None:
    """Refuse an act on what was measured elsewhere: its commands are its author's, and its machines not
    these.

    Raises:
        AssayError: It was imported.
    """
    if row.source is not None:
        msg = f"cannot {act} activity {row.id}: it was {row.source}"
        hint = f"{act} it in the home where it was measured, or evaluate its scene here"
        raise AssayError(msg, hint=hint)
