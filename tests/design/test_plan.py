"""The order of trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from assay.design import Preparing, expected_cost, plan_trials, remaining_trials
from assay.model.trial import Arm, State

NAMES = ("a", "b", "c")


def test_each_block_visits_the_baseline_twice_and_the_treatment_once_with_every_workload() -> None:
    trials = plan_trials(NAMES, blocks=4, seed=1)
    assert len(trials) == 4 * 3 * 3
    for _, block in groupby(trials, lambda trial: trial.block):
        seen = Counter((t.arm, t.replicate, t.workload) for t in block)
        expected = [(Arm.BASELINE, 0), (Arm.BASELINE, 1), (Arm.TREATMENT, 0)]
        assert seen == {(arm, again, name): 1 for arm, again in expected for name in NAMES}


def test_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    assert plan_trials(NAMES, blocks=5, seed=9) == plan_trials(NAMES, blocks=5, seed=9)
    assert plan_trials(NAMES, blocks=5, seed=9) != plan_trials(NAMES, blocks=5, seed=10)


def test_the_index_is_the_order_and_names_sort_by_it() -> None:
    trials = plan_trials(NAMES, blocks=3, seed=2)
    assert [t.index for t in trials] == list(range(len(trials)))
    assert sorted(t.name for t in trials) == [t.name for t in trials]


def test_the_treatment_comes_in_every_place_of_a_block() -> None:
    trials = plan_trials(("a",), blocks=200, seed=3)
    places = Counter(t.slot for t in trials if t.arm is Arm.TREATMENT)
    assert all(40 < places[slot] < 95 for slot in range(3))


def test_workloads_keep_one_order_within_a_block_and_change_it_between_blocks() -> None:
    trials = plan_trials(NAMES, blocks=30, seed=4)
    orders = {}
    for (block, _slot), visit in groupby(trials, lambda t: (t.block, t.slot)):
        orders.setdefault(block, set()).add(tuple(t.workload for t in visit))
    assert all(len(order) == 1 for order in orders.values())
    assert len(set.union(*orders.values())) == 6


def test_the_first_visit_to_the_baseline_is_replicate_0() -> None:
    for _, block in groupby(plan_trials(("a",), blocks=50, seed=5), lambda t: t.block):
        assert [t.replicate for t in block if t.arm is Arm.BASELINE] == [0, 1]


def test_the_cost_uses_what_was_seen_and_guesses_the_rest() -> None:
    trials = plan_trials(("a",), blocks=3, seed=6)
    guess = expected_cost(trials, {"a": 4.0}, visit_s=10.0)
    assert guess.trials == 9
    assert guess.seconds == 9 * 5.0 + 3 * 10.0
    seen = expected_cost(trials, {"a": 4.0}, visit_s=10.0, seen={(Arm.TREATMENT, "a"): [20.0, 30.0]})
    assert seen.seconds == 6 * 5.0 + 3 * 25.0 + 3 * 10.0


def test_the_cost_has_the_preparations_still_to_be_made_once_one_was_seen() -> None:
    trials = plan_trials(("a", "b"), blocks=3, seed=6)
    plain = expected_cost(trials, {"a": 4.0, "b": 4.0}, visit_s=10.0).seconds

    def more(seen: Mapping[tuple[Arm, str], Sequence[float]]) -> float:
        preparing = Preparing(seen, fresh=(Arm.TREATMENT,))
        cost = expected_cost(trials, {"a": 4.0, "b": 4.0}, visit_s=10.0, preparing=preparing)
        return cost.seconds - plain

    assert more({(Arm.BASELINE, "a"): [60.0, 0.0]}) == 3 * 60.0, "the baseline has it, each boot does not"
    assert more({(Arm.TREATMENT, "a"): [60.0, 80.0]}) == 3 * 70.0 + 80.0, "each boot, and the baseline once"
    assert more({(Arm.BASELINE, "a"): [60.0], (Arm.TREATMENT, "a"): [90.0]}) == 3 * 90.0
    assert more({(arm, "a"): [0.0] for arm in Arm}) == 0


def test_a_workload_that_failed_twice_on_an_arm_is_given_up_on_both() -> None:
    trials = plan_trials(("a", "b"), blocks=3, seed=7)
    ours = [t for t in trials if t.workload == "a" and t.arm is Arm.BASELINE]
    once = {ours[0].index: State.FAILED}
    twice = {**once, ours[1].index: State.FAILED}
    assert any(t.workload == "a" for t in remaining_trials(trials, once, {}))
    assert {t.workload for t in remaining_trials(trials, twice, {})} == {"b"}


def test_what_has_a_record_is_not_run_again() -> None:
    trials = plan_trials(("a",), blocks=3, seed=8)
    assert remaining_trials(trials, {0: State.ENDED, 1: State.FAILED}, {}) == trials[2:]
