"""What lists say of activities on several machines: made at the end, and of what has none when it is looked
at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.activities.summaries import MADE_BY
from assay.model.errors import AssayError
from assay.platforms.claims import is_live
from assay.store.fleet import read_fleet
from assay.store.record import OPEN
from assay.store.rows import FleetRow, KeptFleetSummary
from assay.store.store import Store

if TYPE_CHECKING:
    from assay.pages.fleet import FleetPage


def keep_fleet_summary(store: Store, page: FleetPage) -> KeptFleetSummary:
    """Keep what lists say of a page."""
    from assay.report.tables.fleet import fleet_headline  # heavy, and no list needs it

    records = sum(row.ended + row.failed for row in store.lanes_of(page.id))  # as lists count them
    kept = KeptFleetSummary(page.id, records, MADE_BY, page.state, page.scene, fleet_headline(page))
    store.keep_fleet_summary(kept)
    return kept


def fleet_summaries(
    store: Store, rows: Sequence[FleetRow], warn: Callable[[str, AssayError], None]
) -> Iterator[tuple[FleetRow, KeptFleetSummary]]:
    """Yield what lists say of activities on several machines; what has none yet is made of its records, and
    kept.

    Args:
        store: Keeps them.
        rows: The activities.
        warn: Is told of each that cannot be read: it is left out.
    """
    known = store.fleet_summaries(MADE_BY) if rows else {}
    for row in rows:
        try:
            yield row, _now(known.get(row.id) or _made(store, row), row, store)
        except AssayError as error:  # one that is damaged or gone must not hide the others
            warn(row.id, error)


def _made(store: Store, row: FleetRow) -> KeptFleetSummary:
    if row.controller is not None:
        about = f"{row.lanes} machines, with the controller '{row.controller}'"
        return KeptFleetSummary(row.id, 0, "", str(row.state), row.scene, about)
    if is_live(store.home, row.id):  # records come by the second: none is read for a list
        fleet, lanes = read_fleet(row.folder), store.lanes_of(row.id)
        about = f"{sum(one.ended + one.failed for one in lanes)} of {sum(one.trials for one in lanes)} trials"
        scene = fleet.scene if fleet.scale is None else f"{fleet.scene} ({fleet.scale})"
        return KeptFleetSummary(row.id, 0, "", "running", scene, about)
    from assay.activities.fleet.pages import fleet_page  # few have to be made

    return keep_fleet_summary(store, fleet_page(row.folder, store.home))


def _now(kept: KeptFleetSummary, row: FleetRow, store: Store) -> KeptFleetSummary:
    """Return a summary with where its activity stands now."""
    if row.controller is not None:
        return replace(kept, state=str(row.state))
    if not _is_there(row.folder):
        msg = f"cannot read activity {row.id}: its folder {row.folder} is gone"
        raise AssayError(msg, hint="assay store rebuild")
    if kept.state not in OPEN:
        return kept
    return replace(kept, state="running" if is_live(store.home, row.id) else "interrupted")


def _is_there(folder: Path) -> bool:
    return (folder / "fleet.json").exists()
