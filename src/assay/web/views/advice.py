"""What to change, by a result."""

from __future__ import annotations

from fastapi import APIRouter

from assay.activities.pages import explained_page
from assay.pages.advice import Advice
from assay.platforms.host.this_host import ThisHost
from assay.report.render.advise import HEADERS, READING, advice_cells, advice_details, unknown_lines
from assay.report.render.frame import Document, document
from assay.results.advice.advised import advice_of
from assay.store.record import read_activity, read_trials
from assay.web.found import address, of_one
from assay.web.route import page
from assay.web.site import At

router = APIRouter(tags=["results"])


def _drawn(one: Advice) -> Document:
    return document(
        "advice.html",
        (),
        page=one,
        at=address(one.result.id),
        headers=HEADERS,
        rows=advice_cells(one),
        details=advice_details(one),
        unknown=unknown_lines(one),
        reading=READING,
    )


@page(router, "/results/{result}/advice", _drawn)
def advice(site: At, result: str) -> Advice:
    """What may win the losses of a result back, and the commands that test it."""
    row = of_one(site, result)
    plan, records = read_activity(row.folder), tuple(read_trials(row.folder, damaged=[]))
    host = ThisHost(site.home) if row.is_own else None  # what another site's machine can have is not known
    return advice_of(plan, records, explained_page(row.folder), host, row.folder)
