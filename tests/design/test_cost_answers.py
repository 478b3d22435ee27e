"""What a plan costs and what is left of it, against figures worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from assay.design import Preparing, expected_cost, plan_trials, remaining_trials
from assay.design.cost import TRIAL_OVERHEAD_S, Cost
from assay.design.remaining import GIVE_UP_AFTER, given_up_of
from assay.model.trial import Arm, PlannedTrial, State


def planned(index: int, arm: Arm, workload: str = "a", *, block: int = 0, slot: int = 0) -> PlannedTrial:
    return PlannedTrial(index, block, slot, arm, 0, workload)


def test_a_cost_by_hand() -> None:
    trials = [
        planned(0, Arm.BASELINE),
        planned(1, Arm.TREATMENT, slot=1),
        planned(2, Arm.TREATMENT, "b", slot=1),
        planned(3, Arm.TREATMENT, block=1, slot=1),
    ]
    assert TRIAL_OVERHEAD_S == 1.0
    work = (4 + 1) * 3 + (9 + 1)
    assert expected_cost(trials, {"a": 4.0, "b": 9.0}, visit_s=100.0) == Cost(4, work + 2 * 100.0)
    both = expected_cost(trials, {"a": 4.0, "b": 9.0}, visit_s=100.0, booted=tuple(Arm))
    assert both == Cost(4, work + 3 * 100.0)
    seen = {(Arm.TREATMENT, "a"): [10.0, 20.0]}
    assert expected_cost(iter(trials), {"a": 4.0, "b": 9.0}, visit_s=0.0, seen=seen) == Cost(
        4, 5 + 15 + 10 + 15
    )
    assert expected_cost([], {}, visit_s=100.0) == Cost(0, 0.0)


@pytest.mark.parametrize(
    ("seen", "left"),
    [
        ({}, 0.0),
        (
            {(Arm.BASELINE, "a"): [8.0, 0.0]},
            2 * 8.0,
        ),  # the treatment as long as the other, at each of 2 visits
        ({(Arm.TREATMENT, "a"): [8.0, 4.0]}, 8.0 + 2 * 6.0),
        ({(Arm.TREATMENT, "b"): [8.0]}, 8.0),
        ({(Arm.BASELINE, "c"): [8.0]}, 0.0),
    ],
)
def test_preparations_by_hand(seen: Mapping[tuple[Arm, str], Sequence[float]], left: float) -> None:
    trials = [
        planned(0, Arm.BASELINE),
        planned(1, Arm.BASELINE, block=1),
        planned(2, Arm.TREATMENT, slot=1),
        planned(3, Arm.TREATMENT, slot=1),
        planned(4, Arm.TREATMENT, block=1, slot=1),
        planned(5, Arm.TREATMENT, "b", block=1, slot=1),
    ]
    assert Preparing(seen, fresh=(Arm.TREATMENT,)).left(trials) == left


@pytest.mark.parametrize(("failures", "given_up"), [(1, False), (2, True), (3, True)])
def test_two_failures_on_the_baseline_give_a_workload_up(failures: int, *, given_up: bool) -> None:
    assert GIVE_UP_AFTER == 2
    baseline = [t for t in plan_trials(("a",), blocks=4, seed=1) if t.arm is Arm.BASELINE]
    trials = plan_trials(("a",), blocks=4, seed=1)
    outcomes = {t.index: State.FAILED for t in baseline[:failures]}
    assert given_up_of(trials, outcomes, {}) == (frozenset({("a", None)}) if given_up else frozenset())
    assert len(remaining_trials(trials, outcomes, {})) == (0 if given_up else len(trials) - failures)


def test_failures_of_different_arms_and_workloads_do_not_add_up() -> None:
    trials = plan_trials(("a", "b"), blocks=4, seed=1)
    one = {(t.arm, t.workload): t.index for t in trials}
    outcomes = dict.fromkeys(one.values(), State.FAILED)
    assert len(outcomes) == 4
    assert given_up_of(trials, outcomes, {}) == frozenset()
    assert given_up_of(trials, dict.fromkeys(range(len(trials)), State.ENDED), {}) == frozenset()


def test_one_treatment_of_several_is_given_up_by_its_level() -> None:
    trials = plan_trials(("a", "b"), blocks=3, seed=1, visits=(1, 1))
    failed = [t.index for t in trials if (t.workload, t.level, t.arm) == ("a", 1, Arm.TREATMENT)][:2]
    outcomes = dict.fromkeys(failed, State.FAILED)
    assert given_up_of(trials, outcomes, {}) == frozenset({("a", 1)})
    left = {(t.workload, t.level, t.arm) for t in remaining_trials(trials, outcomes, {})}
    assert left == {(w, n, Arm.TREATMENT) for w in "ab" for n in (0, 1)} - {("a", 1, Arm.TREATMENT)} | {
        (w, 0, Arm.BASELINE) for w in "ab"
    }
