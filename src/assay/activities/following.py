"""How an activity stands while another process conducts it, from what is in its folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.activities.schedule import look_text
from assay.activities.trials.inflight import read_inflight
from assay.design import activity_state, remaining_trials
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError
from assay.model.fleet import Lane
from assay.model.trial import Trial
from assay.platforms.claims import is_live
from assay.store.fleet import is_fleet, lane_folder, read_fleet, read_stop
from assay.store.record import read_activity, read_trials


@dataclass(frozen=True)
class LaneNow:
    """How one machine's part stands.

    Attributes:
        machine: Name of the machine; of an activity on one machine that of its baseline.
        state: As an activity's, ``out`` where it was taken out, ``waiting`` where it is not planned yet.
        done: Trials that have a record.
        left: Trials that are left, as far as is known.
        trial: What runs now; ``None`` is nothing.
        since_s: How long that has run.
        remaining_s: About how long the rest takes; ``None`` before a trial has ended.
        said: What the blocks so far say, or why it was taken out; ``None`` for nothing yet.
    """

    machine: str
    state: str
    done: int = 0
    left: int = 0
    trial: str | None = None
    since_s: float | None = None
    remaining_s: float | None = None
    said: str | None = None


class Follower:
    """Looks at an activity again and again; records are read once each time that there are more.

    Args:
        folder: The activity's folder.
        home: Folder of all state.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder, self._home = folder, home
        self._known: dict[Path, tuple[int, ActivityPlan, tuple[Trial, ...], str | None]] = {}
        self._fleet = read_fleet(folder) if is_fleet(folder) else None
        self._id = self._fleet.id if self._fleet is not None else read_activity(folder).id

    @property
    def going(self) -> bool:
        """Whether a process conducts it."""
        return is_live(self._home, self._id)

    def look(self) -> tuple[LaneNow, ...]:
        """Return how each machine's part stands now.

        Raises:
            RecordError: A part cannot be read.
        """
        if self._fleet is None:
            return (self._stands(self._folder, None),)
        return tuple(self._lane(lane) for lane in self._fleet.lanes)

    def _lane(self, lane: Lane) -> LaneNow:
        folder = lane_folder(self._folder, lane)
        stop = read_stop(self._folder, lane)
        if not (folder / "activity.json").exists():
            said = None if stop is None else f"{stop.failure}: {stop.message}"
            return LaneNow(lane.machine, "waiting" if stop is None else "out", said=said)
        now = self._stands(folder, lane.machine)
        if stop is None:
            return now
        return LaneNow(now.machine, "out", now.done, now.left, said=f"{stop.failure}: {stop.message}")

    def _stands(self, folder: Path, machine: str | None) -> LaneNow:
        plan, records, said = self._records(folder)
        left = remaining_trials(plan.trials, {one.planned.index: one.state for one in records}, plan.over)
        state = activity_state(plan, records)
        over = state is not ActivityState.INTERRUPTED
        trial, since_s = (None, None) if over else _under_way(folder, plan)
        return LaneNow(
            machine=machine or plan.baseline.machine.name,
            state="running" if not over and self.going else str(state),
            done=len(records),
            left=0 if over else len(left),
            trial=trial,
            since_s=since_s,
            remaining_s=0.0 if over else _remaining_s(records, len(left)),
            said=said,
        )

    def _records(self, folder: Path) -> tuple[ActivityPlan, tuple[Trial, ...], str | None]:
        count = len([*(folder / "trials").glob("[!.]*")])
        known = self._known.get(folder)
        if known is None or known[0] != count:
            plan, records = read_activity(folder), tuple(read_trials(folder, damaged=[]))
            known = (count, plan, records, look_text(plan, records))
            self._known[folder] = known
        return known[1:]


def _under_way(folder: Path, plan: ActivityPlan) -> tuple[str | None, float | None]:
    """Return what runs now, and since when; nothing between two trials."""
    try:
        note = read_inflight(folder)
        planned = None if note is None else plan.trials[note.index]
    except (AssayError, LookupError):
        return None, None
    if note is None or planned is None:
        return None, None
    name = f"block {planned.block} {plan.arm_of(planned).label} {planned.workload}"
    return name, max(0.0, time.time() - note.started_ns / 1e9)


def _remaining_s(records: Sequence[Trial], left: int) -> float | None:
    """Return how long so many trials take at the pace so far; ``None`` before the first."""
    if not records:
        return None
    began, ended = min(one.started_ns for one in records), max(one.ended_ns for one in records)
    return (ended - began) / 1e9 / len(records) * left
