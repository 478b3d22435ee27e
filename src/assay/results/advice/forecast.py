"""A job's loss, forecast from its profile on the machine itself and from a result's losses."""

from __future__ import annotations

from assay.explain.advice.forecast import FEWEST, Known, Seconds, forecast
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.model.machines.machine import Reach
from assay.pages.budget import BudgetShown, CategoryName
from assay.pages.context import Page
from assay.pages.forecast import ForecastCheck, ForecastPage, KindOfTime

KINDS: tuple[CategoryName, ...] = ("user", "system", "io", "queue", "idle")


def check_forecast(plan: ActivityPlan, losses: Page, *, own: bool) -> None:
    """Refuse a result from which nothing can be forecast, before a job is run for it.

    Args:
        plan: The plan of the result.
        losses: Its page, with its budgets.
        own: It was measured in this home.

    Raises:
        AssayError: It is of another machine than this one, of several treatments, or of too few workloads.
    """
    baseline, hint = plan.baseline, "name a result of this machine against one guest: assay evaluate quick"
    if not own:
        why = "it was measured on another site, and the job is run here"
    elif baseline.machine.reach is not Reach.LOCAL:
        why = f"its baseline is the machine {baseline.machine.name}, and the job is run on this one"
    elif not baseline.on_machine:
        why = f"its baseline is {baseline.label}, and the job is run on the machine itself"
    elif plan.more:
        why = f"it has {len(plan.treatments)} treatments, and a forecast is of one"
    else:
        count = len(_known(losses))
        why = "" if count >= FEWEST else f"it has the losses of {count} workloads"
        hint = f"name one with {FEWEST} or more: assay evaluate quick"
    if why:
        msg = f"cannot forecast from result {losses.result.id}: {why}"
        raise AssayError(msg, hint=hint)


def forecast_of(job: Page, command: str, losses: Page) -> ForecastPage:
    """Return what a job would lose in the guest of a result.

    Args:
        job: The page of the job on the machine itself, on both arms, with its budget.
        command: Its command line.
        losses: The page of the result, with its budgets.
    """
    profile: Seconds = _host(job.budgets[0]) if job.budgets else {}
    known = _known(losses)
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


def _known(losses: Page) -> list[Known]:
    """Return the workloads of a result whose losses are known, of its one treatment."""
    return [
        Known(one.workload, _host(one), one.treatment_s) for one in losses.budgets if one.treatment is None
    ]


def _host(budget: BudgetShown) -> dict[str, float]:
    """Return what a workload spends on the baseline, over all its phases."""
    found: dict[str, float] = {}
    for part in budget.parts:
        found[part.category] = found.get(part.category, 0.0) + max(0.0, part.baseline_s)
    return found
