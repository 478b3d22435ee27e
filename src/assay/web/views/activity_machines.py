"""The machines of an activity, page by page, all or those in one state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from assay.activities.rows import take_up_records
from assay.report.render.frame import Document, document
from assay.web.lanes import PER_PAGE, InState, LaneLine, State, lane_lines, states_of
from assay.web.lines import ActivityLine, activity_line
from assay.web.live.fragments import WORDS
from assay.web.route import page
from assay.web.site import At

router = APIRouter(tags=["activities"])


@dataclass(frozen=True)
class ActivityMachines:
    """The machines of an activity, or those in one state, a page of them.

    Attributes:
        line: What lists say of the activity.
        states: How many machines are in which state.
        machines: How many there are in all.
        state: The state of those that are shown; empty is all.
        lanes: The machines of this page, in the order of the plan.
        at: This page, from 1.
        pages: How many pages there are, 1 or more.
    """

    line: ActivityLine
    states: tuple[InState, ...]
    machines: int
    state: State | Literal[""]
    lanes: tuple[LaneLine, ...]
    at: int
    pages: int


def _drawn(found: ActivityMachines) -> Document:
    return document("activity_machines.html", (), page=found, **WORDS)


@page(router, "/activities/{activity}/machines", _drawn)
def activity_machines(
    site: At, activity: str, state: State | Literal[""] = "", at: Annotated[int, Query(ge=1)] = 1
) -> ActivityMachines:
    """The machines of an activity, page by page: all, or those in one state."""
    take_up_records(site.store)
    row = site.store.find(activity, runs=True)
    now = site.watches.now(site.home, row)
    chosen = [lane for lane in now.lanes if state in ("", lane.state)]
    pages = max(1, -(-len(chosen) // PER_PAGE))
    at = min(at, pages)
    ids = {part.machine: part.activity for part in now.parts}
    return ActivityMachines(
        line=activity_line(site, row),
        states=states_of(now.lanes),
        machines=len(now.lanes),
        state=state,
        lanes=lane_lines(chosen[(at - 1) * PER_PAGE : at * PER_PAGE], ids),
        at=at,
        pages=pages,
    )
