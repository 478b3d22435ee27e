"""The waterfall of a budget: from the baseline's time, up or down by each part, to the treatment's."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.budget import BudgetShown, BudgetStep, CategoryName
from assay.pages.context import Page
from assay.pages.numbers import interval_text
from assay.report.charts.chart_style import NEUTRAL, PERCENT, Spec, frame
from assay.report.charts.loss import ABOVE, BELOW, LEFT, RIGHT, WIDE
from assay.report.tables.budget import CATEGORIES, based, has_phases, step_name, treated
from assay.report.tables.budget_fold import budget_groups
from assay.report.tables.tables import plain

ROW, BAR = 40, 13
"""Pixels a step, and of its bar: on a narrow screen its name and figures stand above it."""
WHOLE, SMALL = "#5b6573", "#b9bfc8"
COLOURS: dict[CategoryName, str] = {
    "user": "#1f77c4", "system": "#d1570f", "io": "#0a9373", "queue": "#c1121f", "idle": NEUTRAL,
}  # fmt: skip
"""As in the timeline: the machine's I/O wait and steal there are the job's waits here."""
FROM_ZERO = 0.25
"""Below this loss the axis does not begin at zero: the parts would be too thin to be seen."""


def budget_charts(page: Page) -> list[Spec]:
    """Return the waterfalls of a page, one for each budget that is told."""
    return [budget_chart(reported.first, page) for reported in budget_groups(page.budgets)]


def budget_chart(budget: BudgetShown, page: Page) -> Spec:
    """Return the waterfall of one budget, in shares of the treatment's time."""
    low, high = _domain(budget)
    rows = list(_rows(budget, page, low))
    scale = {"domain": [low, high], "range": [{"expr": LEFT}, {"expr": RIGHT}], "nice": False, "zero": False}
    title = f"share of the time on {treated(budget, page.result)}" + (
        "" if low == 0 else " (the axis does not begin at 0)"
    )
    axis = {"labelExpr": PERCENT, "title": title, "tickCount": 6, "labelFlush": True}
    x = {"field": "start", "type": "quantitative", "scale": scale, "axis": axis}
    return frame(f"Where the loss of {plain(budget.workload)} went: {len(rows)} steps") | {
        "params": [WIDE],
        "height": ROW * len(rows),
        "data": {"name": "steps", "values": rows},
        "encoding": {"y": {"field": "at", "type": "ordinal", "axis": None, "scale": {"padding": 0}}},
        "layer": [*_marks(x), *_labels()],
    }


def _marks(x: Spec) -> Iterator[Spec]:
    colour = {"field": "colour", "type": "nominal", "scale": None}
    ends = {"x": x, "x2": {"field": "end"}, "color": colour}
    yield {"name": "bar", "mark": {"type": "bar", "height": BAR, "yOffset": BELOW},
           "encoding": ends | {"tooltip": _TOOLTIP}}  # fmt: skip
    yield {
        "name": "budget_interval",
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 1.4, "color": "#1b2330", "yOffset": BELOW},
        "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
    }


def _labels() -> Iterator[Spec]:
    style = {"type": "text", "yOffset": ABOVE, "baseline": "middle", "fontSize": 12}
    name = {"align": "left", "fontWeight": 600, "limit": {"expr": "wide ? 215 : width - 165"}}
    yield {"name": "name", "mark": style | name, "encoding": {"x": {"value": 0}, "text": {"field": "name"}}}
    figures = {"x": {"value": "width"}, "text": {"field": "figures"}}
    yield {"name": "figures", "mark": style | {"align": "right"}, "encoding": figures}


_TOOLTIP = [{"field": field} for field in ("name", "figures", "seconds")]


def _rows(budget: BudgetShown, page: Page, low: float) -> Iterator[Spec]:
    """Yield the rows of the chart: the baseline, each step, the treatment."""
    base, other = based(budget, page.result), treated(budget, page.result)
    yield _whole(0, base, budget.baseline_s, end=1 - budget.loss, low=low)
    for at, step in enumerate(budget.steps, 1):
        yield _step(at, step, budget)
    yield _whole(len(budget.steps) + 1, other, budget.treatment_s, end=1.0, low=low)


def _whole(at: int, label: str, seconds: float, *, end: float, low: float) -> Spec:
    return {
        "at": at, "name": plain(label), "figures": f"{seconds:.4g} s", "seconds": f"{seconds:.4g} s",
        "start": low, "end": end, "colour": WHOLE, "low": None, "high": None,
    }  # fmt: skip


def _step(at: int, step: BudgetStep, budget: BudgetShown) -> Spec:
    height = step.end - step.start
    known = step.low is not None and step.high is not None
    text = interval_text(height, step.low, step.high)
    return {
        "at": at,
        "name": plain(step_name(step, phases=has_phases(budget))),
        "figures": text if text.startswith("-") else f"+{text}",
        "seconds": f"{height * budget.treatment_s:+.4g} s",
        "start": step.start,
        "end": step.end,
        "colour": SMALL if step.category == "small" else COLOURS[step.category],
        "low": step.start + step.low if known and step.low is not None else None,
        "high": step.start + step.high if known and step.high is not None else None,
    }


def _domain(budget: BudgetShown) -> tuple[float, float]:
    """Return the span of shares shown: all bars and intervals; from zero on where the loss is large."""
    ends = [end for step in budget.steps for end in (step.start, step.end)]
    ends += [step.start + end for step in budget.steps for end in (step.low, step.high) if end is not None]
    low, high = min([1 - budget.loss, 1.0, *ends]), max([1 - budget.loss, 1.0, *ends])
    if high - low > FROM_ZERO:
        return min(0.0, low), high + 0.01
    air = (high - low or 0.01) * 0.15
    return low - 2 * air, high + air


def legend(budget: BudgetShown) -> tuple[tuple[str, str], ...]:
    """Return the colours of the categories that are drawn, by their words."""
    drawn = {step.category for step in budget.steps}
    return tuple((CATEGORIES[name], colour) for name, colour in COLOURS.items() if name in drawn)
