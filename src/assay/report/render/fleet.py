"""The page of an activity on several machines as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.pages.fleet import FleetPage, LanesPage
from assay.report.method.recipe import TITLE as RECIPE_TITLE
from assay.report.method.recipe import fleet_recipe
from assay.report.render.markdown_words import bullets, code, commands, escape, markdown_table
from assay.report.tables.fleet import (
    LANES,
    MACHINES,
    METRICS,
    lane_cells,
    machine_cells,
    metric_cells,
    outlier_sentences,
)
from assay.report.tables.tables import table

SHOWN = 40
"""Machines that are listed; of more those that are not complete, and how many the others are."""


def text_fleet(page: FleetPage, *, report: Path | None = None) -> str:
    """Return the page as text.

    Args:
        page: The page.
        report: Its file, to be named; ``None`` names none.
    """
    return "\n".join(_lines(page, report))


def markdown_fleet(page: FleetPage) -> str:
    """Return the page as Markdown."""
    complete = sum(lane.state == "complete" for lane in page.lanes)
    metrics = [cells for row in page.rows for cells in metric_cells(row)]
    machines = [machine_cells(lane) for lane in page.lanes]
    parts = [
        f"# {escape(page.title)}",
        (
            f"{escape(page.scene)}, activity {code(page.id)}, **{page.state}**: {complete} of "
            f"{len(page.lanes)} machines complete."
        ),
        f"## All machines\n\n{markdown_table(METRICS, metrics, right={3, 4})}",
        f"## Machines\n\n{markdown_table(MACHINES, machines, right={2})}",
    ]
    if unlike := [*outlier_sentences(page)]:
        parts.append(f"## Outliers\n\n{bullets(unlike)}")
    parts.append(f"## {RECIPE_TITLE}\n\n{commands(fleet_recipe(page))}")
    return "\n\n".join(parts) + "\n"


def text_lanes(page: LanesPage) -> str:
    """Return how far each machine is, as text."""
    done, trials = (sum(getattr(lane, name) for lane in page.lanes) for name in ("done", "trials"))
    head = f"activity {page.id}: {page.title}; {page.state}, {done} of {trials} trials have a record"
    return f"{head}\n{table(LANES, [lane_cells(lane) for lane in page.lanes], right={2})}"


def _lines(page: FleetPage, report: Path | None) -> Iterator[str]:
    complete = sum(lane.state == "complete" for lane in page.lanes)
    yield f"activity {page.id}: {page.title}"
    yield f"{page.state}; {complete} of {len(page.lanes)} machines complete; seed {page.seed}"
    yield ""
    shown = [lane for lane in page.lanes if len(page.lanes) <= SHOWN or lane.state != "complete"]
    if shown:
        yield table(MACHINES, [machine_cells(lane) for lane in shown], right={2})
        yield ""
    rows = [cells for row in page.rows for cells in metric_cells(row)]
    if rows:
        yield table(METRICS, rows, right={3})
    else:
        yield "nothing was measured yet"
    unlike = [*outlier_sentences(page)]
    if unlike:
        yield ""
        yield from (f"outlier: {sentence}" for sentence in unlike)
    if report is not None:
        yield ""
        yield f"report: {report}"
