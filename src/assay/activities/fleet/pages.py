"""The page of an activity on several machines, made from what its folder holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from assay.activities.pages import page_of
from assay.design.state import state_of
from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.model.fleet import Fleet, Lane
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Arm, State
from assay.pages.fleet import FleetPage, LanesPage, LaneStand, LaneSummary, StoppedLane
from assay.platforms.claims import is_live
from assay.report.render.json import to_json
from assay.results.fleet.fleet_rows import Measured, fleet_rows
from assay.store.fingerprints import read_kept_fingerprint
from assay.store.fleet import lane_folder, read_fleet, read_stop
from assay.store.record import OPEN, read_trials, replace_file
from assay.store.store import Store


def fleet_page(folder: Path, home: Path) -> FleetPage:
    """Return the page of an activity on several machines: lanes without a record are named, and counted
    nowhere.

    Args:
        folder: The activity's folder.
        home: Folder of all state.

    Raises:
        RecordError: The folder is not such an activity's.
    """
    fleet = read_fleet(folder)
    measured = tuple(_measured(fleet, folder))
    known = {one.machine: one for one in measured}
    lanes = tuple(_lane(lane, folder, known.get(lane.machine)) for lane in fleet.lanes)
    first = measured[0].page.result if measured else None
    state = _state(lanes, live=is_live(home, fleet.id))
    over = state not in OPEN
    return FleetPage(
        id=fleet.id,
        scene=fleet.scene if fleet.scale is None else f"{fleet.scene} ({fleet.scale})",
        title=fleet.title,
        state=state,
        who=fleet.who,
        created=datetime.fromtimestamp(fleet.created_ns / 1e9, UTC).isoformat(timespec="seconds"),
        seed=fleet.seed,
        confidence=None if first is None else first.confidence,
        margin=None if first is None else first.margin,
        command=fleet.command,
        lanes=lanes,
        rows=fleet_rows([one for one in measured if one.page.estimates], over=over),
        drain=None if fleet.drain is None else fleet.drain.options,
    )


OUT, WAITING = "out", "waiting"
_STATES = {one: one for one in ("complete", "partial", "failed")}


def _measured(fleet: Fleet, folder: Path) -> Iterator[Measured]:
    for lane in fleet.lanes:
        own = lane_folder(folder, lane)
        if (own / "activity.json").exists():
            yield Measured(lane.machine, page_of(own, sampled=False), _fingerprint(own))


def _fingerprint(folder: Path) -> Fingerprint | None:
    """Return a lane's machine as its first baseline trial saw it."""
    records = (one for one in read_trials(folder, damaged=[]) if one.planned.arm is Arm.BASELINE)
    for record in records:
        try:
            return read_kept_fingerprint(folder / "facts" / f"{record.boot}.json")
        except AssayError:
            continue
    return None


def _lane(lane: Lane, folder: Path, measured: Measured | None) -> LaneSummary:
    state = WAITING if measured is None else str(measured.page.result.state)
    trials = () if measured is None else measured.page.trials
    done = sum(point.state is not State.WAITING for point in trials)
    hardware = None if measured is None else measured.hardware
    return LaneSummary(**vars(_stand(lane, folder, state, len(trials), done)), hardware=hardware)


def _stand(lane: Lane, folder: Path, state: str, trials: int, done: int) -> LaneStand:
    stop = read_stop(folder, lane)
    return LaneStand(
        machine=lane.machine,
        activity=lane.activity,
        state=state if stop is None else OUT,
        trials=trials,
        done=done,
        stopped=None if stop is None else StoppedLane(str(stop.failure), stop.message, stop.hint, stop.tries),
    )


def lanes_page(folder: Path, store: Store) -> LanesPage:
    """Return how far each machine is; of what they measured nothing is read.

    Args:
        folder: The activity's folder.
        store: Has the rows of its lanes.

    Raises:
        RecordError: The folder is not such an activity's.
    """
    fleet = read_fleet(folder)
    rows = {row.id: row for row in store.lanes_of(fleet.id)}
    live = is_live(store.home, fleet.id)
    lanes = []
    for lane in fleet.lanes:
        row = rows.get(lane.activity)
        if row is None:
            lanes.append(_stand(lane, folder, WAITING, 0, 0))
            continue
        cut_off = row.state is ActivityState.RUNNING and not live
        state = str(ActivityState.INTERRUPTED if cut_off else row.state)
        lanes.append(_stand(lane, folder, state, row.trials, row.ended + row.failed))
    return LanesPage(fleet.id, fleet.title, _state(lanes, live=live), tuple(lanes))


def _state(lanes: Sequence[LaneStand], *, live: bool) -> str:
    """Return where an activity stands by its lanes."""
    states = [None if lane.state == OUT else _STATES.get(lane.state, "interrupted") for lane in lanes]
    state = state_of(None if one is None else ActivityState(one) for one in states)
    return str(ActivityState.RUNNING if state is ActivityState.INTERRUPTED and live else state)


def write_fleet_page(folder: Path, page: FleetPage) -> None:
    """Write the page and its context beside the lanes."""
    from assay.report.render.fleet_html import html_fleet

    replace_file(folder / "report.json", to_json(page).encode())
    replace_file(folder / "report.html", html_fleet(page).encode())
