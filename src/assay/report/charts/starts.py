"""Starts beside each other as charts: what they are forecast to cost, and how forecasts were met."""

from __future__ import annotations

from assay.model.figures.estimate import Verdict
from assay.pages.numbers import value_text
from assay.pages.starts import StartsPage
from assay.report.charts.chart_style import BASELINE, TREATMENT, VERDICTS, Spec
from assay.report.charts.production import dots
from assay.report.tables.production import share_text
from assay.report.tables.starts import FILES, at_once, case

LOST = {"forecast": VERDICTS[Verdict.LOSS]}
CHECK_LOOKS = {
    "measured": BASELINE,
    "forecast": TREATMENT,
    "median of the others": VERDICTS[Verdict.EQUIVALENT],
}


def starts_charts(page: StartsPage) -> list[Spec]:
    """Return the chart of forecasts and that of jobs held out; one without a figure is drawn empty."""
    lost = [
        {
            "row": case(page, row, one.cores, f"{one.guests} at once"),
            "look": "forecast",
            "figures": share_text(one.loss),
            "value": one.loss.value,
            "low": one.loss.low,
            "high": one.loss.high,
        }
        for row in page.rows
        for one in row.forecasts
    ]
    held = [
        {
            "row": case(page, row, one.cores, f"{at_once(one)} at once" if one.fewest else FILES[one.files]),
            "look": look,
            "figures": f"{value_text(seconds)} s",
            "value": seconds,
            "low": None,
            "high": None,
        }
        for row in page.rows
        for one in row.checks
        for look, seconds in zip(CHECK_LOOKS, (one.measured_s, one.forecast_s, one.trivial_s), strict=True)
    ]
    return [
        dots("Throughput lost by starts at once", "loss of throughput →", lost, LOST, zero=True),
        dots("Jobs held out", "initialization (s)", held, CHECK_LOOKS, zero=False, labels=None),
    ]
