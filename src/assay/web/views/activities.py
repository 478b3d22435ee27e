"""Evaluation activities: what ran, what runs, and one activity as it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from assay.activities.rows import take_up_records
from assay.store.rows import ActivityRow, FleetRow
from assay.store.search import Filter
from assay.web.lines import ActivityLine, activity_line
from assay.web.route import page
from assay.web.site import At

router = APIRouter(tags=["activities"])
PER_PAGE = 50


@dataclass(frozen=True)
class Activities:
    """The activities.

    Attributes:
        activities: The newest first.
    """

    activities: tuple[ActivityLine, ...]


@page(router, "/activities", "activities.html")
def activities(site: At) -> Activities:
    """All activities, the newest first."""
    take_up_records(site.store)
    rows: list[ActivityRow | FleetRow] = [
        *site.store.search(Filter(), limit=PER_PAGE).rows,
        *site.store.fleets(),
    ]
    rows.sort(key=lambda row: row.created_ns, reverse=True)
    return Activities(tuple(activity_line(site, row) for row in rows[:PER_PAGE]))
