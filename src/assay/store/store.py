"""The store: machines, activities and their trials, by name."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.design import activity_state
from assay.design.state import state_of
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError
from assay.model.files.activities import LANES, activity_folder, fleet_of
from assay.model.fleet import Fleet
from assay.model.trial import State, Trial
from assay.store import tables as t
from assay.store.fleet import lane_folder, read_fleet, read_stop
from assay.store.imports import FOREIGN, OWN, Import, copied, is_place, read_import, require_same, settle
from assay.store.record import RecordError, read_activity, read_trials
from assay.store.rows import ActivityRow
from assay.store.seen import SeenRows, boots_seen, put_seen
from assay.store.tagged import put_tags
from assay.store.tags import read_tags


class Store(SeenRows):
    """All that is kept by name. One process writes one activity; any number read.

    Every method is one transaction: it has happened wholly or not at all.
    """

    def add_activity(self, plan: ActivityPlan, folder: Path) -> None:
        """Add an activity with all its trials waiting."""
        with self._engine.begin() as connection:
            self._add_activity(connection, plan, folder, ActivityState.RUNNING)

    def add_record(self, trial: Trial) -> None:
        """Take a trial's record over; the same record again changes nothing but that the result in short is
        made anew: the record may be another in the place of one that was damaged.
        """
        with self._engine.begin() as connection:
            if self._add_record(connection, trial) in (State.ENDED, State.FAILED):
                connection.execute(sa.delete(t.summary).where(t.summary.c.activity == trial.activity))
                its = sa.select(t.activity.c.fleet).where(t.activity.c.id == trial.activity)
                connection.execute(sa.delete(t.fleet_summary).where(t.fleet_summary.c.fleet.in_(its)))

    def import_folder(self, folder: Path, *, link: bool = False, imported_ns: int | None = None) -> str:
        """Take in an activity's folder and return its id; a known id with the same content changes nothing.

        The rows of a folder of this home are rebuilt from its records. Any other folder is foreign: it is
        marked as imported from there, and only read.

        Args:
            folder: The folder, absolute.
            link: Leave a foreign folder where it is; else it is copied into the home.
            imported_ns: When a linked one was imported first; ``None`` is now.

        Raises:
            RecordError: The folder is not an activity's, or damaged.
            AssayError: A record does not belong to it, or its id is known with other content.
            MissingError: It cannot be copied.
        """
        activity = read_activity(folder).id
        row = next(iter(self._rows(t.activity.c.id == activity)), None)
        known = self._place(activity, row)
        if row is not None and row.controller is not None:
            return self._copy_of_another(folder, row)
        if known is None:
            self._take_in(folder, activity, row, link=link, imported_ns=imported_ns)
            return activity
        if known.resolve() != folder.resolve():
            require_same(known, folder, activity, origin=folder)
        if row is None or known.resolve() == folder.resolve():
            self._rebuild(*_read_whole(known), known, self._origin(known, activity, row), read_tags(known))
        return activity

    def import_fleet(self, folder: Path) -> str:
        """Rebuild the rows of an activity on several machines of this home, and those of its lanes.

        Raises:
            AssayError: It is of another home.
            RecordError: It cannot be read, or a lane cannot.
        """
        fleet = read_fleet(folder)
        if not is_place(self.home, OWN, fleet.id, folder):
            msg = f"cannot import {folder}: of an activity on several machines only lanes can be"
            raise AssayError(msg, hint=f"assay result import {folder / LANES / fleet.lanes[0].activity}")
        lanes = [place for lane in fleet.lanes if (place := lane_folder(folder, lane)).exists()]
        for lane in lanes:
            self.import_folder(lane)
        self.add_fleet(fleet, folder, self.fleet_state(fleet, folder))
        return fleet.id

    def fleet_state(self, fleet: Fleet, folder: Path) -> ActivityState:
        """Return where an activity on several machines stands by its lanes; some may be taken out."""
        stands = {row.id: row.state for row in self.lanes_of(fleet.id)}
        out = {lane.activity for lane in fleet.lanes if read_stop(folder, lane) is not None}
        return state_of(
            None if lane.activity in out else stands.get(lane.activity, ActivityState.INTERRUPTED)
            for lane in fleet.lanes
        )

    def _place(self, activity: str, row: ActivityRow | None) -> Path | None:
        """Return where an activity that is known lies; ``None`` for one that is not, or no longer there."""
        places = [] if row is None else [row.folder]
        places += [activity_folder(self.home, activity), self.home / FOREIGN / activity]
        return next((place for place in places if (place / "activity.json").exists()), None)

    def _origin(self, known: Path, activity: str, row: ActivityRow | None) -> Import | None:
        """Return where a known activity was imported from; ``None`` for one that was measured here."""
        if is_place(self.home, FOREIGN, activity, known):
            return read_import(known)
        if row is None or row.origin is None or row.imported_ns is None:
            return None
        return Import(row.origin, row.imported_ns)

    def _take_in(
        self, folder: Path, activity: str, row: ActivityRow | None, *, link: bool, imported_ns: int | None
    ) -> None:
        """Import a folder whose id is not known, or known of an import that is gone."""
        if row is not None and row.origin is None:
            msg = (
                f"cannot import {folder}: activity {activity} was measured here, and its folder "
                f"{row.folder} is gone"
            )
            raise AssayError(msg, hint="bring it back there, and import it from there")
        note = Import(str(folder), imported_ns or time.time_ns())
        if link:
            self._rebuild(*_read_whole(folder), folder, note, read_tags(folder))
            return
        with copied(folder, self.home, activity) as copy:
            plan, records = _read_whole(copy)
            if plan.id != activity:
                msg = f"cannot import {folder}: it was changed meanwhile"
                raise AssayError(msg)
            self._rebuild(plan, records, self.home / FOREIGN / activity, note, read_tags(copy))
            settle(copy, self.home, activity, note)

    def _copy_of_another(self, folder: Path, row: ActivityRow) -> str:
        """Copy what another controller of this database measured: its rows stay that controller's."""
        place = self.home / FOREIGN / row.id
        if place.exists():
            require_same(place, folder, row.id, origin=folder)
            return row.id
        with copied(folder, self.home, row.id) as copy:
            _read_whole(copy)
            settle(copy, self.home, row.id, Import(str(folder), time.time_ns()))
        return row.id

    def _rebuild(
        self,
        plan: ActivityPlan,
        records: Iterable[Trial],
        folder: Path,
        note: Import | None,
        tags: Iterable[str],
    ) -> None:
        """Make an activity's rows from its plan, its records and its tags."""
        records = list(records)
        last = max((record.ended_ns for record in records), default=None)
        origin = {} if note is None else asdict(note)
        boots = boots_seen(folder, plan, records) if note is None else ()
        measured = sum(record.state in (State.ENDED, State.FAILED) for record in records)
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.delete(t.activity).where(t.activity.c.id == plan.id))
                self._add_activity(connection, plan, folder, activity_state(plan, records))
                for record in records:
                    self._add_record(connection, record)
                change = sa.update(t.activity).where(t.activity.c.id == plan.id)
                connection.execute(change.values(ended_ns=last, **origin))
                put_tags(connection, plan.id, tags)
                put_seen(connection, plan.id, measured, boots)
        except (sa.exc.IntegrityError, OverflowError) as error:
            named, why = folder if note is None else note.origin, getattr(error, "orig", error)
            msg = f"cannot import {named}: its records contradict each other: {why}"
            raise RecordError(msg) from error

    def _add_activity(
        self, connection: sa.Connection, plan: ActivityPlan, folder: Path, state: ActivityState
    ) -> None:
        values = {name: getattr(plan, name) for name in ("id", "scene", "title", "created_ns", "seed")}
        where: dict[str, Any] = {
            "folder": str(folder),
            "state": state,
            "treatment": plan.treatments_label,
            "trials": len(plan.trials),
            "controller": self.controller,
        }
        if (fleet := fleet_of(self.home, folder)) is not None:
            where |= {"fleet": fleet, "machine": plan.baseline.machine.name}
        connection.execute(sa.insert(t.activity).values(**values, **where))
        names = ("index", "block", "slot", "arm", "replicate", "workload")
        rows = [{name: getattr(trial, name) for name in names} for trial in plan.trials]
        waiting = {"activity": plan.id, "state": State.WAITING}
        connection.execute(sa.insert(t.trial), [{**row, **waiting} for row in rows])

    @staticmethod
    def _add_record(connection: sa.Connection, trial: Trial) -> str | None:
        """Write a trial's rows; return the state that it had."""
        key = {"activity": trial.activity, "index": trial.planned.index}
        for table in (t.measurement, t.doubt):
            connection.execute(sa.delete(table).where(*(table.c[name] == key[name] for name in key)))
        values = {name: getattr(trial, name) for name in ("state", "machine", "cause", "exit_code")}
        values |= {"started_ns": trial.started_ns, "ended_ns": trial.ended_ns}
        its = [t.trial.c[name] == key[name] for name in key]
        before = connection.execute(sa.select(t.trial.c.state).where(*its)).scalar()
        connection.execute(sa.update(t.trial).where(*its).values(**values))
        counts = _counts(before, -1) | _counts(trial.state, 1) if before != trial.state else {}
        if before is not None and counts:
            change = sa.update(t.activity).where(t.activity.c.id == trial.activity)
            connection.execute(change.values(**counts))
        _insert(connection, t.measurement, [{**key, **_measured(m)} for m in trial.measurements])
        doubts = {
            doubt.code: {**key, "code": doubt.code, "sentence": doubt.sentence} for doubt in trial.doubts
        }
        _insert(connection, t.doubt, doubts.values())
        return None if before is None else str(before)


def _read_whole(folder: Path) -> tuple[ActivityPlan, list[Trial]]:
    """Return the plan and the records of an activity's folder, which belong together."""
    plan = read_activity(folder)
    records = list(
        read_trials(folder, damaged=[])
    )  # a trial whose record is damaged waits: a resume runs it again
    planned = dict(enumerate(plan.trials))
    if not planned or any(at != trial.index for at, trial in planned.items()):
        msg = f"cannot import {folder}: expected trials numbered from 0 in the plan"
        raise RecordError(msg)
    for record in records:
        name = record.planned.name
        if record.activity != plan.id:
            msg = f"cannot import {folder}: a record of activity {record.activity} lies in {plan.id}'s folder"
            raise AssayError(msg)
        if planned.get(record.planned.index) != record.planned:
            msg = f"cannot import {folder}: it has a record of {name}, which activity {plan.id} did not plan"
            raise AssayError(msg)
    return plan, records


def _measured(measurement: Any) -> dict[str, Any]:
    metric = measurement.metric
    return {
        "metric": metric.name,
        "unit": metric.unit,
        "direction": metric.direction,
        "value": measurement.value,
    }


def _counts(state: str | None, by: int) -> dict[str, Any]:
    """Return what a trial in a state adds to the counts of its activity."""
    return {state: t.activity.c[state] + by} if state in (State.ENDED, State.FAILED) else {}


def _insert(connection: sa.Connection, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
    if rows := list(rows):
        connection.execute(sa.insert(table), rows)
