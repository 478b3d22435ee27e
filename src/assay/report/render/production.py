"""A farm's jobs beside the lab, as text and as one HTML file."""

from __future__ import annotations

from assay.pages.production import ProductionPage
from assay.report.charts.production import LAB, LOOKS, PRODUCTION, production_charts
from assay.report.render.frame import document, whole_file
from assay.report.tables.production import (
    NOTE,
    interval_line,
    lab_lines,
    loss_cells,
    loss_headers,
    read_lines,
    reason_lines,
    side_cells,
    side_headers,
)
from assay.report.tables.tables import table

NO_JOB = "no job is left to compare"


def text_production(page: ProductionPage) -> str:
    """Return the page as text."""
    parts = ["\n".join(read_lines(page))]
    if page.rows:
        parts += [
            table(side_headers(page), side_cells(page), right={1, 3, 4}),
            "\n".join(lab_lines(page)),
            table(loss_headers(page), loss_cells(page), right={1}),
            "\n".join(reason_lines(page)),
            f"{interval_line(page)}\n{NOTE}",
        ]
    else:
        parts.append(NO_JOB)
    return "\n\n".join(part for part in parts if part) + "\n"


def html_production(page: ProductionPage) -> str:
    """Return the page as one HTML file; every text of it is escaped."""
    return whole_file(
        document(
            "production.html",
            production_charts(page),
            page=page,
            read=[*read_lines(page)],
            lab=[*lab_lines(page)],
            sides=(side_headers(page), side_cells(page)),
            losses=(loss_headers(page), loss_cells(page)),
            reasons=reason_lines(page),
            ending=[interval_line(page), NOTE],
            no_job=NO_JOB,
            looks=LOOKS,
            marks={"production": PRODUCTION} | ({"the lab": LAB} if page.prediction else {}),
        )
    )
