"""Charts as Vega-Lite specifications: pure functions of a page, plain dicts, drawn by whoever shows them."""

from __future__ import annotations

from assay.report.budget_chart import budget_charts
from assay.report.chart_style import Spec
from assay.report.context import Page
from assay.report.loss_chart import loss_chart
from assay.report.timeline_chart import timeline_charts
from assay.report.trial_chart import trial_charts

__all__ = ["Spec", "budget_charts", "charts", "loss_chart", "timeline_charts", "trial_charts"]


def charts(page: Page) -> list[Spec]:
    """Return all charts of a page: the losses, one of trials for each metric, those of each timeline, then the waterfalls."""
    over_time = [chart for timeline in page.timelines for chart in timeline_charts(timeline)]
    return [loss_chart(page), *trial_charts(page), *over_time, *budget_charts(page)]
