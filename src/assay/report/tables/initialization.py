"""The start of jobs in one guest and in several, in sentences."""

from __future__ import annotations

from assay.model.units import format_seconds
from assay.pages.context import Page
from assay.pages.families.initialization import CoresUsed, Initialization

NOTE = (
    "cores as each guest counted the CPU time of its jobs, which is more than it had where guests share a "
    "processor and no hypervisor tells of steal; a dashed line is the last end of an initialization"
)

TOLD_IN_S = 1000.0
"""Longer ones are told in minutes and hours."""


def initialization_title(shown: Initialization) -> str:
    """Return the title of the picture of a workload."""
    return f"{shown.workload}, block {shown.block}: initialization"


def initialization_lines(page: Page) -> list[str]:
    """Return when the initializations ended in each treatment, one line a workload."""
    return [
        f"{shown.workload}, block {shown.block}: initialization ended after "
        f"{'; '.join(map(_ended, shown.treatments))}."
        for shown in page.initializations
    ]


def _ended(one: CoresUsed) -> str:
    first, last = (_seconds(end) for end in (one.ended_s[0], one.ended_s[-1]))
    ends = last if first == last else f"{first} to {last}"
    return f"{ends} in {one.label}"


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value < TOLD_IN_S else format_seconds(value)
