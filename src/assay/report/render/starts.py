"""Starts beside each other, as text and as one HTML file."""

from __future__ import annotations

from assay.pages.numbers import percent_text
from assay.pages.starts import StartsPage
from assay.report.charts.starts import CHECK_LOOKS, starts_charts
from assay.report.render.frame import document, whole_file
from assay.report.tables.production import read_lines
from assay.report.tables.starts import (
    CHECK_HEADERS,
    FIT_HEADERS,
    FORECAST_HEADERS,
    NOTE,
    check_cells,
    error_lines,
    fit_cells,
    forecast_cells,
)
from assay.report.tables.tables import table

NO_JOB = "no job is left whose start, node and machine are known"


def text_starts(page: StartsPage) -> str:
    """Return the page as text."""
    parts = ["\n".join(read_lines(page))]
    if page.rows:
        parts += [
            table(FIT_HEADERS, fit_cells(page), right={1, 2, 3, 7}),
            table(CHECK_HEADERS, check_cells(page), right={1, 4, 5, 6, 7, 8}) if check_cells(page) else "",
            table(FORECAST_HEADERS, forecast_cells(page), right={1, 2}) if forecast_cells(page) else "",
            "\n".join(error_lines(page)),
            f"{_intervals(page)}\n{NOTE}",
        ]
    else:
        parts.append(NO_JOB)
    return "\n\n".join(part for part in parts if part) + "\n"


def _intervals(page: StartsPage) -> str:
    return f"intervals over the parts that were held out in turn, {percent_text(page.confidence)}"


def html_starts(page: StartsPage) -> str:
    """Return the page as one HTML file; every text of it is escaped."""
    return whole_file(
        document(
            "starts.html",
            starts_charts(page),
            page=page,
            read=[*read_lines(page)],
            fits=(FIT_HEADERS, fit_cells(page)),
            checks=(CHECK_HEADERS, check_cells(page)),
            forecasts=(FORECAST_HEADERS, forecast_cells(page)),
            ending=[*error_lines(page), _intervals(page), NOTE],
            no_job=NO_JOB,
            looks=CHECK_LOOKS,
        )
    )
