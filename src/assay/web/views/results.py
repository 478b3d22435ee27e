"""Evaluation results: all of them, and one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter

from assay.activities.fleet.pages import fleet_page
from assay.activities.pages import whole_page
from assay.activities.rows import take_up_records
from assay.activities.standing import as_it_stands
from assay.activities.summaries import kept_page
from assay.pages.context import Page
from assay.pages.fleet import FleetPage
from assay.report.render.fleet_html import fleet_document
from assay.report.render.frame import Document
from assay.report.render.html import report_document
from assay.store.rows import FleetRow
from assay.store.search import Filter
from assay.web.lines import ResultLine, result_lines
from assay.web.route import page
from assay.web.site import At

router = APIRouter(tags=["results"])
PER_PAGE = 50


@dataclass(frozen=True)
class Results:
    """The results.

    Attributes:
        results: The newest first.
    """

    results: tuple[ResultLine, ...]


@page(router, "/results", "results.html")
def results(site: At) -> Results:
    """All results, the newest first."""
    return Results(result_lines(site, site.store.search(Filter(), limit=PER_PAGE).rows))


def _drawn(found: Page | FleetPage) -> Document:
    if isinstance(found, FleetPage):
        made = fleet_document(found)
        return replace(made, template="fleet_result.html")
    return replace(report_document(found), template="result.html")


@page(router, "/results/{result}", _drawn, charts=True)
def result(site: At, result: str) -> Page | FleetPage:
    """A result: what is lost, how sure that is, where it went."""
    take_up_records(site.store)
    row = site.store.find(result)
    if isinstance(row, FleetRow):
        return fleet_page(row.folder, site.home)
    return as_it_stands(site.home, row, lambda: kept_page(site.store, row) or whole_page(row.folder))
