"""Several results beside each other, as text, Markdown and one HTML file."""

from __future__ import annotations

from assay.pages.several import SeveralPage
from assay.report.charts.several import several_charts
from assay.report.method.recipe import TITLE as RECIPE_TITLE
from assay.report.method.recipe import several_recipe
from assay.report.render.frame import Document, at_once, document, whole_file
from assay.report.render.markdown_words import bullets, commands, markdown_table
from assay.report.render.text import section
from assay.report.tables.several import (
    LOSSES,
    NOTE,
    RESULTS,
    doubts_or_none,
    loss_cells,
    metrics_of,
    result_cells,
)
from assay.report.tables.tables import table


def text_several(page: SeveralPage) -> str:
    """Return the page as text."""
    losses = [cells for metric in metrics_of(page) for cells in loss_cells(metric)]
    parts = (
        table(RESULTS, result_cells(page)),
        f"{table(LOSSES, losses, right={2, 3, 5})}\n{NOTE}",
        section("Doubts", doubts_or_none(page)),
    )
    return "\n\n".join(parts) + "\n"


def markdown_several(page: SeveralPage) -> str:
    """Return the page as Markdown."""
    losses = [cells for metric in metrics_of(page) for cells in loss_cells(metric)]
    parts = (
        f"# {len(page.results)} results",
        markdown_table(RESULTS, result_cells(page)),
        "## Losses",
        markdown_table(LOSSES, losses, right={2, 3, 5}),
        f"{NOTE}.",
        "## Doubts",
        bullets(doubts_or_none(page)),
        f"## {RECIPE_TITLE}",
        commands(several_recipe(page)),
    )
    return "\n\n".join(parts) + "\n"


def html_several(page: SeveralPage) -> str:
    """Return the page as one HTML file; every text of it is escaped."""
    return whole_file(several_document(page))


def several_document(page: SeveralPage) -> Document:
    """Return the page, without a frame."""
    return document(
        "several.html",
        several_charts(page),
        late=at_once,
        page=page,
        result_headers=RESULTS,
        results=result_cells(page),
        loss_headers=LOSSES[1:],
        metrics=[(metric, [cells[1:] for cells in loss_cells(metric)]) for metric in metrics_of(page)],
        loss_links=lambda metric: (),  # noqa: ARG005 - a file has none
        note=NOTE,
        doubts=doubts_or_none(page),
        recipe=several_recipe(page),
    )
