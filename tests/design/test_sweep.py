"""Several treatments in the same blocks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from assay.design import plan_trials, remaining_trials
from assay.design.blocks import sessions_of, spans_of
from assay.design.site_floor import is_same
from assay.design.sweep import views_of
from assay.model.activity import visits_of
from assay.model.trial import Arm, State, Trial
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("a", "b"), blocks=4, seed=3, visits=(1, 1, 1))
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
    assert plan_trials(("a",), blocks=2, seed=1) == plan_trials(("a",), blocks=2, seed=1, visits=(1,))
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
    assert [view.level for view in views] == [0, 1, 2]
    for view in views:
        assert view.plan.more == ()
        kept = Counter((record.planned.arm, record.planned.level) for record in view.records)
        assert kept == {(Arm.BASELINE, 0): 16, (Arm.TREATMENT, view.level): 8}
        assert [record.planned for record in view.records] == list(view.plan.trials)


OWN_HOSTS = replace(SWEEP, more=(replace(SWEEP.more[0], over=2), SWEEP.more[1]))
OWN_TRIALS = plan_trials(("a", "b"), blocks=4, seed=3, visits=visits_of(OWN_HOSTS.treatments))


def test_a_machine_that_others_are_measured_over_is_visited_as_often_as_the_baseline() -> None:
    visits = Counter((trial.arm, trial.level, trial.replicate) for trial in OWN_TRIALS)
    assert visits == {
        (Arm.BASELINE, 0, 0): 8,
        (Arm.BASELINE, 0, 1): 8,
        (Arm.TREATMENT, 0, 0): 8,
        (Arm.TREATMENT, 1, 0): 8,
        (Arm.TREATMENT, 2, 0): 8,
        (Arm.TREATMENT, 2, 1): 8,
    }


def test_a_view_may_be_one_treatment_over_another() -> None:
    records = [record_of(trial, 1.0) for trial in OWN_TRIALS]
    one, two, three = views_of(replace(OWN_HOSTS, trials=OWN_TRIALS), records)
    assert [view.plan.baseline.label for view in (one, two, three)] == ["host", "three", "host"]
    assert (two.plan.treatment.label, two.plan.more, two.plan.treatment.over) == ("two", (), None)
    kept = Counter((record.planned.arm, record.planned.level) for record in two.records)
    assert kept == {(Arm.BASELINE, 0): 16, (Arm.TREATMENT, 1): 8}
    assert [record.planned for record in two.records] == list(two.plan.trials)
    by_index = {trial.index: trial.name for trial in OWN_TRIALS}
    assert all(trial.name == by_index[trial.index] for trial in two.plan.trials)
    assert two.plan.arm_of(next(t for t in two.plan.trials if t.arm is Arm.BASELINE)).label == "three"
    assert Counter(record.planned.level for record in three.records) == {0: 16, 2: 16}


def test_what_is_measured_over_a_machine_that_fails_is_given_up_with_it() -> None:
    failing = [t.index for t in OWN_TRIALS if t.level == 2 and t.workload == "a" and t.block == 0]
    left = remaining_trials(OWN_TRIALS, dict.fromkeys(failing, State.FAILED), OWN_HOSTS.over)
    assert {(t.arm, t.level) for t in left if t.workload == "a"} == {(Arm.BASELINE, 0), (Arm.TREATMENT, 0)}
    assert {t.level for t in left if t.workload == "b"} == {0, 1, 2}


def test_a_plan_of_one_treatment_is_its_own_view() -> None:
    (view,) = views_of(PLAN, [])
    assert view.plan is PLAN
    assert (view.level, view.records) == (0, ())


def at(record: Trial, begun_s: float) -> Trial:
    return replace(record, started_ns=int(begun_s * 1e9), ended_ns=int((begun_s + 60) * 1e9))


def test_the_time_of_other_treatments_is_no_pause_of_a_view() -> None:
    records = [
        at(record_of(trial, 1.0), 1500.0 * n) for n, trial in enumerate(TRIALS)
    ]  # each trial takes long
    for view in views_of(SWEEP, records):
        assert set(sessions_of(view.records, gap_s=3600.0).values()) == {0}
        (again,) = views_of(view.plan, view.records)
        assert spans_of(again.records) == spans_of(records)


def test_a_treatment_that_fails_is_given_up_alone() -> None:
    failing = [t for t in TRIALS if t.level == 2 and t.block < 2]
    outcomes = {trial.index: State.FAILED for trial in failing}
    left = remaining_trials(TRIALS, outcomes, {})
    assert {trial.level for trial in left} == {0, 1}
    assert {trial.arm for trial in left} == set(Arm)


def test_where_every_treatment_fails_the_baseline_is_given_up_too() -> None:
    outcomes = {t.index: State.FAILED for t in TRIALS if t.arm is Arm.TREATMENT and t.block < 2}
    assert remaining_trials(TRIALS, outcomes, {}) == ()


def test_a_baseline_that_fails_ends_all() -> None:
    outcomes = {t.index: State.FAILED for t in TRIALS if t.arm is Arm.BASELINE and t.block < 2}
    assert remaining_trials(TRIALS, outcomes, {}) == ()


def test_a_sweep_is_no_comparison_of_a_machine_with_itself() -> None:
    same = replace(PLAN, treatment=replace(PLAN.baseline, label="host again"))
    assert is_same(same)
    assert not is_same(replace(same, more=(replace(PLAN.treatment, label="two"),)))
