"""What to change, by a result."""

from __future__ import annotations

from fastapi import APIRouter

from assay.pages.advice import Advice
from assay.report.render.advise import HEADERS, READING, advice_cells, advice_details, unknown_lines
from assay.report.render.frame import Document, document
from assay.web.found import address, of_one
from assay.web.route import page
from assay.web.site import At, By

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
def advice(site: At, by: By, result: str) -> Advice:
    """What may win the losses of a result back, and the commands that test it."""
    return site.looks.advice(of_one(site, result).id, by)
