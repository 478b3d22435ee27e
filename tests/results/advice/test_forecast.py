"""A forecast from pages: the job's profile, the result's losses, and what cannot be said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from assay.pages.budget import BudgetShown
from assay.pages.context import Page
from assay.report.render.forecast import text_forecast
from assay.report.render.json import to_json
from assay.results.advice.forecast import forecast_of
from tests.contracts import fits
from tests.explain.test_forecast import SHARES, SLOW
from tests.results.advice.guests import plan_with, records_of, usage_with
from tests.results.advice.test_advised import page_of


def job_page(folder: Path) -> Page:
    plan = plan_with()
    host, guest = usage_with("waiting")
    return page_of(plan, records_of(plan, host, guest), folder)


def budget(name: str, shares: dict[str, float], like: BudgetShown) -> BudgetShown:
    """Return a budget of ten seconds that follows the model."""
    part = like.parts[0]
    parts = tuple(
        replace(part, category=kind, baseline_s=10 * share)  # type: ignore[arg-type]
        for kind, share in shares.items()
    )
    treated = 10 * sum(share * SLOW[kind] for kind, share in shares.items())
    return replace(like, workload=name, parts=parts, baseline_s=10.0, treatment_s=treated)


def test_a_job_is_forecast_from_the_losses_of_a_result(tmp_path: Path) -> None:
    job = job_page(tmp_path)
    like = job.budgets[0]
    losses = replace(job, budgets=tuple(budget(f"w{at}", shares, like) for at, shares in enumerate(SHARES)))
    page = forecast_of(job, "./my-job", losses)
    assert page.reasons == ()
    assert page.loss is not None
    assert page.low is not None
    assert page.low < 1 - 1 / 1.06 < (page.high or 0)
    text = text_forecast(page)
    assert text.startswith("./my-job would lose ")
    assert "forecast by the others" in text
    fits(json.loads(to_json(page)), "forecast-v1")


def test_a_result_of_one_workload_gives_no_forecast(tmp_path: Path) -> None:
    job = job_page(tmp_path)
    page = forecast_of(job, "./my-job", job)
    assert page.loss is None
    assert "4 are needed" in text_forecast(page)
    fits(json.loads(to_json(page)), "forecast-v1")


def test_a_job_that_failed_gives_no_forecast(tmp_path: Path) -> None:
    job = job_page(tmp_path)
    page = forecast_of(replace(job, budgets=()), "./my-job", job)
    assert page.kinds == ()
    assert "a trial failed" in page.reasons[0]
