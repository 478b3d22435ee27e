"""Rows of activities, on one machine and on several, with their results in short: added, found and listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa

from assay.model.activity import ActivityState
from assay.model.errors import AssayError, UnknownNameError
from assay.model.fleet import Fleet
from assay.store import tables as t
from assay.store.imports import FOREIGN
from assay.store.machines import MachineRows
from assay.store.record import RecordError, read_activity
from assay.store.rows import ActivityRow, FleetRow, KeptFleetSummary, KeptSummary, activity_row, fleet_row
from assay.store.search import Filter, Found, conditions, ran_on
from assay.store.summaries import put, put_fleet, select_kept, select_kept_fleets

RECORDS = ("activity.json", "fleet.json")
Listed = TypeVar("Listed", ActivityRow, FleetRow)


class ActivityRows(MachineRows):
    """What was measured, as a database lists it."""

    def add_fleet(self, fleet: Fleet, folder: Path, state: ActivityState = ActivityState.RUNNING) -> None:
        """Add an activity on several machines, or its row anew; its lanes have rows of their own."""
        names = ("id", "scene", "title", "who", "created_ns", "seed")
        values = {name: getattr(fleet, name) for name in names}
        with self._engine.begin() as connection:
            connection.execute(sa.delete(t.fleet).where(t.fleet.c.id == fleet.id))
            where = {"folder": str(folder), "state": state, "lanes": len(fleet.lanes)}
            where["controller"] = self.controller
            connection.execute(sa.insert(t.fleet).values(**values, **where))

    def set_fleet_state(self, fleet: str, state: ActivityState, *, ended_ns: int | None) -> None:
        """Say where an activity on several machines stands."""
        change = sa.update(t.fleet).where(t.fleet.c.id == fleet)
        with self._engine.begin() as connection:
            connection.execute(change.values(state=state, ended_ns=ended_ns))

    def fleets(self) -> tuple[FleetRow, ...]:
        """Return all activities on several machines, the newest first."""
        return self._fleets()

    def _fleets(self, *where: sa.ColumnElement[bool], limit: int | None = None) -> tuple[FleetRow, ...]:
        query = sa.select(t.fleet).where(*where).order_by(t.fleet.c.created_ns.desc()).limit(limit)
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings()
            return tuple(fleet_row(dict(row), self.database, self.controller) for row in rows)

    def lanes_of(self, fleet: str) -> tuple[ActivityRow, ...]:
        """Return the lanes of an activity on several machines that were planned, by machine."""
        return tuple(sorted(self._rows(t.activity.c.fleet == fleet), key=lambda row: row.machine or ""))

    def find(self, name: str, *, runs: bool = False, own: bool = False) -> ActivityRow | FleetRow:
        """Return the activity of that name, on one machine or on several; arguments and errors as of
        ``activity``.
        """
        if name == "last":
            ours = self._fleets(self._ours(t.fleet), limit=1)
            newest = next(
                iter(self._rows(t.activity.c.fleet.is_(None), self._ours(t.activity), limit=1)), None
            )
            made = 0 if newest is None else newest.imported_ns or newest.created_ns
            if ours and ours[0].created_ns > made:
                return ours[0]
            return self.activity(name, runs=runs, own=own)
        fitting = self._fleets_beginning(name)
        others = [row.id for row in self._beginning(name)] if fitting else []
        if len(fitting) + len(others) > 1 and name not in {row.id for row in fitting}:
            ids = [*(row.id for row in fitting), *others]
            msg = f"cannot tell which activity '{name}' is: {', '.join(ids)} begin so"
            raise AssayError(msg)
        return self._read_here(fitting[0]) if fitting else self.activity(name, runs=runs, own=own)

    def set_state(self, activity: str, state: ActivityState, *, ended_ns: int | None) -> None:
        """Say where an activity stands."""
        change = sa.update(t.activity).where(t.activity.c.id == activity)
        with self._engine.begin() as connection:
            connection.execute(change.values(state=state, ended_ns=ended_ns))

    def keep_summary(self, kept: KeptSummary) -> None:
        """Keep a result in short, in the place of what was kept of it before."""
        with self._engine.begin() as connection:
            put(connection, kept)

    def keep_fleet_summary(self, kept: KeptFleetSummary) -> None:
        """Keep what lists say of an activity on several machines, in the place of what was kept before."""
        with self._engine.begin() as connection:
            put_fleet(connection, kept)

    def fleet_summaries(self, made_by: str) -> dict[str, KeptFleetSummary]:
        """Return what is kept of activities on several machines and still right, by activity.

        Args:
            made_by: This assay: what another has made is left out.
        """
        query = select_kept_fleets(made_by, self._others(t.fleet))
        with self._engine.connect() as connection:
            return {row.fleet: KeptFleetSummary(*row) for row in connection.execute(query)}

    def summaries(self, made_by: str, activities: Sequence[str] | None = None) -> dict[str, KeptSummary]:
        """Return the results in short that are still right, by activity, without their content; of one that
        runs, by its row, the last one, of fewer trials.

        Args:
            made_by: This assay: what another has made is left out.
            activities: Some thousand whose they are; ``None`` is all.
        """
        query = select_kept(made_by, self._others(), or_last=True)
        if activities is not None:
            query = query.where(t.summary.c.activity.in_(activities))
        with self._engine.connect() as connection:
            return {row.activity: KeptSummary(*row) for row in connection.execute(query)}

    def without_summary(self, made_by: str) -> tuple[ActivityRow, ...]:
        """Return the activities of this controller, no lanes, of which no result in short is still right."""
        kept = select_kept(made_by, self._others()).with_only_columns(t.summary.c.activity)
        where = (t.activity.c.fleet.is_(None), self._ours(t.activity), t.activity.c.id.not_in(kept))
        return self._rows(*where)

    def page_digest(self, activity: str, made_by: str) -> str | None:
        """Return the digest of a result's page as it was written with its summary, if that is still right."""
        query = select_kept(made_by, self._others()).where(t.summary.c.activity == activity)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        return None if row is None else row["page"]

    def contents(self, activities: Sequence[str]) -> dict[str, str]:
        """Return the content of the summaries of some hundred activities, by activity."""
        query = sa.select(t.summary_content).where(t.summary_content.c.activity.in_(activities))
        with self._engine.connect() as connection:
            return {row.activity: row.content for row in connection.execute(query)}

    def activities(self, *states: ActivityState) -> tuple[ActivityRow, ...]:
        """Return all activities, or those in one of some states, the newest first: by when they were made or
        imported.
        """
        return self._rows(t.activity.c.state.in_(states)) if states else self._rows()

    def completed(self, scene: str, *, limit: int) -> tuple[ActivityRow, ...]:
        """Return the activities of a scene that ended in this home, the newest first, so many."""
        where = (t.activity.c.scene == scene, t.activity.c.state == ActivityState.COMPLETE)
        return self._rows(*where, *self._own(), limit=limit)

    def listed(self) -> tuple[ActivityRow, ...]:
        """Return the activities that are no lane, the newest first."""
        return self._rows(t.activity.c.fleet.is_(None))

    def search(
        self, wanted: Filter, *, limit: int | None = None, offset: int = 0, lanes: bool = False
    ) -> Found:
        """Return a page of the results, the newest first, and how many there are.

        What is asked of results in short finds those that are kept: ``without_summary`` are the others.

        Args:
            wanted: What they have in common.
            limit: Size of the page; ``None`` is all.
            offset: Results before the page.
            lanes: Also those of each machine of an activity on several.
        """
        alone = [] if lanes else [t.activity.c.fleet.is_(None)]
        where = [*alone, *conditions(wanted, self._own())]
        rows = self._rows(*where, limit=limit, offset=offset)
        if limit is None and not offset:
            return Found(rows, len(rows))
        count = sa.select(sa.func.count()).select_from(t.activity).where(*where)
        with self._engine.connect() as connection:
            return Found(rows, connection.execute(count).scalar_one())

    def search_fleets(self, wanted: Filter, *, limit: int | None = None) -> tuple[FleetRow, ...]:
        """Return the activities on several machines of the scene that is wanted, of which a lane is all else,
        the newest first; no more than ``limit``.
        """
        where = [] if wanted.scene is None else [t.fleet.c.scene == wanted.scene]
        if (of_lanes := replace(wanted, scene=None)) != Filter():
            where.append(
                t.fleet.c.id.in_(sa.select(t.activity.c.fleet).where(*conditions(of_lanes, self._own())))
            )
        return self._fleets(*where, limit=limit)

    def newest(
        self, *, scene: str | None = None, state: ActivityState | None = None, limit: int, offset: int = 0
    ) -> tuple[ActivityRow | FleetRow, ...]:
        """Return activities on one machine and on several, the newest first; lanes are left out.

        Args:
            scene: Only those of this scene; ``None`` is all.
            state: Only those whose row says so; ``None`` is all.
            limit: No more than so many.
            offset: How many of the newest are passed over.
        """
        alone = sa.select(t.activity.c.id, t.made_ns.label("made")).where(t.activity.c.fleet.is_(None))
        several = sa.select(t.fleet.c.id, t.fleet.c.created_ns.label("made"))
        if scene is not None:
            alone, several = alone.where(t.activity.c.scene == scene), several.where(t.fleet.c.scene == scene)
        if state is not None:
            alone, several = alone.where(t.activity.c.state == state), several.where(t.fleet.c.state == state)
        both = sa.union_all(alone, several).subquery()
        page = sa.select(both.c.id).order_by(both.c.made.desc(), both.c.id).limit(limit).offset(offset)
        with self._engine.connect() as connection:
            ids = connection.execute(page).scalars().all()
            rows = connection.execute(sa.select(t.fleet).where(t.fleet.c.id.in_(ids))).mappings()
            found: dict[str, ActivityRow | FleetRow] = {
                row["id"]: fleet_row(dict(row), self.database, self.controller) for row in rows
            }
        found |= {row.id: row for row in self._rows(t.activity.c.id.in_(ids))}
        return tuple(found[one] for one in ids if one in found)

    def scenes(self) -> frozenset[str]:
        """Return the names of the scenes that anything was measured by."""
        with self._engine.connect() as connection:
            scenes = (
                connection.execute(sa.select(table.c.scene).distinct()).scalars()
                for table in (t.activity, t.fleet)
            )
            return frozenset(one for some in scenes for one in some)

    def activities_on(self, machine: str, *, limit: int | None = None) -> tuple[ActivityRow, ...]:
        """Return the activities of this home of which a trial ran on a machine, the newest first.

        Args:
            machine: Its name.
            limit: No more than so many; ``None`` is all.
        """
        return self._rows(ran_on(machine), *self._own(), limit=limit)

    def forget_own(self) -> None:
        """Forget all rows of activities of this home; they are made anew from the records."""
        with self._engine.begin() as connection:
            for table in (t.activity, t.fleet):
                connection.execute(sa.delete(table).where(self._ours(table)))

    def _own(self) -> list[sa.ColumnElement[bool]]:
        """Return what tells the activities that were measured in this home."""
        return [t.activity.c.origin.is_(None), self._ours(t.activity)]

    def _others(self, table: sa.Table = t.activity) -> sa.ColumnElement[bool]:
        """Return what tells the rows of other controllers."""
        its = table.c.controller
        return its.is_not(None) if self.controller is None else its.is_(None) | (its != self.controller)

    def _ours(self, table: sa.Table) -> sa.ColumnElement[bool]:
        """Return what tells the rows of this controller."""
        its: sa.Column[str] = table.c.controller
        return its.is_(None) if self.controller is None else its == self.controller

    def ids(self) -> frozenset[str]:
        """Return the ids of all activities, without counting their trials."""
        with self._engine.connect() as connection:
            ids = (connection.execute(sa.select(table.c.id)).scalars() for table in (t.activity, t.fleet))
            return frozenset(one for some in ids for one in some)

    def _rows(
        self, *where: sa.ColumnElement[bool], limit: int | None = None, offset: int = 0
    ) -> tuple[ActivityRow, ...]:
        query = sa.select(t.activity).where(*where).order_by(t.made_ns.desc(), t.activity.c.id)
        query = query.limit(limit).offset(offset or None)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        names = t.activity.c.keys()
        named = (dict(zip(names, row, strict=True)) for row in rows)
        return tuple(activity_row(row, self.database, self.controller) for row in named)

    def activity(self, name: str, *, runs: bool = False, own: bool = False) -> ActivityRow:
        """Return the activity of that id, unique beginning of an id, or ``last``.

        Args:
            name: The id, its beginning, or ``last``: the newest that is not the run of a proof.
            runs: ``last`` may be the run of a proof too.
            own: ``last`` is never one that was imported.

        Raises:
            AssayError: There is none yet, the beginning fits several, or its records are with another
                controller.
            UnknownNameError: None fits.
        """
        if name == "last":
            return self._newest(runs=runs, own=own)
        if whole := self._rows(t.activity.c.id == name):
            return self._read_here(whole[0])
        fitting = self._beginning(name)
        if len(fitting) > 1:
            msg = f"cannot tell which activity '{name}' is: {', '.join(row.id for row in fitting)} begin so"
            raise AssayError(msg)
        if not fitting:
            self._refuse_fleet(name)
            ids = [row.id for row in self._rows()]
            if not ids:
                raise _none(name=name)
            raise UnknownNameError(kind="activity", name=name, known=ids, hint="assay activity list")
        return self._read_here(fitting[0])

    def _read_here(self, row: Listed) -> Listed:
        """Return an activity's row with the folder where its records are read here.

        Those of another controller may be on a shared disk, or in a copy.

        Raises:
            AssayError: They are with the other controller alone.
        """
        copy = self.home / FOREIGN / row.id
        if row.controller is None or any((row.folder / name).exists() for name in RECORDS):
            return row
        if (copy / RECORDS[0]).exists():
            return replace(row, folder=copy)
        msg = f"cannot read {row.id}: its records are with the controller '{row.controller}', in {row.folder}"
        raise AssayError(msg, hint="read it there, or bring that folder here: assay result import FOLDER")

    def own_activity(self, activity: str) -> ActivityRow | None:
        """Return the activity of that whole id; ``None`` where none of it was measured in this home."""
        return next(iter(self._rows(t.activity.c.id == activity, *self._own())), None)

    def _beginning(self, name: str) -> list[ActivityRow]:
        """Return the activities whose ids begin so."""
        like = self._rows(t.activity.c.id.startswith(name, autoescape=True)) if name else ()
        return [row for row in like if row.id.startswith(name)]

    def _fleets_beginning(self, name: str) -> list[FleetRow]:
        """Return the activities on several machines whose ids begin so."""
        like = self._fleets(t.fleet.c.id.startswith(name, autoescape=True)) if name else ()
        return [row for row in like if row.id.startswith(name)]

    def _refuse_fleet(self, name: str) -> None:
        """Raise that an activity of that name is on several machines, if one is."""
        for row in self._fleets_beginning(name)[:1]:
            msg = f"cannot take {row.id} here: it is an activity on several machines"
            raise AssayError(
                msg, hint=f"take one of its machines, an activity each: assay activity show {row.id}"
            )

    def _newest(self, *, runs: bool, own: bool) -> ActivityRow:
        """Return the newest activity that is no lane; arguments and errors as of ``activity``."""
        where = [t.activity.c.fleet.is_(None), self._ours(t.activity), *(self._own() if own else [])]
        first = self._rows(*where, limit=1)
        if not first:
            raise _none(name="last")
        if runs or not _is_run(first[0]):
            return first[0]
        return next((row for row in self._rows(*where) if not _is_run(row)), first[0])


def _none(*, name: str) -> AssayError:
    msg = f"cannot find activity '{name}': there is none yet"
    return AssayError(msg, hint="assay evaluate quick")


def _is_run(row: ActivityRow) -> bool:
    """Tell whether an activity is the run of a proof; one that cannot be read is none, and says so when asked
    for.
    """
    try:
        return read_activity(row.folder).proof_of is not None
    except RecordError:
        return False
