"""Evaluation activities: what ran, what runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query

from assay.activities.rows import take_up_records
from assay.model.activity import ActivityState
from assay.web.lines import ActivityLine, activity_line
from assay.web.route import page
from assay.web.site import At

router = APIRouter(tags=["activities"])
PER_PAGE = 50
MOST_PAGES = 1_000_000


@dataclass(frozen=True)
class Activities:
    """The activities.

    Attributes:
        activities: The newest first.
        scene: The scene whose activities are shown; ``None`` is all.
        state: The state in which those are that are shown; ``None`` is all.
        scenes: Scenes that anything was measured by.
        states: States that an activity may be in.
        page: Which page, from 1.
        older: Whether there are older ones on a further page.
    """

    activities: tuple[ActivityLine, ...]
    scene: str | None
    state: str | None
    scenes: tuple[str, ...]
    states: tuple[str, ...]
    page: int
    older: bool


@page(router, "/activities", "activities.html")
def activities(
    site: At,
    scene: str | None = None,
    state: str | None = None,
    page: Annotated[int, Query(ge=1, le=MOST_PAGES)] = 1,
) -> Activities:
    """All activities, the newest first, or those of a scene or in a state."""
    take_up_records(site.store)
    states = tuple(map(str, ActivityState))
    rows = site.store.newest(
        scene=scene or None,
        state=ActivityState(state) if state in states else None,
        limit=PER_PAGE + 1,
        offset=(page - 1) * PER_PAGE,
    )
    return Activities(
        activities=tuple(activity_line(site, row) for row in rows[:PER_PAGE]),
        scene=scene or None,
        state=state if state in states else None,
        scenes=tuple(sorted(site.store.scenes())),
        states=states,
        page=page,
        older=len(rows) > PER_PAGE,
    )
