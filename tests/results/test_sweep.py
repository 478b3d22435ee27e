"""The page of a result of several treatments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.model.activity import visits_of
from assay.model.doubt import Doubt
from assay.model.figures.estimate import Verdict
from assay.model.trial import Arm, PlannedTrial
from assay.model.work.disturbance import Cause
from assay.report.render.html import html_report
from assay.report.render.text import text_report
from assay.results.outcome import build_page
from assay.results.series.profiles import profiles
from tests.builders import FACTS, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=8, seed=3, visits=(1, 1))
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


def test_a_guest_on_another_machine_has_its_row_against_that_machine() -> None:
    arms = replace(SWEEP.treatment, label="guest on far", over=1), replace(SWEEP.more[0], label="far")
    trials = plan_trials(("spin",), blocks=8, seed=3, visits=visits_of(arms))
    plan = replace(SWEEP, treatment=arms[0], more=arms[1:], trials=trials)
    page = build_page(plan, [record_of(trial, value_of(trial)) for trial in trials])
    guest, far = page.estimates
    assert (guest.treatment, guest.against, far.treatment, far.against) == (
        "guest on far",
        "far",
        "far",
        None,
    )
    assert [guest.loss, far.loss] == pytest.approx([0.375, 0.2], abs=0.01)
    assert guest.floor is not None
    assert [len(block.baseline) for block in guest.blocks_data] == [2] * 8
    text = text_report(page)
    assert "events (events/s): guest on far, over far" in text
    assert "its host" in text
    method = " ".join(page.method)
    assert "each visits host, far twice and guest on far once (guest on far is measured over far)" in method
    assert "over far" in html_report(page)


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


def test_doubts_of_all_treatments_are_said_once_and_those_of_trials_counted_once() -> None:
    doubt = Doubt("steal", "5 % was stolen.")
    found = [replace(r, doubts=(doubt,)) if r.planned.block == 0 else r for r in RECORDS]
    (said,) = [d for d in build_page(SWEEP, found).doubts if d.code == "steal"]
    assert said.count == 4
    loud = [replace(r,
    measurements=(replace(r.measurements[0], value=100.0 * (1 + r.planned.replicate) + r.planned.block),))
            if r.planned.arm is Arm.BASELINE else r for r in RECORDS]  # fmt: skip
    (shared,) = [d.sentence for d in build_page(SWEEP, loud).doubts if d.code == "floor-not-zero"]
    assert not shared.startswith("disk.cache"), "the baseline against itself is the same for both treatments"


def test_what_was_run_again_of_one_treatment_is_not_counted_for_another() -> None:
    plan = replace(SWEEP, goal=replace(SWEEP.goal, rerun=(Cause.FOREIGN_CPU,)))
    again = [r for r in RECORDS if r.planned.level == 1] * 2
    doubts = [
        d.sentence for d in build_page(plan, RECORDS, rejected=again).doubts if d.code == "rejection-unequal"
    ]
    assert [sentence.split(":")[0] for sentence in doubts] == ["disk.cache unsafe"]


def test_settings_that_are_swept_change_no_machine() -> None:
    found = [replace(r, facts=replace(FACTS, cpu_model=f"model {r.planned.level}")) for r in RECORDS]
    assert "machine-changed" not in {doubt.code for doubt in build_page(SWEEP, found).doubts}


def test_each_treatment_has_its_flames_and_its_track(tmp_path: Path) -> None:
    for record in RECORDS:
        place = tmp_path / "trials" / record.planned.name
        place.mkdir(parents=True)
        (place / "profile.folded").write_text(f"main;{record.planned.arm}{record.planned.level} 7\n")
    (arms,) = profiles(SWEEP, RECORDS, tmp_path)
    assert [(arm.label, arm.trials, arm.of_baseline) for arm in arms] == [
        ("host", 16, True),
        ("disk.cache none", 8, False),
        ("disk.cache unsafe", 8, False),
    ]
    assert b"treatment1" in arms[2].folded
    assert b"treatment0" not in arms[2].folded
