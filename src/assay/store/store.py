"""The store: machines, activities and their trials, by name."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.design import activity_state
from assay.design.state import state_of
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, UnknownNameError
from assay.model.files.activities import LANES, activity_folder, fleet_of
from assay.model.fleet import Fleet
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach
from assay.model.trial import State, Trial
from assay.store import tables as t
from assay.store.confined import MOST
from assay.store.database import FILE, DamagedDatabaseError, open_database
from assay.store.fleet import lane_folder, read_fleet, read_stop
from assay.store.imports import FOREIGN, OWN, Import, copied, is_place, read_import, require_same, settle
from assay.store.inventory import check_carriers, entry_of, row_of, with_carriers
from assay.store.record import RecordError, read_activity, read_trials
from assay.store.summaries import KeptSummary, put, select_kept

_MADE = sa.func.coalesce(t.activity.c.imported_ns, t.activity.c.created_ns)
"""When an activity was made, or imported."""
HEALTH_KEPT_S = 14 * 86400.0
"""A thousand machines that are watched each minute make 20 million rows in this time, of 100 B."""


@dataclass(frozen=True)
class ActivityRow:
    """An activity as listed.

    Attributes:
        id: Its name, also the result's.
        scene: Name of the scene.
        title: The scene's title.
        folder: Where its records are.
        created_ns: Wall clock at creation.
        ended_ns: Wall clock at its end; ``None`` while it is not over.
        state: Where it stands.
        treatment: Label of the treatment arm.
        seed: Seed of the order of trials.
        trials: Planned trials.
        ended: Trials with a record that ended well.
        failed: Trials with a record of a failure.
        origin: Folder that it was imported from; ``None`` for one that was measured here.
        imported_ns: Wall clock at its import; ``None`` for one that was measured here.
        fleet: Id of the activity on several machines that it is a lane of; ``None`` where it is none.
        machine: Name of the lane's machine; ``None`` where it is no lane.
    """

    id: str
    scene: str
    title: str
    folder: Path
    created_ns: int
    ended_ns: int | None
    state: ActivityState
    treatment: str
    seed: int
    trials: int
    ended: int
    failed: int
    origin: str | None = None
    imported_ns: int | None = None
    fleet: str | None = None
    machine: str | None = None


@dataclass(frozen=True)
class FleetRow:
    """An activity on several machines as listed; its lanes are activities.

    Attributes:
        id: Its name, also the result's.
        scene: Name of the scene.
        title: The scene's title.
        folder: Where its lanes are.
        who: The words that named the machines.
        created_ns: Wall clock at creation.
        ended_ns: Wall clock at its end; ``None`` while it is not over.
        state: Where it stands.
        seed: Seed of the order of trials.
        lanes: Number of machines.
    """

    id: str
    scene: str
    title: str
    folder: Path
    who: str
    created_ns: int
    ended_ns: int | None
    state: ActivityState
    seed: int
    lanes: int


class Store:
    """All that is kept by name. One process writes one activity; any number read.

    Every method is one transaction: it has happened wholly or not at all.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._engine = open_database(home)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def entries(self) -> tuple[Entry, ...]:
        """Return the inventory by name, this machine first."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(t.machine).order_by(t.machine.c.name)).mappings().all()
        return with_carriers([Entry(Machine("local")), *(entry_of(dict(row), self.home) for row in rows)])

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
        with self._engine.begin() as connection:
            for entry in new:
                connection.execute(sa.delete(t.machine).where(t.machine.c.name == entry.name))
                connection.execute(sa.insert(t.machine).values(**row_of(entry)))
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
            connection.execute(sa.insert(t.health).prefix_with("OR REPLACE", dialect="sqlite"), rows)
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
            query = sa.select(t.health).join(newest, same).order_by(t.health.c.machine)
        with self._engine.connect() as connection:
            return tuple(Health(**dict(row)) for row in connection.execute(query).mappings())

    def add_fleet(self, fleet: Fleet, folder: Path, state: ActivityState = ActivityState.RUNNING) -> None:
        """Add an activity on several machines, or its row anew; its lanes have rows of their own."""
        names = ("id", "scene", "title", "who", "created_ns", "seed")
        values = {name: getattr(fleet, name) for name in names}
        with self._engine.begin() as connection:
            connection.execute(sa.delete(t.fleet).where(t.fleet.c.id == fleet.id))
            where = {"folder": str(folder), "state": state, "lanes": len(fleet.lanes)}
            connection.execute(sa.insert(t.fleet).values(**values, **where))

    def set_fleet_state(self, fleet: str, state: ActivityState, *, ended_ns: int | None) -> None:
        """Say where an activity on several machines stands."""
        change = sa.update(t.fleet).where(t.fleet.c.id == fleet)
        with self._engine.begin() as connection:
            connection.execute(change.values(state=state, ended_ns=ended_ns))

    def fleets(self) -> tuple[FleetRow, ...]:
        """Return all activities on several machines, the newest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(t.fleet).order_by(t.fleet.c.created_ns.desc())).mappings()
            return tuple(_fleet_row(dict(row), self.home) for row in rows)

    def lanes_of(self, fleet: str) -> tuple[ActivityRow, ...]:
        """Return the lanes of an activity on several machines that were planned, by machine."""
        return tuple(sorted(self._rows(t.activity.c.fleet == fleet), key=lambda row: row.machine or ""))

    def find(self, name: str, *, runs: bool = False, own: bool = False) -> ActivityRow | FleetRow:
        """Return the activity of that name, on one machine or on several; arguments and errors as of
        ``activity``.
        """
        fleets = self.fleets()
        if name == "last":
            newest = next(iter(self._rows(t.activity.c.fleet.is_(None), limit=1)), None)
            made = 0 if newest is None else newest.imported_ns or newest.created_ns
            if fleets and fleets[0].created_ns > made:
                return fleets[0]
            return self.activity(name, runs=runs, own=own)
        fitting = [row for row in fleets if name and row.id.startswith(name)]
        others = [row.id for row in self._beginning(name)] if fitting else []
        if len(fitting) + len(others) > 1 and name not in {row.id for row in fitting}:
            ids = [*(row.id for row in fitting), *others]
            msg = f"cannot tell which activity '{name}' is: {', '.join(ids)} begin so"
            raise AssayError(msg)
        return fitting[0] if fitting else self.activity(name, runs=runs, own=own)

    def add_activity(self, plan: ActivityPlan, folder: Path) -> None:
        """Add an activity with all its trials waiting."""
        with self._engine.begin() as connection:
            self._add_activity(connection, plan, folder, ActivityState.RUNNING)

    def set_state(self, activity: str, state: ActivityState, *, ended_ns: int | None) -> None:
        """Say where an activity stands."""
        change = sa.update(t.activity).where(t.activity.c.id == activity)
        with self._engine.begin() as connection:
            connection.execute(change.values(state=state, ended_ns=ended_ns))

    def add_record(self, trial: Trial) -> None:
        """Take a trial's record over; the same record again changes nothing but that the result in short is
        made anew: the record may be another in the place of one that was damaged.
        """
        with self._engine.begin() as connection:
            connection.execute(sa.delete(t.summary).where(t.summary.c.activity == trial.activity))
            self._add_record(connection, trial)

    def keep_summary(self, kept: KeptSummary) -> None:
        """Keep a result in short, in the place of what was kept of it before."""
        with self._engine.begin() as connection:
            put(connection, kept)

    def summaries(self, made_by: str) -> dict[str, KeptSummary]:
        """Return the results in short that are still right, by activity, without their content.

        Args:
            made_by: This assay: what another has made is left out.
        """
        with self._engine.connect() as connection:
            rows = connection.execute(select_kept(made_by)).mappings()
            return {row["activity"]: KeptSummary(**row) for row in rows}

    def page_digest(self, activity: str, made_by: str) -> str | None:
        """Return the digest of a result's page as it was written with its summary, if that is still right."""
        query = select_kept(made_by).where(t.summary.c.activity == activity)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        return None if row is None else row["page"]

    def contents(self, activities: Sequence[str]) -> dict[str, str]:
        """Return the content of the summaries of some hundred activities, by activity."""
        query = sa.select(t.summary.c.activity, t.summary.c.content)
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(t.summary.c.activity.in_(activities)))
            return {row.activity: row.content for row in rows}

    def activities(self, *states: ActivityState) -> tuple[ActivityRow, ...]:
        """Return all activities, or those in one of some states, the newest first: by when they were made or
        imported.
        """
        return self._rows(t.activity.c.state.in_(states)) if states else self._rows()

    def listed(self, *, scene: str | None = None, limit: int | None = None) -> tuple[ActivityRow, ...]:
        """Return the activities that are no lane, the newest first.

        Args:
            scene: Only those of this scene; ``None`` is all.
            limit: No more than so many; ``None`` is all.
        """
        where = [t.activity.c.fleet.is_(None), *([] if scene is None else [t.activity.c.scene == scene])]
        return self._rows(*where, limit=limit)

    def scenes(self) -> frozenset[str]:
        """Return the names of the scenes that anything was measured by."""
        with self._engine.connect() as connection:
            scenes = (
                connection.execute(sa.select(table.c.scene).distinct()).scalars()
                for table in (t.activity, t.fleet)
            )
            return frozenset(one for some in scenes for one in some)

    def activities_on(self, machine: str) -> tuple[ActivityRow, ...]:
        """Return the activities of this home of which a trial ran on a machine, the newest first."""
        ran = sa.select(t.trial.c.activity).where(t.trial.c.machine == machine).distinct()
        return self._rows(t.activity.c.id.in_(ran), t.activity.c.origin.is_(None))

    def ids(self) -> frozenset[str]:
        """Return the ids of all activities, without counting their trials."""
        with self._engine.connect() as connection:
            ids = (connection.execute(sa.select(table.c.id)).scalars() for table in (t.activity, t.fleet))
            return frozenset(one for some in ids for one in some)

    def _rows(self, *where: sa.ColumnElement[bool], limit: int | None = None) -> tuple[ActivityRow, ...]:
        query = sa.select(t.activity).where(*where).order_by(_MADE.desc(), t.activity.c.id).limit(limit)
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        return tuple(_activity_row(row, self.home) for row in rows)

    def activity(self, name: str, *, runs: bool = False, own: bool = False) -> ActivityRow:
        """Return the activity of that id, unique beginning of an id, or ``last``.

        Args:
            name: The id, its beginning, or ``last``: the newest that is not the run of a proof.
            runs: ``last`` may be the run of a proof too.
            own: ``last`` is never one that was imported.

        Raises:
            AssayError: There is none yet, or the beginning fits several.
            UnknownNameError: None fits.
        """
        if name == "last":
            return self._newest(runs=runs, own=own)
        if whole := self._rows(t.activity.c.id == name):
            return whole[0]
        fitting = self._beginning(name)
        if len(fitting) > 1:
            msg = f"cannot tell which activity '{name}' is: {', '.join(row.id for row in fitting)} begin so"
            raise AssayError(msg)
        if not fitting:
            ids = [row.id for row in self._rows()]
            if not ids:
                raise _none(name=name)
            raise UnknownNameError(kind="activity", name=name, known=ids, hint="assay activity list")
        return fitting[0]

    def _beginning(self, name: str) -> list[ActivityRow]:
        """Return the activities whose ids begin so."""
        like = self._rows(t.activity.c.id.startswith(name, autoescape=True)) if name else ()
        return [row for row in like if row.id.startswith(name)]

    def _newest(self, *, runs: bool, own: bool) -> ActivityRow:
        """Return the newest activity that is no lane; arguments and errors as of ``activity``."""
        where = [t.activity.c.fleet.is_(None), *([t.activity.c.origin.is_(None)] if own else [])]
        first = self._rows(*where, limit=1)
        if not first:
            raise _none(name="last")
        if runs or not _is_run(first[0]):
            return first[0]
        return next((row for row in self._rows(*where) if not _is_run(row)), first[0])

    def import_folder(self, folder: Path, *, link: bool = False) -> str:
        """Take in an activity's folder and return its id; a known id with the same content changes nothing.

        The rows of a folder of this home are rebuilt from its records. Any other folder is foreign: it is
        marked as imported from there, and only read.

        Args:
            folder: The folder, absolute.
            link: Leave a foreign folder where it is; else it is copied into the home.

        Raises:
            RecordError: The folder is not an activity's, or damaged.
            AssayError: A record does not belong to it, or its id is known with other content.
            MissingError: It cannot be copied.
        """
        activity = read_activity(folder).id
        row = next(iter(self._rows(t.activity.c.id == activity)), None)
        known = self._place(activity, row)
        if known is None:
            self._take_in(folder, activity, row, link=link)
            return activity
        if known.resolve() != folder.resolve():
            require_same(known, folder, activity, origin=folder)
        if row is None or known.resolve() == folder.resolve():
            self._rebuild(*_read_whole(known), known, self._origin(known, activity, row))
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

    def _take_in(self, folder: Path, activity: str, row: ActivityRow | None, *, link: bool) -> None:
        """Import a folder whose id is not known, or known of an import that is gone."""
        if row is not None and row.origin is None:
            msg = (
                f"cannot import {folder}: activity {activity} was measured here, and its folder "
                f"{row.folder} is gone"
            )
            raise AssayError(msg, hint="bring it back there, and import it from there")
        note = Import(str(folder), time.time_ns())
        if link:
            self._rebuild(*_read_whole(folder), folder, note)
            return
        with copied(folder, self.home, activity) as copy:
            plan, records = _read_whole(copy)
            if plan.id != activity:
                msg = f"cannot import {folder}: it was changed meanwhile"
                raise AssayError(msg)
            self._rebuild(plan, records, self.home / FOREIGN / activity, note)
            settle(copy, self.home, activity, note)

    def _rebuild(
        self, plan: ActivityPlan, records: Iterable[Trial], folder: Path, note: Import | None
    ) -> None:
        """Make an activity's rows from its plan and its records."""
        records = list(records)
        last = max((record.ended_ns for record in records), default=None)
        origin = {} if note is None else asdict(note)
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.delete(t.activity).where(t.activity.c.id == plan.id))
                self._add_activity(connection, plan, folder, activity_state(plan, records))
                for record in records:
                    self._add_record(connection, record)
                change = sa.update(t.activity).where(t.activity.c.id == plan.id)
                connection.execute(change.values(ended_ns=last, **origin))
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
        }
        if (fleet := fleet_of(self.home, folder)) is not None:
            where |= {"fleet": fleet, "machine": plan.baseline.machine.name}
        connection.execute(sa.insert(t.activity).values(**values, **where))
        names = ("index", "block", "slot", "arm", "replicate", "workload")
        rows = [{name: getattr(trial, name) for name in names} for trial in plan.trials]
        waiting = {"activity": plan.id, "state": State.WAITING}
        connection.execute(sa.insert(t.trial), [{**row, **waiting} for row in rows])

    @staticmethod
    def _add_record(connection: sa.Connection, trial: Trial) -> None:
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


def _none(*, name: str) -> AssayError:
    msg = f"cannot find activity '{name}': there is none yet"
    return AssayError(msg, hint="assay evaluate quick")


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


def _is_run(row: ActivityRow) -> bool:
    """Tell whether an activity is the run of a proof; one that cannot be read is none, and says so when asked
    for.
    """
    try:
        return read_activity(row.folder).proof_of is not None
    except RecordError:
        return False


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


def _activity_row(row: Mapping[Any, Any], home: Path) -> ActivityRow:
    """Return an activity's row.

    Raises:
        DamagedDatabaseError: It is none that assay has written.
    """
    if not (
        _is_moment(row["created_ns"])
        and _is_moment(row["ended_ns"])
        and isinstance(row["folder"], str)
        and row["state"] in _STATES
    ):
        raise _wrong_row(row, home)
    values = dict(row)
    values["folder"], values["state"] = Path(row["folder"]), _STATES[row["state"]]
    return ActivityRow(**values)


def _wrong_row(row: Mapping[Any, Any], home: Path) -> DamagedDatabaseError:
    wrong = [name for name in ("created_ns", "ended_ns") if not _is_moment(row[name])]
    wrong += [name for name in ("folder", "state") if not isinstance(row[name], str)]
    name = (*wrong, "state")[0]
    return DamagedDatabaseError(str(home / FILE), f"activity.{name} is {row[name]!r}")


def _fleet_row(row: Mapping[str, Any], home: Path) -> FleetRow:
    """Return the row of an activity on several machines; raises as ``_activity_row``."""
    if row["state"] not in set(ActivityState) or not isinstance(row["folder"], str):
        raise DamagedDatabaseError(str(home / FILE), f"fleet.state is {row['state']!r}")
    return FleetRow(**{**row, "folder": Path(row["folder"]), "state": ActivityState(row["state"])})


_STATES = {str(state): state for state in ActivityState}


def _is_moment(value: object) -> bool:
    return value is None or (isinstance(value, int) and 0 <= value <= MOST)
