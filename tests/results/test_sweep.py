"""The page of a result of several treatments."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.estimate import Verdict
from assay.model.trial import Arm, PlannedTrial
from assay.report.html import html_report
from assay.report.text import text_report
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=8, seed=3, treatments=2)
PLAN = plan_of(TRIALS)
SWEEP = replace(
    PLAN,
    treatment=replace(PLAN.treatment, label="disk.cache none"),
    more=(replace(PLAN.treatment, label="disk.cache unsafe"),),
)


def value_of(trial: PlannedTrial) -> float:
    speed = 100.0 if trial.arm is Arm.BASELINE else (50.0, 80.0)[trial.level]
    return speed + trial.block / 10 + trial.replicate / 100


RECORDS = [record_of(trial, value_of(trial)) for trial in TRIALS]


def test_each_treatment_has_its_row_against_the_same_baseline() -> None:
    page = build_page(SWEEP, RECORDS)
    assert page.result.treatment == "2 treatments"
    assert [(row.metric, row.treatment) for row in page.estimates] == [
        ("events", "disk.cache none"),
        ("events", "disk.cache unsafe"),
    ]
    assert [row.loss for row in page.estimates] == pytest.approx([0.5, 0.2], abs=0.01)
    assert [row.verdict for row in page.estimates] == [Verdict.LOSS, Verdict.LOSS]
    assert {block.baseline for block in page.estimates[0].blocks_data} == {
        block.baseline for block in page.estimates[1].blocks_data
    }


def test_every_trial_is_on_the_page_once_and_says_which_treatment_it_was() -> None:
    page = build_page(SWEEP, RECORDS)
    assert [point.index for point in page.trials] == list(range(len(TRIALS)))
    assert {(str(point.arm), point.treatment) for point in page.trials} == {
        ("baseline", None),
        ("treatment", "disk.cache none"),
        ("treatment", "disk.cache unsafe"),
    }


def test_a_sweep_reads_as_text_and_as_a_page() -> None:
    page = build_page(SWEEP, RECORDS)
    text, html = text_report(page), html_report(page)
    assert "events (events/s): disk.cache unsafe" in text
    assert "2 treatments against host" in text
    assert "events (events/s): disk.cache unsafe" in html


def test_a_sweep_that_was_cut_off_keeps_what_it_has() -> None:
    page = build_page(SWEEP, [record for record in RECORDS if record.planned.block < 2])
    assert page.result.state == "interrupted"
    assert [row.blocks for row in page.estimates] == [2, 2]
