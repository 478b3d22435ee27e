"""Long tables of losses: a job is told by its wall time, what else is known of the same time is folded."""

from __future__ import annotations

from dataclasses import dataclass

from assay.pages.context import Page, Row
from assay.report.tables.words import outcomes
from assay.workloads.command import CPU, WALL
from assay.workloads.phases import EVENTS, phase_time

TITLE = "More metrics of the same jobs"
MOST = 20
"""Rows: more do not fit on a terminal of 24 lines, the VT100's, beside the lines around them."""


@dataclass(frozen=True)
class LossFold:
    """The rows of a table of losses.

    Attributes:
        shown: Those that stand in the table, in the page's order.
        folded: The others, in the page's order; empty in a table of at most ``MOST`` rows.
    """

    shown: tuple[Row, ...]
    folded: tuple[Row, ...]


def fold_losses(page: Page) -> LossFold:
    """Return which rows of a page's losses are shown and which are folded.

    Of more than ``MOST`` rows, those are folded that divide the time of a job whose wall time is a row, too:
    its phases, its event rate, its CPU time. All else is a figure of its own and stays.
    """
    if len(page.estimates) <= MOST:
        return LossFold(page.estimates, ())
    jobs = {(row.workload, row.treatment) for row in page.estimates if row.metric == WALL.name}
    phases = {phase_time(span.phase).name for trial in page.trials for span in trial.phases}
    parts = phases | {EVENTS.name, CPU.name}
    folded = [row for row in page.estimates if row.metric in parts and (row.workload, row.treatment) in jobs]
    return LossFold(tuple(row for row in page.estimates if row not in folded), tuple(folded))


def fold_line(folded: LossFold) -> str:
    """Return what is folded, and what was found there; empty where nothing is.

    ``20 more metrics of the same jobs (init_time, cpu_time): 18 loss, it matters; 2 not decided``.
    """
    if not folded.folded:
        return ""
    names = ", ".join(dict.fromkeys(row.metric for row in folded.folded))
    return f"{len(folded.folded)} more metrics of the same jobs ({names}): {outcomes(folded.folded)}"
