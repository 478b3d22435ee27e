"""A job's loss, forecast from its profile on the machine itself and from a result's losses."""

from __future__ import annotations

from assay.explain.advice.forecast import Known, Seconds, forecast
from assay.pages.budget import BudgetShown, CategoryName
from assay.pages.context import Page
from assay.pages.forecast import ForecastCheck, ForecastPage, KindOfTime

KINDS: tuple[CategoryName, ...] = ("user", "system", "io", "queue", "idle")


def forecast_of(job: Page, command: str, losses: Page) -> ForecastPage:
    """Return what a job would lose in the guest of a result.

    Args:
        job: The page of the job on the machine itself, on both arms, with its budget.
        command: Its command line.
        losses: The page of the result, with its budgets.
    """
    profile: Seconds = _host(job.budgets[0]) if job.budgets else {}
    known = [
        Known(one.workload, _host(one), one.treatment_s) for one in losses.budgets if one.treatment is None
    ]
    if not profile:
        reason = "the job's time on the machine itself is not known: a trial failed, or told of none"
        found = None
    else:
        found = forecast(profile, known, confidence=losses.result.confidence)
        reason = ""
    slowdowns = {} if found is None else found.slowdowns
    return ForecastPage(
        command=command,
        profile=job.result.id,
        result=losses.result.id,
        loss=None if found is None else found.loss,
        low=None if found is None else found.low,
        high=None if found is None else found.high,
        confidence=losses.result.confidence,
        kinds=tuple(
            KindOfTime(kind, profile[kind], slowdowns.get(kind)) for kind in KINDS if profile.get(kind)
        ),
        checked=()
        if found is None
        else tuple(ForecastCheck(one.name, one.forecast, one.measured) for one in found.checked),
        reasons=(reason,) if found is None else found.reasons,
    )


def _host(budget: BudgetShown) -> dict[str, float]:
    """Return what a workload spends on the baseline, over all its phases."""
    found: dict[str, float] = {}
    for part in budget.parts:
        found[part.category] = found.get(part.category, 0.0) + max(0.0, part.baseline_s)
    return found
