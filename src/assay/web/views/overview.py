"""The overview: what runs, what came out last, how the machines are."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from assay.model.activity import ActivityState
from assay.store.search import Filter
from assay.web.lines import ActivityLine, ResultLine, activity_line, result_lines
from assay.web.route import page
from assay.web.site import At
from assay.web.views.machines import MachineLine, machine_lines

router = APIRouter(tags=["overview"])
LATEST = 8


@dataclass(frozen=True)
class Overview:
    """What a site asks first.

    Attributes:
        machines: The inventory, with how each machine is.
        under_way: Activities that a process conducts.
        latest: The newest results, the newest first.
    """

    machines: tuple[MachineLine, ...]
    under_way: tuple[ActivityLine, ...]
    latest: tuple[ResultLine, ...]


@page(router, "/", "overview.html")
def overview(site: At) -> Overview:
    """What runs, what came out last, how the machines are."""
    running = [activity_line(site, row) for row in site.store.activities(ActivityState.RUNNING)]
    return Overview(
        machines=machine_lines(site),
        under_way=tuple(line for line in running if line.state == "running"),
        latest=result_lines(site, site.store.search(Filter(), limit=LATEST).rows),
    )
