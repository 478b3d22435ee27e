"""The page of an activity on several machines as one HTML file, which asks the network for nothing."""

from __future__ import annotations

from assay.pages.fleet import FleetPage
from assay.pages.numbers import percent_text
from assay.report.charts.chart_style import FAILED
from assay.report.charts.fleet import classes_of, fleet_charts
from assay.report.render.html import SCRIPTS, embedded, environment, script_hash, static
from assay.report.tables.fleet import MACHINES, METRICS, machine_cells, metric_cells, outlier_sentences


def html_fleet(page: FleetPage) -> str:
    """Return the page; every text of it is escaped, lanes are linked to beside it."""
    scripts = [static(name) for name in SCRIPTS]
    return (
        environment()
        .get_template("fleet.html")
        .render(
            page=page,
            complete=sum(lane.state == "complete" for lane in page.lanes),
            machines=[(lane, machine_cells(lane)) for lane in page.lanes],
            machine_headers=MACHINES,
            metrics=[cells for row in page.rows for cells in metric_cells(row)],
            metric_headers=METRICS,
            outliers=[*outlier_sentences(page)],
            classes=classes_of(page),
            failed=FAILED,
            percent=percent_text,
            style=static("page.css"),
            scripts=scripts,
            hashes=[script_hash(script) for script in scripts],
            charts=embedded(fleet_charts(page)),
        )
    )
