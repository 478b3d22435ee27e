"""How an activity stands while another process conducts it, from what is in its folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.activities.schedule import LossNow, look_text, losses_now
from assay.activities.trials.inflight import Inflight, read_inflight
from assay.design import activity_state, remaining_trials
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError
from assay.model.fleet import Lane
from assay.model.trial import Trial
from assay.platforms.claims import is_live
from assay.store.fleet import is_fleet, lane_folder, read_fleet, read_stop
from assay.store.record import DamagedError, by_number, read_activity, read_trial


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
        begun_ns: Wall clock at the start of what runs now, ns since 1970.
        losses: What the blocks so far say of each metric.
    """

    machine: str
    state: str
    done: int = 0
    left: int = 0
    trial: str | None = None
    since_s: float | None = None
    remaining_s: float | None = None
    said: str | None = None
    begun_ns: int | None = None
    losses: tuple[LossNow, ...] = ()


@dataclass(frozen=True)
class Part:
    """What is known of one machine's part: what follows from its records is computed once for each change.

    Attributes:
        machine: Name of the machine.
        activity: Id of that part, which names its folder.
        plan: Its plan.
        records: Its records so far, in the order in which they ran; damaged ones are left out.
        state: Where these leave it.
        left: Number of trials that are left.
        said: What its blocks so far say; ``None`` for nothing yet.
        losses: The same of each metric.
    """

    machine: str
    activity: str
    plan: ActivityPlan
    records: tuple[Trial, ...]
    state: ActivityState
    left: int
    said: str | None
    losses: tuple[LossNow, ...] = ()


class Follower:
    """Looks at an activity again and again; a record is read once.

    Args:
        folder: The activity's folder.
        home: Folder of all state.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder, self._home = folder, home
        self._known: dict[Path, _Known] = {}
        self._fleet = read_fleet(folder) if is_fleet(folder) else None
        self._id = self._fleet.id if self._fleet is not None else read_activity(folder).id

    @property
    def going(self) -> bool:
        """Whether a process conducts it."""
        return is_live(self._home, self._id)

    @property
    def is_alone(self) -> bool:
        """Whether it is on one machine."""
        return self._fleet is None

    def look(self) -> tuple[LaneNow, ...]:
        """Return how each machine's part stands now.

        Raises:
            RecordError: A part cannot be read.
        """
        going = self.going
        if self._fleet is None:
            return (_stands(self._part(self._folder, None), self._folder, going=going),)
        return tuple(self._lane(lane, going=going) for lane in self._fleet.lanes)

    def parts(self) -> tuple[Part, ...]:
        """Return what is known of each part that is planned.

        Raises:
            RecordError: One cannot be read.
        """
        return tuple(self._parts())

    def _parts(self) -> Iterator[Part]:
        if self._fleet is None:
            yield self._part(self._folder, None)
            return
        for lane in self._fleet.lanes:
            folder = lane_folder(self._folder, lane)
            if (folder / "activity.json").exists():
                yield self._part(folder, lane.machine)

    def _lane(self, lane: Lane, *, going: bool) -> LaneNow:
        folder = lane_folder(self._folder, lane)
        stop = read_stop(self._folder, lane)
        if not (folder / "activity.json").exists():
            said = None if stop is None else f"{stop.failure}: {stop.message}"
            return LaneNow(lane.machine, "waiting" if stop is None else "out", said=said)
        now = _stands(self._part(folder, lane.machine), folder, going=going)
        if stop is None:
            return now
        said = f"{stop.failure}: {stop.message}"
        return LaneNow(now.machine, "out", now.done, now.left, said=said, losses=now.losses)

    def _part(self, folder: Path, machine: str | None) -> Part:
        return self._known.setdefault(folder, _Known(folder, machine)).part()


class _Known:
    """What was read of one part's folder."""

    def __init__(self, folder: Path, machine: str | None) -> None:
        self._folder, self._machine = folder, machine
        self._of: object = None
        self._part: Part | None = None
        self._read: dict[str, Trial | None] = {}

    def part(self) -> Part:
        """Return the part as it is now; the same object until a record or the plan has changed."""
        places = (self._folder / "trials").glob("[!.]*")
        names = sorted((place.name for place in places), key=by_number)
        of = (self._folder / "activity.json").stat().st_mtime_ns, names
        if self._part is None or of != self._of:
            self._read = {name: self._read.get(name) or self._trial(name) for name in names}
            self._part, self._of = self._made(), of
        return self._part

    def _trial(self, name: str) -> Trial | None:
        place = self._folder / "trials" / name
        try:
            return read_trial(place) if (place / "trial.json").is_file() else None
        except DamagedError:
            return None

    def _made(self) -> Part:
        plan = read_activity(self._folder)
        records = tuple(record for record in self._read.values() if record is not None)
        outcomes = {record.planned.index: record.state for record in records}
        state = activity_state(plan, records)
        left = len(remaining_trials(plan.trials, outcomes, plan.over))
        losses = losses_now(plan, records)
        return Part(
            machine=self._machine or plan.baseline.machine.name,
            activity=plan.id,
            plan=plan,
            records=records,
            state=state,
            left=left if state is ActivityState.INTERRUPTED else 0,
            said=look_text(plan, records, losses),
            losses=losses,
        )


def _stands(part: Part, folder: Path, *, going: bool) -> LaneNow:
    over = part.state is not ActivityState.INTERRUPTED
    trial, note = (None, None) if over else _under_way(folder, part.plan)
    begun_ns = None if note is None else note.started_ns
    return LaneNow(
        machine=part.machine,
        state="running" if not over and going else str(part.state),
        done=len(part.records),
        left=part.left,
        trial=trial,
        since_s=None if begun_ns is None else max(0.0, time.time() - begun_ns / 1e9),
        remaining_s=0.0 if over else _remaining_s(part.records, part.left),
        said=part.said,
        begun_ns=begun_ns,
        losses=part.losses,
    )


def _under_way(folder: Path, plan: ActivityPlan) -> tuple[str | None, Inflight | None]:
    """Return what runs now, and the note of it; nothing between two trials."""
    try:
        note = read_inflight(folder)
        planned = None if note is None else plan.trials[note.index]
    except (AssayError, LookupError):
        return None, None
    if note is None or planned is None:
        return None, None
    return f"block {planned.block} {plan.arm_of(planned).label} {planned.workload}", note


def _remaining_s(records: Sequence[Trial], left: int) -> float | None:
    """Return how long so many trials take at the pace so far; ``None`` before the first."""
    if not records:
        return None
    began, ended = min(one.started_ns for one in records), max(one.ended_ns for one in records)
    return (ended - began) / 1e9 / len(records) * left
