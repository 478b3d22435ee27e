"""Rows of the inventory of machines, and of how they were."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import sqlalchemy as sa

from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach
from assay.store import tables as t
from assay.store.chosen import chosen
from assay.store.database import open_database, place_of
from assay.store.inventory import check_carriers, entries_of, row_of, with_carriers

HEALTH_KEPT_S = 14 * 86400.0
"""A thousand machines that are watched each minute make 20 million rows in this time, of 100 B."""


class MachineRows:
    """The inventory in a database.

    Attributes:
        home: The home whose database it is.
        database: What the database is called in messages.
        controller: What this home is called where several share one database; ``None`` in its own.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._engine = open_database(home)
        self.database = place_of(home)
        other = chosen(home)
        self.controller = None if other is None else other.controller

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def entries(self) -> tuple[Entry, ...]:
        """Return the inventory by name, this machine first."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(t.machine)).mappings().all()
        return entries_of([dict(row) for row in rows], self.database)

    def machines(self) -> tuple[Machine, ...]:
        """Return how each machine of the inventory is reached, by name, this one first."""
        return tuple(entry.machine for entry in self.entries())

    def machine(self, name: str) -> Machine:
        """Return one machine.

        Raises:
            UnknownNameError: There is none of that name.
        """
        known = {machine.name: machine for machine in self.machines()}
        if name not in known:
            raise UnknownNameError(kind="machine", name=name, known=known, hint="assay machine list")
        return known[name]

    def add_machines(self, entries: Sequence[Entry], *, replace: bool = False) -> tuple[Entry, ...]:
        """Add machines, all of them or none; return those that were not there as they are now.

        Args:
            entries: The machines, each once.
            replace: Whether one whose name is taken takes that one's place; one that is the same changes
                nothing.

        Raises:
            AssayError: A name is taken, or one is a guest of no machine that may carry it.
        """
        known = {entry.name: entry for entry in self.entries()}
        every = with_carriers([*{**known, **{entry.name: entry for entry in entries}}.values()])
        names = {entry.name for entry in entries}
        new = tuple(one for one in every if one.name in names and known.get(one.name) != one)
        for entry in new:
            if entry.name in known and not (replace and entry.machine.reach is not Reach.LOCAL):
                msg = f"cannot add machine '{entry.name}': the name is taken"
                raise AssayError(msg, hint=f"assay machine remove {entry.name}, or import with --replace")
        check_carriers(every)
        try:
            with self._engine.begin() as connection:
                for entry in new:
                    connection.execute(sa.delete(t.machine).where(t.machine.c.name == entry.name))
                    connection.execute(sa.insert(t.machine).values(**row_of(entry)))
        except sa.exc.IntegrityError as error:
            msg = "cannot add machines: another assay has just added one of the same name"
            raise AssayError(msg, hint="assay machine list") from error
        return new

    def remove_machines(self, names: Sequence[str]) -> None:
        """Remove machines, all of them or none; results measured on them stay.

        Raises:
            UnknownNameError: There is none of a name.
            AssayError: One is ``local``, or carries a machine that stays.
        """
        for name in names:
            if self.machine(name).reach is Reach.LOCAL:
                msg = "cannot remove machine 'local': it is this machine"
                raise AssayError(msg)
        left = [entry for entry in self.entries() if entry.name not in names and entry.guest_of in names]
        if left:
            msg = f"cannot remove machine '{left[0].guest_of}': '{left[0].name}' is a guest of it"
            raise AssayError(msg, hint=f"assay machine remove {','.join(entry.name for entry in left)}")
        with self._engine.begin() as connection:
            connection.execute(sa.delete(t.machine).where(t.machine.c.name.in_(names)))

    def add_health(self, looks: Iterable[Health]) -> None:
        """Keep how machines are; looks of more than ``HEALTH_KEPT_S`` before the newest go."""
        rows = [asdict(look) for look in looks]
        if not rows:
            return
        oldest = max(row["at_ns"] for row in rows) - int(HEALTH_KEPT_S * 1e9)
        with self._engine.begin() as connection:
            for row in rows:
                its = [t.health.c[name] == row[name] for name in ("machine", "at_ns")]
                connection.execute(sa.delete(t.health).where(*its))
            connection.execute(sa.insert(t.health), rows)
            connection.execute(sa.delete(t.health).where(t.health.c.at_ns < oldest))

    def health(self, machine: str | None = None) -> tuple[Health, ...]:
        """Return how machines are by the last look at each, by name; of one machine all looks, the oldest
        first.
        """
        if machine is not None:
            query = sa.select(t.health).where(t.health.c.machine == machine).order_by(t.health.c.at_ns)
        else:
            last = sa.select(t.health.c.machine, sa.func.max(t.health.c.at_ns).label("at_ns"))
            newest = last.group_by(t.health.c.machine).subquery()
            same = (t.health.c.machine == newest.c.machine) & (t.health.c.at_ns == newest.c.at_ns)
            query = sa.select(t.health).join(newest, same)
        with self._engine.connect() as connection:
            looks = [Health(**dict(row)) for row in connection.execute(query).mappings()]
        return tuple(sorted(looks, key=lambda look: (look.machine, look.at_ns)))

    def last_seen(self) -> dict[str, int]:
        """Return when each machine was last reached, ns since 1970, by name; without those that no look that
        is kept has reached.
        """
        known = sa.select(t.health.c.machine).distinct().subquery()
        its = sa.select(t.health.c.at_ns).where(t.health.c.machine == known.c.machine)
        newest = its.where(t.health.c.why.is_(None)).order_by(t.health.c.at_ns.desc()).limit(1)
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(known.c.machine, newest.scalar_subquery()))
            return {name: at_ns for name, at_ns in rows if at_ns is not None}
