"""What is known of one result, from what is kept of it; its records are read where that is not right any
more.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from assay.activities.fleet.pages import fleet_page
from assay.activities.pages import page_of, whole_page
from assay.activities.rows import take_up_records
from assay.activities.standing import as_it_stands
from assay.activities.summaries import kept_page
from assay.model.errors import AssayError
from assay.pages.context import Page
from assay.pages.fleet import FleetPage
from assay.store.rows import ActivityRow, FleetRow
from assay.web.site import Site


def found(site: Site, result: str) -> Page | FleetPage:
    """Return the page of a result, of one machine or of several.

    Raises:
        UnknownNameError: There is none.
    """
    row = row_of(site, result)
    return fleet_page(row.folder, site.home) if isinstance(row, FleetRow) else shown(site, row)


def row_of(site: Site, result: str) -> ActivityRow | FleetRow:
    """Return the row of a result's activity, with records that another process has written since."""
    take_up_records(site.store)
    return site.store.find(result)


def of_one(site: Site, result: str) -> ActivityRow:
    """Return the row of a result of one machine.

    Raises:
        AssayError: It is one of several.
    """
    row = row_of(site, result)
    if isinstance(row, FleetRow):
        msg = f"result {row.id} is of several machines: its trials are in the results of each"
        raise AssayError(msg, hint=f"/results/{row.id} lists them")
    return row


def shown(site: Site, row: ActivityRow) -> Page:
    """Return the whole page of a result as it stands now."""
    return _stands(site, row, lambda: whole_page(row.folder))


def in_figures(site: Site, row: ActivityRow) -> Page:
    """Return the page of a result as it stands now; what it recorded over time may be left out."""
    return _stands(site, row, lambda: page_of(row.folder, sampled=False))


def _stands(site: Site, row: ActivityRow, make: Callable[[], Page]) -> Page:
    return as_it_stands(site.home, row, lambda: kept_page(site.store, row) or make())


def address(result: str, *below: str) -> str:
    """Return the address of a result's page, or of one below it."""
    return "/".join(["/results", *(quote(part, safe="") for part in (result, *below))])
