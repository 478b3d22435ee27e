"""The rows of a home moved to a database on a server, or back into its own file; the records stay."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.model.errors import AssayError
from assay.store import tables as t
from assay.store.chosen import Chosen, check_controller, choose, chosen, shown
from assay.store.database import open_chosen, open_database, open_own
from assay.store.rebuild import put_aside
from assay.store.revision import FILE

CHUNK = 2000
"""Rows that are in memory at one time."""
OF_ACTIVITIES = (
    *(t.trial, t.measurement, t.doubt, t.summary, t.summary_content, t.summary_key, t.seen, t.boot, t.tag),
)
REACHED = ("reach", "host", "user", "port", "host_key", "guest_of")
"""What makes a machine of one name the same machine."""


@dataclass(frozen=True)
class Moved:
    """What was moved.

    Attributes:
        place: The database that holds it now.
        activities: Number of activities, on one machine and on several.
        machines: Number of machines that were not there yet.
        left_out: Ids of imported results that another controller has measured, and that are there already.
        kept: Where the old file lies; ``None`` where there was none.
    """

    place: str
    activities: int
    machines: int
    left_out: tuple[str, ...]
    kept: Path | None


def move(home: Path, target: Chosen | None, *, now: datetime | None = None, replace: bool = False) -> Moved:
    """Move the rows of a home into another database, in one transaction; nobody may write to it meanwhile.

    A move that was cut off is done again from its beginning. The old file is kept beside, under the time;
    on a server the rows of this home are removed once they are here, and the machines stay.

    Args:
        home: The home.
        target: The database on a server; ``None`` is a file in the home.
        now: The time of the call, for the name of an old file; ``None`` is this moment.
        replace: This home takes the place of one that is lost and was called the same there: the rows of that
            one are removed.

    Raises:
        AssayError: It is there already; its name, a machine or a result is another's there.
        MissingError: The database cannot be used.
    """
    before = chosen(home)
    if before == target:
        place = home / FILE if target is None else shown(target.url)
        msg = f"cannot move the database: it is {place} already"
        raise AssayError(msg)
    if replace and (before is not None or target is None):
        msg = "cannot replace a lost home: expected a home with a file of its own, which moves to a server"
        raise AssayError(msg, hint="assay store move file; then again: assay store move ADDRESS --replace")
    kept = put_aside(home, now or datetime.now(UTC)) if target is None else None
    source = open_database(home)
    try:
        into = open_own(home) if target is None else open_chosen(target)
    except BaseException:
        source.dispose()
        raise
    try:
        if before is not None and target is not None and _is_same(source, into):
            return _called_anew(source, home, before, target)
        with source.connect() as rows, into.begin() as new:
            moved = _copy(rows, new, _Ends(home, before, target, replace=replace))
        choose(home, target)
        if before is not None:
            with source.begin() as old:
                _forget(old, before.controller)
    finally:
        source.dispose()
        into.dispose()
    kept = kept if target is None else put_aside(home, now or datetime.now(UTC))
    place = str(home / FILE) if target is None else shown(target.url)
    return Moved(place, *moved, kept)


def _is_same(one: sa.Engine, other: sa.Engine) -> bool:
    """Tell whether two addresses lead to one database, by when its server started and its number there."""
    query = sa.text(
        "SELECT pg_postmaster_start_time(), oid FROM pg_database WHERE datname = current_database()"
    )
    with one.connect() as here, other.connect() as there:
        return here.execute(query).one() == there.execute(query).one()


def _called_anew(engine: sa.Engine, home: Path, before: Chosen, target: Chosen) -> Moved:
    """Give a home another address of its database, or another name in it; its rows stay where they are."""
    with engine.begin() as connection:
        count = 0
        if before.controller != target.controller:
            _register(connection, target, home)
            _leave(connection, before.controller)
        for table in (t.activity, t.fleet):
            ours = sa.update(table).where(table.c.controller == before.controller)
            count += connection.execute(ours.values(controller=target.controller)).rowcount
    choose(home, target)
    return Moved(shown(target.url), count, 0, (), None)


@dataclass(frozen=True)
class _Ends:
    """From where a home is moved, and to where; ``None`` is its own file."""

    home: Path
    before: Chosen | None
    target: Chosen | None
    replace: bool = False

    def is_ours(self, table: sa.Table) -> sa.ColumnElement[bool]:
        its: sa.Column[str] = table.c.controller
        return its.is_(None) if self.before is None else its == self.before.controller


def _copy(rows: sa.Connection, new: sa.Connection, ends: _Ends) -> tuple[int, int, tuple[str, ...]]:
    """Copy all that is of a home; return the numbers of activities and machines, and the results left out."""
    if ends.target is not None:
        _register(new, ends.target, ends.home, replace=ends.replace)
        _forget(new, ends.target.controller, registered=True)
    machines = _copy_machines(rows, new)
    name = None if ends.target is None else ends.target.controller
    known = _ids(new)
    ours = list(_chunks(rows, sa.select(t.activity).where(ends.is_ours(t.activity))))
    copied = [one for some in ours for one in some if one["id"] not in known]
    left_out = [one for some in ours for one in some if one["id"] in known]
    fleets = [one for some in _chunks(rows, sa.select(t.fleet).where(ends.is_ours(t.fleet))) for one in some]
    for one in (*left_out, *fleets):
        if one.get("origin") is None and one["id"] in known:
            msg = f"cannot move the database: activity {one['id']} is another controller's there"
            raise AssayError(
                msg, hint="two that were measured apart have the same id: keep this home's own file"
            )
    for table, some in ((t.activity, copied), (t.fleet, fleets)):
        _insert(new, table, [{**one, "controller": name} for one in some])
    for table in OF_ACTIVITIES:
        its = (
            sa.select(table)
            .join(t.activity, t.activity.c.id == table.c.activity)
            .where(ends.is_ours(t.activity))
        )
        for some in _chunks(rows, its):
            _insert(new, table, [one for one in some if one["activity"] not in known])
    short = sa.select(t.fleet_summary).join(t.fleet, t.fleet.c.id == t.fleet_summary.c.fleet)
    for some in _chunks(rows, short.where(ends.is_ours(t.fleet))):
        _insert(new, t.fleet_summary, some)
    return len(copied) + len(fleets), machines, tuple(one["id"] for one in left_out)


def _register(new: sa.Connection, target: Chosen, home: Path, *, replace: bool = False) -> None:
    """Say which home a controller is.

    Raises:
        AssayError: Another is called so.
    """
    name, host = check_controller(target.controller), socket.gethostname()
    if replace:
        _leave(new, name)
    known = new.execute(sa.select(t.controller).where(t.controller.c.name == name)).mappings().first()
    if known is None:
        values = {"name": name, "host": host, "home": str(home), "since_ns": time.time_ns()}
        new.execute(sa.insert(t.controller).values(**values))
    elif (known["host"], known["home"]) != (host, str(home)):
        other = f"{known['home']} of {known['host']}"
        msg = f"cannot be the controller '{name}' of {shown(target.url)}: it is {other}"
        hint = "give this one another name: --controller NAME; where that home is lost for good: --replace"
        raise AssayError(msg, hint=hint)


def _forget(connection: sa.Connection, controller: str, *, registered: bool = False) -> None:
    """Remove the rows of a controller, and unless it stays registered its own."""
    for table in (t.activity, t.fleet):
        connection.execute(sa.delete(table).where(table.c.controller == controller))
    if not registered:
        _leave(connection, controller)


def _leave(connection: sa.Connection, controller: str) -> None:
    connection.execute(sa.delete(t.controller).where(t.controller.c.name == controller))


def _copy_machines(rows: sa.Connection, new: sa.Connection) -> int:
    """Copy machines, and how those were that nobody there has looked at; one of a name must be reached alike.

    Raises:
        AssayError: One is reached in another way there.
    """
    there = {row["name"]: row for row in new.execute(sa.select(t.machine)).mappings()}
    ours = [dict(row) for row in rows.execute(sa.select(t.machine)).mappings()]
    for one in ours:
        other = there.get(one["name"], one)
        if wrong := [name for name in REACHED if one[name] != other[name]]:
            msg = f"cannot move the database: machine '{one['name']}' has another {wrong[0]} there"
            raise AssayError(msg, hint=f"assay machine remove {one['name']}, and add it under another name")
    added = [one for one in ours if one["name"] not in there]
    _insert(new, t.machine, added)
    looked_at = {name for (name,) in new.execute(sa.select(t.health.c.machine).distinct())}
    for some in _chunks(rows, sa.select(t.health)):
        _insert(new, t.health, [one for one in some if one["machine"] not in looked_at])
    return len(added)


def _ids(connection: sa.Connection) -> frozenset[str]:
    return frozenset(
        one for table in (t.activity, t.fleet) for one in connection.execute(sa.select(table.c.id)).scalars()
    )


def _chunks(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a query, some thousand at a time."""
    result = connection.execution_options(yield_per=CHUNK).execute(query)
    for some in result.mappings().partitions(CHUNK):
        yield [dict(row) for row in some]


def _insert(
    connection: sa.Connection, table: sa.Table, rows: list[Mapping[str, Any]] | list[dict[str, Any]]
) -> None:
    if rows:
        connection.execute(sa.insert(table), rows)
