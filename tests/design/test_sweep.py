"""Several treatments in the same blocks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from assay.design import plan_trials
from assay.design.sweep import views_of
from assay.model.trial import Arm
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("a", "b"), blocks=4, seed=3, treatments=3)
PLAN = plan_of(TRIALS)
SWEEP = replace(
    PLAN,
    treatment=replace(PLAN.treatment, label="one"),
    more=(replace(PLAN.treatment, label="two"), replace(PLAN.treatment, label="three")),
)


def test_a_block_visits_the_baseline_twice_and_each_treatment_once() -> None:
    for block in range(4):
        visits = {(trial.slot, trial.arm, trial.level) for trial in TRIALS if trial.block == block}
        assert Counter((arm, level) for _, arm, level in visits) == {
            (Arm.BASELINE, 0): 2,
            (Arm.TREATMENT, 0): 1,
            (Arm.TREATMENT, 1): 1,
            (Arm.TREATMENT, 2): 1,
        }


def test_the_order_of_one_treatment_is_what_it_was() -> None:
    assert plan_trials(("a",), blocks=2, seed=1) == plan_trials(("a",), blocks=2, seed=1, treatments=1)
    assert all(trial.level == 0 for trial in plan_trials(("a",), blocks=2, seed=1))


def test_folders_of_trials_tell_treatments_apart() -> None:
    names = {trial.name.split("-", 2)[2] for trial in TRIALS if not trial.replicate}
    assert names == {
        f"{arm}-{work}" for arm in ("baseline", "treatment", "treatment2", "treatment3") for work in "ab"
    }


def test_a_view_is_one_treatment_over_the_whole_baseline() -> None:
    records = [record_of(trial, 1.0) for trial in TRIALS]
    views = views_of(SWEEP, records)
    assert [view.plan.treatment.label for view in views] == ["one", "two", "three"]
    for view in views:
        assert view.plan.more == ()
        kept = Counter((record.planned.arm, record.planned.level) for record in view.records)
        assert kept == {(Arm.BASELINE, 0): 16, (Arm.TREATMENT, view.level): 8}
        assert [record.planned for record in view.records] == list(view.plan.trials)


def test_a_plan_of_one_treatment_is_its_own_view() -> None:
    (view,) = views_of(PLAN, [])
    assert view.plan is PLAN
