"""The page of an activity on several machines, made from what its folder holds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from assay.activities.pages import page_of
from assay.model.errors import AssayError
from assay.model.fleet import Fleet, Lane
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Arm, State
from assay.pages.fleet import FleetPage, LaneSummary, StoppedLane
from assay.platforms.claims import is_live
from assay.report.render.json import to_json
from assay.results.fleet.fleet_rows import Measured, fleet_rows
from assay.store.fingerprints import read_kept_fingerprint
from assay.store.fleet import lane_folder, read_fleet, read_stop
from assay.store.record import read_trials, replace_file


def fleet_page(folder: Path, home: Path) -> FleetPage:
    """Return the page of an activity on several machines: lanes without a record are named, and counted
    nowhere.

    Args:
        folder: The activity's folder.
        home: Folder of all state.

    Raises:
        RecordError: The folder is not such an activity's.
    """
    from assay.design.state import state_of
    from assay.model.activity import ActivityState

    fleet = read_fleet(folder)
    measured = tuple(_measured(fleet, folder))
    known = {one.machine: one for one in measured}
    lanes = tuple(_lane(lane, folder, known.get(lane.machine)) for lane in fleet.lanes)
    states = [None if lane.state == OUT else _STATES.get(lane.state, "interrupted") for lane in lanes]
    state = state_of(None if one is None else ActivityState(one) for one in states)
    first = measured[0].page.result if measured else None
    return FleetPage(
        id=fleet.id,
        scene=fleet.scene if fleet.scale is None else f"{fleet.scene} ({fleet.scale})",
        title=fleet.title,
        state="running" if state is ActivityState.INTERRUPTED and is_live(home, fleet.id) else str(state),
        who=fleet.who,
        created=datetime.fromtimestamp(fleet.created_ns / 1e9, UTC).isoformat(timespec="seconds"),
        seed=fleet.seed,
        confidence=None if first is None else first.confidence,
        margin=None if first is None else first.margin,
        command=fleet.command,
        lanes=lanes,
        rows=fleet_rows([one for one in measured if one.page.estimates]),
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
    stop = read_stop(folder, lane)
    state = WAITING if measured is None else str(measured.page.result.state)
    trials = () if measured is None else measured.page.trials
    return LaneSummary(
        machine=lane.machine,
        activity=lane.activity,
        state=OUT if stop is not None else state,
        trials=len(trials),
        done=sum(point.state is not State.WAITING for point in trials),
        hardware=None if measured is None else measured.hardware,
        stopped=None if stop is None else StoppedLane(str(stop.failure), stop.message, stop.hint, stop.tries),
    )


def write_fleet_page(folder: Path, page: FleetPage) -> None:
    """Write the page and its context beside the lanes."""
    from assay.report.render.fleet_html import html_fleet

    replace_file(folder / "report.json", to_json(page).encode())
    replace_file(folder / "report.html", html_fleet(page).encode())
