"""The overview: what runs, what came out last, how the machines are."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.report.render.frame import Document, document
from assay.store.rows import ActivityRow, FleetRow
from assay.store.search import Filter
from assay.web.changed import MachineChange, ResultChange, machine_changes, result_changes, without_steps
from assay.web.lines import ActivityLine, ResultLine, activity_line, result_lines
from assay.web.live.fragments import WORDS, part
from assay.web.route import page
from assay.web.site import At, Site
from assay.web.views.machines import MachineLine, machine_lines

router = APIRouter(tags=["overview"])
LATEST, MACHINES = 8, 12
LOOKED_AT = 100
"""Newest results; of a search for settings many are steps."""


@dataclass(frozen=True)
class UnderWay:
    """An activity that a process conducts.

    Attributes:
        line: What lists say of it.
        done: Trials that have a record; rows of the database follow them later.
        left: Trials that are left, as far as is known.
        remaining_s: About how long the rest takes; ``None`` before a trial has ended.
    """

    line: ActivityLine
    done: int
    left: int
    remaining_s: float | None


@dataclass(frozen=True)
class Overview:
    """What a site asks first.

    Attributes:
        machines: Machines with how each is: those that were not reached first.
        machine_count: How many there are.
        under_way: Activities that a process conducts.
        latest: The newest results, the newest first.
        machine_changes: What changed of machines since a week ago.
        result_changes: Metrics of which this week's result says otherwise than the one before.
    """

    machines: tuple[MachineLine, ...]
    machine_count: int
    under_way: tuple[UnderWay, ...]
    latest: tuple[ResultLine, ...]
    machine_changes: tuple[MachineChange, ...]
    result_changes: tuple[ResultChange, ...]


def _drawn(found: Overview) -> Document:
    return document("overview.html", (), page=found, **WORDS)


@page(router, "/", _drawn)
def overview(site: At) -> Overview:
    """What runs, what came out last, how the machines are."""
    machines = machine_lines(site)
    newest, now_ns = site.store.search(Filter(), limit=LOOKED_AT).rows, time.time_ns()
    return Overview(
        machines=tuple(sorted(machines, key=_is_well)[:MACHINES]),
        machine_count=len(machines),
        under_way=under_way(site),
        latest=result_lines(site, islice(without_steps(site, newest), LATEST)),
        machine_changes=machine_changes(site, now_ns),
        result_changes=result_changes(site, now_ns),
    )


def _is_well(line: MachineLine) -> bool:
    return line.health is None or line.health.why is None


def under_way(site: Site) -> tuple[UnderWay, ...]:
    """Return the activities that a process conducts, the newest first; a part of one on several is none."""
    rows: list[ActivityRow | FleetRow] = [
        *(row for row in site.store.activities(ActivityState.RUNNING) if row.fleet is None),
        *(row for row in site.store.fleets() if row.state is ActivityState.RUNNING),
    ]
    lines = {row: activity_line(site, row) for row in rows}
    going = [row for row in rows if lines[row].state == "running"]
    return tuple(_under_way(site, row, lines[row]) for row in sorted(going, key=_created_ns, reverse=True))


def _created_ns(row: ActivityRow | FleetRow) -> int:
    return row.created_ns


def _under_way(site: Site, row: ActivityRow | FleetRow, line: ActivityLine) -> UnderWay:
    try:
        lanes = site.watches.now(site.home, row).lanes
    except (AssayError, OSError):  # its page says why
        return UnderWay(line, line.ended + line.failed, max(0, line.trials - line.ended - line.failed), None)
    times = [lane.remaining_s for lane in lanes if lane.remaining_s is not None]
    done, left = sum(lane.done for lane in lanes), sum(lane.left for lane in lanes)
    return UnderWay(line, done, left, max(times, default=None))


@router.get("/under-way", include_in_schema=False)
def under_way_part(site: At) -> HTMLResponse:
    """Return that part of the overview alone, as it is now."""
    return HTMLResponse(part("under_way", under_way(site)))
