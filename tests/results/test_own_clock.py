"""What the clocks themselves said, beside what is on the host's clock."""

from __future__ import annotations

import pytest

from assay.design import plan_trials
from assay.model.machines.clock import ClockCheck
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.report.render.html import html_report
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.tables.own_clock import TITLE
from assay.results.outcome import build_page
from tests.builders import clock_check, plan_of, record_of

PLAN = plan_of(plan_trials(("spin",), blocks=3, seed=3))
FAST = clock_check(1.005)


def ran(trial: PlannedTrial, clock: ClockCheck | None) -> Trial:
    treated = trial.arm is Arm.TREATMENT
    value = (80.0 if treated else 100.0) * (1 + trial.index / 10_000)
    return record_of(trial, value, clock=clock if treated else None)


def records(clock: ClockCheck | None) -> list[Trial]:
    return [ran(trial, clock) for trial in PLAN.trials]


def test_a_loss_stands_beside_that_by_the_clock_that_ran_off() -> None:
    (row,) = build_page(PLAN, records(FAST)).estimates
    assert row.uncorrected is not None
    assert row.treatment_value is not None
    assert row.uncorrected.treatment_value == pytest.approx(row.treatment_value / 1.005)
    assert row.uncorrected.baseline_value == row.baseline_value
    assert row.uncorrected.loss == pytest.approx(1 - 0.8 / 1.005, abs=1e-3)
    assert row.loss == pytest.approx(0.2, abs=1e-3)


def test_each_value_of_such_a_trial_has_what_its_own_clock_said() -> None:
    page = build_page(PLAN, records(FAST))
    for trial in page.trials:
        (value,) = trial.metrics
        assert value.value is not None
        own = None if trial.arm is Arm.BASELINE else pytest.approx(value.value / 1.005)
        assert value.uncorrected == own


@pytest.mark.parametrize("clock", [None, clock_check(1.0), clock_check(1.03)])
def test_a_clock_that_was_right_or_is_not_trusted_has_nothing_beside_it(clock: ClockCheck | None) -> None:
    page = build_page(PLAN, records(clock))
    assert all(row.uncorrected is None for row in page.estimates)
    assert all(value.uncorrected is None for trial in page.trials for value in trial.metrics)
    assert TITLE not in text_report(page)


def test_every_notation_shows_both() -> None:
    page = build_page(PLAN, records(FAST))
    assert from_json(to_json(page).encode()) == page
    text = text_report(page)
    (line,) = [line for line in text.splitlines() if "79.63" in line]
    assert line.split()[:4] == ["spin", "events", "80.03", "79.63"]
    assert f"## {TITLE}" in markdown_report(page)
    shown = html_report(page)
    assert 'id="own-clock"' in shown
    assert "by its own clock)" in shown
