"""Long tables of losses: a row for the time of each job, what else is known of the same time is folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.pages.context import Page, Row
from assay.report.tables.words import outcomes

TITLE = "More metrics of the same jobs"
MOST = 20
"""Rows: more do not fit on a terminal of 24 lines, the VT100's, beside the lines around them."""


@dataclass(frozen=True)
class LossFold:
    """The rows of a table of losses, in the order of the page.

    Attributes:
        shown: Those that stand in the table.
        folded: The others; empty in a table of at most ``MOST`` rows.
    """

    shown: tuple[Row, ...]
    folded: tuple[Row, ...]


def fold_losses(page: Page) -> LossFold:
    """Return which rows of a page's losses are shown and which are folded.

    Of more than ``MOST`` rows, a job whose wall time is a row has one for all that divides the same time: its
    phases, event rate, CPU time and wall time. It is the one that published figures stand beside, else the
    first. All other rows stay.
    """
    if len(page.estimates) <= MOST:
        return LossFold(page.estimates, ())
    behind = {id(row) for job in _jobs(page) for row in _behind(page, job)}
    shown, folded = (tuple(r for r in page.estimates if (id(r) in behind) == fold) for fold in (False, True))
    return LossFold(shown, folded)


def _jobs(page: Page) -> Iterable[list[Row]]:
    """Return of each job whose wall time is a row those that divide its time."""
    from assay.workloads.command import CPU, WALL
    from assay.workloads.phases import EVENTS, phase_time

    phases = {phase_time(span.phase).name for trial in page.trials for span in trial.phases}
    parts = phases | {EVENTS.name, CPU.name, WALL.name}
    jobs: dict[tuple[str, str | None], list[Row]] = {}
    for row in page.estimates:
        if row.metric in parts:
            jobs.setdefault((row.workload, row.treatment), []).append(row)
    return (job for job in jobs.values() if any(row.metric == WALL.name for row in job))


def _behind(page: Page, job: Sequence[Row]) -> Iterable[Row]:
    """Return the rows of a job that stand behind others of it."""
    theirs = page.published.rows if page.published else ()
    beside = {(row.workload, row.metric) for row in theirs}
    first = [row for row in job if (row.workload, row.metric) in beside] or job[:1]
    return (row for row in job if row not in first)


def fold_line(folded: LossFold) -> str:
    """Return what is folded, and what was found there; empty where nothing is.

    ``20 more metrics of the same jobs (init_time, cpu_time): 18 loss, it matters; 2 not decided``.
    """
    if not folded.folded:
        return ""
    names = ", ".join(dict.fromkeys(row.metric for row in folded.folded))
    return f"{len(folded.folded)} more metrics of the same jobs ({names}): {outcomes(folded.folded)}"
