"""The overview: what runs, what came out last, how the machines are."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.report.render.frame import Document, document
from assay.store.rows import ActivityRow, FleetRow
from assay.store.search import Filter
from assay.web.lines import ActivityLine, ResultLine, activity_line, result_lines
from assay.web.live.fragments import WORDS, part
from assay.web.route import page
from assay.web.site import At, Site
from assay.web.views.machines import MachineLine, machine_lines

router = APIRouter(tags=["overview"])
LATEST = 8


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
        machines: The inventory, with how each machine is.
        under_way: Activities that a process conducts.
        latest: The newest results, the newest first.
    """

    machines: tuple[MachineLine, ...]
    under_way: tuple[UnderWay, ...]
    latest: tuple[ResultLine, ...]


def _drawn(found: Overview) -> Document:
    return document("overview.html", (), page=found, **WORDS)


@page(router, "/", _drawn)
def overview(site: At) -> Overview:
    """What runs, what came out last, how the machines are."""
    return Overview(
        machines=machine_lines(site),
        under_way=under_way(site),
        latest=result_lines(site, site.store.search(Filter(), limit=LATEST).rows),
    )


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
