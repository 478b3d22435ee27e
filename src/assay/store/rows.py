"""Activities as they are listed, and results in short: the rows of the database, read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.model.activity import ActivityState
from assay.store.confined import MOST
from assay.store.faults import DamagedDatabaseError


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
        controller: Name of the other controller that has it, of those that share the database; ``None`` where
            it is of this home.
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
    controller: str | None = None

    @property
    def is_own(self) -> bool:
        """Whether it was measured in this home: only such are run, stopped and proved here."""
        return self.origin is None and self.controller is None

    @property
    def source(self) -> str | None:
        """Where it comes from, as people are told; ``None`` where it was measured in this home."""
        return source(self.origin, self.controller)


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
        controller: Name of the other controller that has it; ``None`` where it is of this home.
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
    controller: str | None = None

    @property
    def is_own(self) -> bool:
        """Whether it was measured in this home."""
        return self.controller is None

    @property
    def source(self) -> str | None:
        """Where it comes from, as people are told; ``None`` where it was measured in this home."""
        return source(None, self.controller)


@dataclass(frozen=True)
class KeptSummary:
    """A summary as it is kept: its row, and its content.

    Attributes:
        activity: Whose.
        records: Trials that had a record when it was made.
        made_by: The assay that made it.
        state: State of the result.
        started: Start of its first trial, ISO 8601 in UTC.
        headline: What came out, in one line.
        page: SHA-256 in hex of the page of the result that was written with it, ``report.json``; ``None``
            where none was.
        content: The whole of it, JSON (``pages.summary``); empty where that was not asked for.
    """

    activity: str
    records: int
    made_by: str
    state: str
    started: str
    headline: str
    page: str | None = None
    content: str = ""


@dataclass(frozen=True)
class KeptFleetSummary:
    """What lists say of an activity on several machines, as it is kept.

    Attributes:
        fleet: Whose.
        records: Trials of all lanes that had a record when it was made.
        made_by: The assay that made it.
        state: Where it stood.
        scene: Name of the scene, with its scale.
        headline: What came out, in one line.
    """

    fleet: str
    records: int
    made_by: str
    state: str
    scene: str
    headline: str


def source(origin: str | None, controller: str | None) -> str | None:
    """Return where a result comes from, as people are told; ``None`` where it was measured in this home.

    Args:
        origin: Folder that it was imported from.
        controller: Name of the other controller that has it.
    """
    if controller is not None:
        return f"measured by the controller '{controller}'"
    return None if origin is None else f"imported from {origin}"


def activity_row(row: Mapping[Any, Any], place: str, here: str | None) -> ActivityRow:
    """Return an activity's row.

    Args:
        row: It as it is in the database.
        place: The database, for messages.
        here: What this controller is called in it; ``None`` in a database of one home.

    Raises:
        DamagedDatabaseError: It is none that assay has written.
    """
    if not (
        _is_moment(row["created_ns"])
        and _is_moment(row["ended_ns"])
        and isinstance(row["folder"], str)
        and row["state"] in _STATES
    ):
        raise _wrong_row(row, place)
    values = dict(row)
    values["folder"], values["state"] = Path(row["folder"]), _STATES[row["state"]]
    values["controller"] = None if row["controller"] == here else row["controller"]
    return ActivityRow(**values)


def _wrong_row(row: Mapping[Any, Any], place: str) -> DamagedDatabaseError:
    wrong = [name for name in ("created_ns", "ended_ns") if not _is_moment(row[name])]
    wrong += [name for name in ("folder", "state") if not isinstance(row[name], str)]
    name = (*wrong, "state")[0]
    return DamagedDatabaseError(place, f"activity.{name} is {row[name]!r}")


def fleet_row(row: Mapping[str, Any], place: str, here: str | None) -> FleetRow:
    """Return the row of an activity on several machines; as ``activity_row``."""
    if row["state"] not in set(ActivityState) or not isinstance(row["folder"], str):
        raise DamagedDatabaseError(place, f"fleet.state is {row['state']!r}")
    values = {**row, "folder": Path(row["folder"]), "state": ActivityState(row["state"])}
    values["controller"] = None if row["controller"] == here else row["controller"]
    return FleetRow(**values)


_STATES = {str(state): state for state in ActivityState}


def _is_moment(value: object) -> bool:
    return value is None or (isinstance(value, int) and 0 <= value <= MOST)
