"""Charts as Vega-Lite specifications: pure functions of a page, plain dicts, drawn by whoever shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from assay.pages.context import Page
from assay.report.charts.budget import budget_charts
from assay.report.charts.chart_style import Spec
from assay.report.charts.initialization import initialization_charts
from assay.report.charts.landscape import landscape_charts
from assay.report.charts.layout import layout_charts
from assay.report.charts.loss import loss_chart
from assay.report.charts.proof import proof_charts
from assay.report.charts.published import published_charts
from assay.report.charts.scaling import scaling_charts
from assay.report.charts.scan import scan_charts
from assay.report.charts.timeline import timeline_charts
from assay.report.charts.trial import trial_charts
from assay.report.charts.weight import weight_charts
from assay.report.charts.workers import workers_charts

__all__ = [
    "Spec",
    "budget_charts",
    "charts",
    "first_places",
    "grouped_charts",
    "initialization_charts",
    "landscape_charts",
    "layout_charts",
    "loss_chart",
    "named_charts",
    "proof_charts",
    "published_charts",
    "scaling_charts",
    "scan_charts",
    "timeline_charts",
    "trial_charts",
    "weight_charts",
    "workers_charts",
]


GROUPS = (
    "loss", "trial", "timeline", "budget", "proof", "scan", "workers", "scaling", "layout",
    "initialization", "landscape", "weight", "published",
)  # fmt: skip
"""Names of the groups of charts, in the order of the page."""


def charts(page: Page) -> list[Spec]:
    """Return all charts of a page, group by group."""
    return [chart for group in grouped_charts(page).values() for chart in group]


def named_charts(page: Page) -> dict[str, Spec]:
    """Return all charts of a page by name: that of their group, numbered from 1 where it has several
    (``budget``, ``trial-2``).
    """
    return {
        name if len(found) == 1 else f"{name}-{at}": chart
        for name, found in zip(GROUPS, grouped_charts(page).values(), strict=True)
        for at, chart in enumerate(found, start=1)
    }


def first_places(groups: Mapping[str, Sequence[Spec]]) -> dict[str, int]:
    """Return the place of each group's first chart among all charts of a page, from 0."""
    ends = accumulate(len(found) for found in groups.values())
    return dict(zip(groups, (0, *ends), strict=False))


def grouped_charts(page: Page) -> dict[str, list[Spec]]:
    """Return all charts of a page by their group: ``losses``, ``trials``, ``timelines``, ``budgets``,
    ``proof``, ``scans``, ``workers``, ``scalings``, ``layouts``, ``initializations``, ``landscapes``,
    ``weights``, ``published``.
    """
    return {
        "losses": [loss_chart(page)],
        "trials": trial_charts(page),
        "timelines": [chart for timeline in page.timelines for chart in timeline_charts(timeline)],
        "budgets": budget_charts(page),
        "proof": proof_charts(page.proof),
        "scans": scan_charts(page),
        "workers": workers_charts(page),
        "scalings": scaling_charts(page),
        "layouts": layout_charts(page),
        "initializations": initialization_charts(page),
        "landscapes": landscape_charts(page),
        "weights": weight_charts(page),
        "published": published_charts(page),
    }
