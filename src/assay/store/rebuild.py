"""The rows of a home made anew from its records: from ``activity.json`` and ``trial.json`` alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assay.model.errors import AssayError
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Reach
from assay.store.chosen import chosen
from assay.store.fleet import is_fleet
from assay.store.imports import FOREIGN, OWN
from assay.store.revision import FILE
from assay.store.rows import ActivityRow
from assay.store.store import Store

BESIDE = ("", "-wal", "-shm")
"""Files of a database of SQLite in its journal mode."""


@dataclass(frozen=True)
class Rebuilt:
    """What was made anew.

    Attributes:
        activities: Their ids, by name of their folders.
        left_out: Folder and reason of each that cannot be read.
        kept: Where the old database lies; ``None`` where there was none.
        machines: Names of the machines that could be taken over; ``None`` where the old inventory cannot be
            read.
    """

    activities: tuple[str, ...]
    left_out: tuple[tuple[Path, str], ...]
    kept: Path | None
    machines: tuple[str, ...] | None


def rebuild(home: Path, *, now: datetime | None = None) -> Rebuilt:
    """Make the database of a home anew; the old one is kept beside it, under the time.

    On a server the rows of this home are made anew, and no others.

    Records do not tell of the inventory, of the looks at its machines, and of where results are that were
    imported and left in their place: these are taken over where the old database still has them. Nobody may
    write to the database meanwhile.

    Args:
        home: The home.
        now: The time of the call, for the name of the old database; ``None`` is this moment.

    Raises:
        MissingError: The folder cannot be written.
    """
    if chosen(home) is not None:
        return _anew_on_server(home)
    untold = _untold(home)
    kept = put_aside(home, now or datetime.now(UTC))
    store = Store(home)
    try:
        if untold is not None:
            store.add_machines(untold.machines)
            store.add_health(untold.looks)
        activities, left_out = import_all(store, untold.links if untold else ())
    finally:
        store.close()
    names = None if untold is None else tuple(machine.name for machine in untold.machines)
    return Rebuilt(tuple(activities), tuple(left_out), kept, names)


def _anew_on_server(home: Path) -> Rebuilt:
    store = Store(home)
    try:
        machines = tuple(entry.name for entry in store.entries() if entry.machine.reach is not Reach.LOCAL)
        links = _links(store)
        store.forget_own()
        activities, left_out = import_all(store, links)
    finally:
        store.close()
    return Rebuilt(tuple(activities), tuple(left_out), None, machines)


@dataclass(frozen=True)
class _Untold:
    """What no record tells."""

    machines: tuple[Entry, ...]
    looks: tuple[Health, ...]
    links: tuple[ActivityRow, ...]


def _untold(home: Path) -> _Untold | None:
    """Return what the old database alone knows; ``None`` where it cannot be read."""
    if not (home / FILE).exists():
        return _Untold((), (), ())
    try:
        store = Store(home)
    except AssayError:
        return None
    try:
        machines = tuple(entry for entry in store.entries() if entry.machine.reach is not Reach.LOCAL)
        looks = (look for machine in store.machines() for look in store.health(machine.name))
        return _Untold(machines, tuple(looks), _links(store))
    except (AssayError, ValueError):
        return None
    finally:
        store.close()


def _links(store: Store) -> tuple[ActivityRow, ...]:
    """Return the imported results whose folders were left where they are."""
    rows = (row for row in store.activities() if row.origin is not None and row.controller is None)
    return tuple(row for row in rows if not row.folder.is_relative_to(store.home))


def put_aside(home: Path, now: datetime) -> Path | None:
    """Give the database in a home the name of a moment; return it, or ``None`` where there is none."""
    if not os.path.lexists(home / FILE):
        return None
    kept = home / f"{FILE}.{now:%Y-%m-%dT%H%M%S.%fZ}"
    for suffix in BESIDE:
        if os.path.lexists(old := home / f"{FILE}{suffix}"):
            old.rename(f"{kept}{suffix}")
    return kept


def import_all(store: Store, links: Sequence[ActivityRow] = ()) -> tuple[list[str], list[tuple[Path, str]]]:
    """Take in every activity of a home; return their ids, and the folders that cannot be read with why.

    Args:
        store: Takes them in.
        links: Imported results whose folders stay elsewhere.
    """
    activities, left_out = list[str](), list[tuple[Path, str]]()
    folders = (folder for kind in (OWN, FOREIGN) for folder in sorted((store.home / kind).glob("[!.]*/")))
    for folder in folders:
        try:
            take_in = store.import_fleet if is_fleet(folder) else store.import_folder
            activities.append(take_in(folder))
        except AssayError as error:
            left_out.append((folder, error.message))
    for row in links:
        try:
            activities.append(store.import_folder(row.folder, link=True, imported_ns=row.imported_ns))
        except AssayError as error:
            left_out.append((row.folder, error.message))
    return activities, left_out
