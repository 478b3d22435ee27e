"""The page of an activity on several machines as one HTML file, which asks the network for nothing."""

from __future__ import annotations

from assay.pages.fleet import FleetPage
from assay.pages.numbers import percent_text
from assay.report.charts.chart_style import FAILED
from assay.report.charts.fleet import classes_of, fleet_charts
from assay.report.method.recipe import fleet_recipe
from assay.report.render.frame import Document, document, whole_file
from assay.report.tables.fleet import MACHINES, METRICS, machine_cells, metric_cells, outlier_sentences
from assay.report.tables.words import named


def html_fleet(page: FleetPage) -> str:
    """Return the page; every text of it is escaped, lanes are linked to beside it."""
    return whole_file(fleet_document(page))


def fleet_document(page: FleetPage) -> Document:
    """Return the page, without a frame."""
    return document(
        "fleet.html",
        fleet_charts(page),
        page=page,
        complete=sum(lane.state == "complete" for lane in page.lanes),
        lane_at=lambda lane: f"lanes/{lane.activity}/report.html",
        machines=[(lane, machine_cells(lane)) for lane in page.lanes],
        machine_headers=MACHINES,
        metrics=[cells for row in page.rows for cells in metric_cells(row)],
        metric_headers=METRICS,
        outliers=[*outlier_sentences(page)],
        classes=classes_of(page),
        failed=FAILED,
        percent=percent_text,
        named=named,
        recipe=fleet_recipe(page),
    )
