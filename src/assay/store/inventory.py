"""Machines of the inventory as rows of the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.inventory import Entry, Role
from assay.model.machines.machine import Machine, Reach
from assay.store.faults import DamagedDatabaseError

_REACHED = tuple(field.name for field in fields(Machine) if field.name not in {"carrier", "job"})


def row_of(entry: Entry) -> dict[str, Any]:
    """Return a machine's row."""
    return {
        **{name: getattr(entry.machine, name) for name in _REACHED},
        "groups": json.dumps(entry.groups),
        "tags": json.dumps(dict(entry.tags)),
        "role": entry.role,
        "notes": entry.notes,
        "guest_of": entry.guest_of,
        "job": json.dumps(dict(entry.machine.job)),
    }


def entry_of(row: Mapping[str, Any], place: str) -> Entry:
    """Return the machine of a row.

    Args:
        row: It as it is in the database.
        place: The database, for messages.

    Raises:
        DamagedDatabaseError: It is none that assay has written.
    """
    if row["reach"] not in set(Reach):
        raise _damaged(row, "reach", place)
    if row["role"] is not None and row["role"] not in set(Role):
        raise _damaged(row, "role", place)
    reached = {name: row[name] for name in _REACHED}
    job = _read(row, "job", place)
    if not isinstance(job, dict) or not all(isinstance(value, str) for value in job.values()):
        raise _damaged(row, "job", place)
    machine = Machine(**{**reached, "reach": Reach(row["reach"]), "job": tuple(sorted(job.items()))})
    groups, tags = (_read(row, name, place) for name in ("groups", "tags"))
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
        raise _damaged(row, "groups", place)
    if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
        raise _damaged(row, "tags", place)
    role = None if row["role"] is None else Role(row["role"])
    return Entry(machine, tuple(groups), tuple(sorted(tags.items())), role, row["notes"], row["guest_of"])


def entries_of(rows: Iterable[Mapping[str, Any]], place: str) -> tuple[Entry, ...]:
    """Return the inventory of its rows, by name, this machine first; as ``entry_of``."""
    entries = sorted((entry_of(row, place) for row in rows), key=lambda entry: entry.name)
    return with_carriers([Entry(Machine("local")), *entries])


def with_carriers(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return machines with the carrier of each guest, as far as it is among them."""
    known = {entry.name: entry.machine for entry in entries}
    return tuple(
        replace(entry, machine=replace(entry.machine, carrier=known.get(entry.guest_of)))
        if entry.guest_of is not None
        else entry
        for entry in entries
    )


def check_carriers(entries: Iterable[Entry]) -> None:
    """Refuse a guest of what is no machine of the inventory, or a guest itself.

    Raises:
        UnknownNameError: There is no machine of that name.
        AssayError: It is a guest itself.
    """
    known = {entry.name: entry for entry in entries}
    for entry in known.values():
        if entry.guest_of is None:
            continue
        others = [name for name in known if name != entry.name]
        if entry.guest_of not in others:
            raise UnknownNameError(
                kind="machine",
                name=entry.guest_of,
                known=others,
                hint=f"'{entry.name}' is to be a guest of it: assay machine list",
            )
        if known[entry.guest_of].guest_of is not None:
            msg = f"cannot have '{entry.name}' as a guest of '{entry.guest_of}', which is a guest itself"
            raise AssayError(msg, hint="name the machine that carries both")


def _read(row: Mapping[str, Any], name: str, place: str) -> Any:
    try:
        return json.loads(row[name])
    except (TypeError, ValueError) as error:
        raise _damaged(row, name, place) from error


def _damaged(row: Mapping[str, Any], name: str, place: str) -> DamagedDatabaseError:
    return DamagedDatabaseError(place, f"machine.{name} is {row[name]!r}")
