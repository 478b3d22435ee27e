"""One evaluation activity as it goes on, and what may be done with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import StreamingResponse

from assay.activities.rows import take_up_records
from assay.activities.troubles import FailedTrial, TrialDoubt, failed_trials, log_tail, trial_doubts
from assay.design.course import Course
from assay.model.goal import Headline
from assay.report.charts.course import course_charts
from assay.report.render.frame import Document, document, packed
from assay.store.rows import ActivityRow, FleetRow
from assay.web.access.person import Person
from assay.web.acts.requests import ExtendActivity, ResumeActivity, RetryActivity, StopActivity
from assay.web.given import post
from assay.web.lanes import InState, LaneLine, first_lanes, lane_lines, states_of
from assay.web.lines import ActivityLine, activity_line
from assay.web.live.feed import Seen, digest_of
from assay.web.live.fragments import part
from assay.web.live.watches import Now
from assay.web.route import page
from assay.web.site import At, By, Site

router = APIRouter(tags=["activities"])
MOST_TOLD = 12
"""Failed trials, and doubts, that are told: the result has all of them."""
LOG_LINES = 30
STOPS, BEGUN = "asked to stop: what is finished is kept", "asked to go on: it begins in a moment"
PARTS = ("lanes", "course", "troubles", "log")
"""Parts of the page that change while it goes on, each a macro of that name."""


@dataclass(frozen=True)
class Activity:
    """An activity as it stands now.

    Attributes:
        line: What lists say of it.
        baseline: Label of what is compared with; ``None`` of one on several machines.
        fleet: The activity on several machines that it is a part of; ``None`` where it is none.
        going: Whether a process conducts it.
        done: Trials that have a record.
        left: Trials that are left, as far as is known.
        remaining_s: About how long the rest takes, of several machines the one that takes longest; ``None``
            before a trial has ended.
        machines: How many machines it is on.
        states: How many of them are in which state.
        lanes: The machines, a hundred at most: of more those first that something went wrong with, then those
            that are measured; ``/activities/{activity}/machines`` has all.
        margin: Loss that does not matter, a ratio; ``None`` of one on several machines.
        courses: How the loss of each metric narrowed; of one on several machines none: each part has its own.
        failures: Number of trials that failed.
        failed: The newest of them.
        doubts: Doubts about trials, the newest first.
        log: The last lines of the process that conducts it unattended.
        acts: What may be asked now: ``stop``, ``resume``, ``retry``, ``extend``.
    """

    line: ActivityLine
    baseline: str | None
    fleet: str | None
    going: bool
    done: int
    left: int
    remaining_s: float | None
    machines: int
    states: tuple[InState, ...]
    lanes: tuple[LaneLine, ...]
    margin: float | None
    courses: tuple[Course, ...]
    failures: int
    failed: tuple[FailedTrial, ...]
    doubts: tuple[TrialDoubt, ...]
    log: tuple[str, ...]
    acts: tuple[str, ...] = ()


def _drawn(found: Activity) -> Document:
    parts = parts_of(found)
    have = ",".join(f"{name}-{digest_of(text)}" for name, text in parts.items())
    return document("activity.html", _charts(found), page=found, parts=parts, have=have, awaited=BEGUN)


def _charts(found: Activity) -> list[dict[str, object]]:
    return [] if found.margin is None else course_charts(found.courses, found.margin)


def parts_of(found: Activity) -> dict[str, str]:
    """Return the parts of the page that change while the activity goes on, as HTML: the same for all."""
    charts = packed(_charts(found))
    return {name: part(name, found, charts) for name in PARTS}


@page(router, "/activities/{activity}", _drawn, charts=True)
def activity_page(site: At, by: By, activity: str) -> Activity:
    """An activity as it stands now: its machines, its losses so far, what went wrong."""
    take_up_records(site.store)
    row = site.store.find(activity, runs=True)
    now = site.watches.now(site.home, row)
    return replace(_as_it_is(site, row, now), acts=_acts(row, now, by))


def _as_it_is(site: Site, row: ActivityRow | FleetRow, now: Now) -> Activity:
    ids = {part.machine: part.activity for part in now.parts}
    failed = failed_trials(now.parts)
    alone = isinstance(row, ActivityRow) and bool(now.parts)
    plan = now.parts[0].plan if alone else None
    times = [lane.remaining_s for lane in now.lanes if lane.remaining_s is not None]
    return Activity(
        line=activity_line(site, row),
        baseline=None if plan is None else plan.baseline.label,
        fleet=row.fleet if isinstance(row, ActivityRow) else None,
        going=now.going,
        done=sum(lane.done for lane in now.lanes),
        left=sum(lane.left for lane in now.lanes),
        remaining_s=max(times, default=None),
        machines=len(now.lanes),
        states=states_of(now.lanes),
        lanes=lane_lines(first_lanes(now.lanes), ids),
        margin=None if plan is None else plan.margin,
        courses=now.courses,
        failures=len(failed),
        failed=failed[:MOST_TOLD],
        doubts=trial_doubts(now.parts)[:MOST_TOLD],
        log=log_tail(row.folder, LOG_LINES),
    )


def _acts(row: ActivityRow | FleetRow, now: Now, by: Person) -> tuple[str, ...]:
    """Return what makes sense now, of what a person may ask for."""
    if not row.is_own or (isinstance(row, ActivityRow) and row.fleet is not None):
        return ()
    if now.going:
        found = {"stop": StopActivity.role}
    else:
        found = {}
        states = {lane.state for lane in now.lanes}
        if states & {"interrupted", "waiting"}:
            found["resume"] = ResumeActivity.role
        if isinstance(row, FleetRow) and "out" in states:
            found["retry"] = RetryActivity.role
        if states & {"complete", "partial"} and all(_can_grow(now)):
            found["extend"] = ExtendActivity.role
    return tuple(name for name, role in found.items() if by.role >= role)


def _can_grow(now: Now) -> list[bool]:
    plans = [part.plan for part in now.parts]
    return [plan.proof_of is None and plan.goal.headline is not Headline.TOTAL for plan in plans]


@router.get(
    "/activities/{activity}/events",
    response_class=StreamingResponse,
    summary="An activity as it goes on: parts of its page as server-sent events.",
    responses={429: {"description": "You follow too many activities at once."}},
)
def events(
    site: At, by: By, activity: str, have: Annotated[str, Query(max_length=200)] = ""
) -> StreamingResponse:
    """Return the stream of an activity; ``over`` ends it once no process conducts the activity.

    Args:
        site: The site.
        by: Who follows.
        activity: The activity.
        have: Parts that the page has already, ``name-digest`` each.
    """
    row = site.store.find(activity, runs=True)
    if not site.feeds.has_room(by.who):
        raise HTTPException(429, "you follow too many activities at once", headers={"retry-after": "5"})

    def look() -> Seen:
        now = site.watches.now(site.home, row)
        return Seen(parts_of(_as_it_is(site, row, now)), over=not now.going)

    known: Mapping[str, str] = dict(re.findall(r"([a-z]+)-([0-9a-f]{12})", have))
    stream = site.feeds.stream(row.id, by.who, look, known)
    unbuffered = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=unbuffered)


_AT = "/activities/{activity}"
post(router, f"{_AT}/stop", StopActivity, lambda act, _: f"/activities/{act.activity}", STOPS)
post(router, f"{_AT}/resume", ResumeActivity, lambda act, _: f"/activities/{act.activity}", BEGUN)
post(router, f"{_AT}/retry", RetryActivity, lambda act, _: f"/activities/{act.activity}", BEGUN)
post(router, f"{_AT}/extend", ExtendActivity, lambda act, _: f"/activities/{act.activity}", BEGUN)
