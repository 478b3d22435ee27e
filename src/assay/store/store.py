"""The store: machines, activities and their trials, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.design import activity_state
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, UnknownNameError
from assay.model.machine import Machine, Reach
from assay.model.trial import State, Trial
from assay.store import tables as t
from assay.store.database import open_database
from assay.store.record import RecordError, read_activity, read_trials


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

    def machines(self) -> tuple[Machine, ...]:
        """Return the inventory by name, this machine first."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(t.machine).order_by(t.machine.c.name)).mappings().all()
        return (Machine("local"), *(Machine(**{**row, "reach": Reach(row["reach"])}) for row in rows))

    def machine(self, name: str) -> Machine:
        """Return one machine.

        Raises:
            UnknownNameError: There is none of that name.
        """
        known = {machine.name: machine for machine in self.machines()}
        if name not in known:
            raise UnknownNameError(kind="machine", name=name, known=known, hint="assay machine list")
        return known[name]

    def add_machine(self, machine: Machine) -> None:
        """Add a machine.

        Raises:
            AssayError: The name is taken.
        """
        if machine.name in {known.name for known in self.machines()}:
            msg = f"cannot add machine '{machine.name}': the name is taken"
            raise AssayError(msg, hint=f"assay machine remove {machine.name}")
        row = {column.name: getattr(machine, column.name) for column in t.machine.columns}
        with self._engine.begin() as connection:
            connection.execute(sa.insert(t.machine).values(**row))

    def remove_machine(self, name: str) -> None:
        """Remove a machine; results measured on it stay.

        Raises:
            UnknownNameError: There is none of that name.
            AssayError: It is ``local``.
        """
        if self.machine(name).reach is Reach.LOCAL:
            msg = "cannot remove machine 'local': it is this machine"
            raise AssayError(msg)
        with self._engine.begin() as connection:
            connection.execute(sa.delete(t.machine).where(t.machine.c.name == name))

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
        """Take a trial's record over; the same record again changes nothing."""
        with self._engine.begin() as connection:
            self._add_record(connection, trial)

    def activities(self) -> tuple[ActivityRow, ...]:
        """Return all activities, the newest first."""
        count = {
            state: sa.func.count().filter(t.trial.c.state == state).label(state)
            for state in (State.ENDED, State.FAILED)
        }
        query = (
            sa.select(t.activity, sa.func.count().label("trials"), *count.values())
            .join(t.trial, t.trial.c.activity == t.activity.c.id)
            .group_by(t.activity.c.id)
            .order_by(t.activity.c.created_ns.desc())
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        return tuple(_activity_row(dict(row)) for row in rows)

    def activity(self, name: str, *, runs: bool = False) -> ActivityRow:
        """Return the activity of that id, unique beginning of an id, or ``last``.

        Args:
            name: The id, its beginning, or ``last``: the newest that is not the run of a proof.
            runs: ``last`` may be the run of a proof too.

        Raises:
            AssayError: There is none yet, or the beginning fits several.
            UnknownNameError: None fits.
        """
        rows = self.activities()
        if not rows:
            msg = f"cannot find activity '{name}': there is none yet"
            raise AssayError(msg, hint="assay evaluate quick")
        if name == "last":
            return rows[0] if runs else next((row for row in rows if not _is_run(row)), rows[0])
        fitting = [row for row in rows if name and row.id.startswith(name)]
        if len(fitting) > 1:
            msg = f"cannot tell which activity '{name}' is: {', '.join(row.id for row in fitting)} begin so"
            raise AssayError(msg)
        if not fitting:
            ids = [row.id for row in rows]
            raise UnknownNameError(kind="activity", name=name, known=ids, hint="assay activity list")
        return fitting[0]

    def import_folder(self, folder: Path) -> str:
        """Rebuild an activity's rows from its folder; return its id.

        Raises:
            RecordError: The folder is not an activity's, or damaged, or holds what no database takes.
        """
        try:
            return self._import(folder)
        except (OverflowError, UnicodeError, sa.exc.IntegrityError) as error:
            reason = str(getattr(error, "orig", None) or error).lower()
            msg = f"cannot import {folder}: a record holds what no database takes: {reason}"
            raise RecordError(msg, hint="the folder must be one that assay wrote") from error

    def _import(self, folder: Path) -> str:
        plan = read_activity(folder)
        records = list(read_trials(folder))
        for record in records:
            if record.activity != plan.id:
                msg = f"cannot import {folder}: a record of activity {record.activity} lies in {plan.id}'s folder"
                raise AssayError(msg)
        with self._engine.begin() as connection:
            connection.execute(sa.delete(t.activity).where(t.activity.c.id == plan.id))
            self._add_activity(connection, plan, folder, activity_state(plan, records))
            for record in records:
                self._add_record(connection, record)
            last = max((record.ended_ns for record in records), default=None)
            connection.execute(sa.update(t.activity).where(t.activity.c.id == plan.id).values(ended_ns=last))
        return plan.id

    @staticmethod
    def _add_activity(
        connection: sa.Connection, plan: ActivityPlan, folder: Path, state: ActivityState
    ) -> None:
        values = {name: getattr(plan, name) for name in ("id", "scene", "title", "created_ns", "seed")}
        where = {"folder": str(folder), "state": state, "treatment": plan.treatments_label}
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
        change = sa.update(t.trial).where(*(t.trial.c[name] == key[name] for name in key))
        connection.execute(change.values(**values))
        _insert(connection, t.measurement, [{**key, **_measured(m)} for m in trial.measurements])
        doubts = {
            doubt.code: {**key, "code": doubt.code, "sentence": doubt.sentence} for doubt in trial.doubts
        }
        _insert(connection, t.doubt, doubts.values())


def _is_run(row: ActivityRow) -> bool:
    """Tell whether an activity is the run of a proof; one that cannot be read is none, and says so when asked for."""
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


def _insert(connection: sa.Connection, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
    if rows := list(rows):
        connection.execute(sa.insert(table), rows)


def _activity_row(row: dict[str, Any]) -> ActivityRow:
    return ActivityRow(**{**row, "folder": Path(row["folder"]), "state": ActivityState(row["state"])})
