"""What must hold of plans, sessions and predictions whatever is asked for."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.design import plan_trials, remaining_trials
from assay.design.predict import blocks_for_precision, blocks_for_verdict, session_share
from assay.design.sizes import Guess, expected_halves
from assay.design.stopping import Wanted
from assay.model.goal import Goal, Shape
from assay.model.trial import Arm, State

quick = settings(derandomize=True, deadline=None, max_examples=40, database=None)


@quick
@given(
    st.sampled_from([Shape.DOUBLE, Shape.PAIRS, Shape.CHAINED]),
    st.integers(1, 9),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_every_block_holds_each_arm_and_workload_as_often(
    shape: Shape, blocks: int, runs: int, seed: int
) -> None:
    names = ("a", "b")
    trials = plan_trials(names, blocks=blocks, seed=seed, shape=shape, runs=runs)
    visits = {Arm.BASELINE: 2 if shape is Shape.DOUBLE else 1, Arm.TREATMENT: 1}
    counts = Counter((trial.block, trial.arm, trial.workload) for trial in trials)
    assert counts == {
        (block, arm, name): runs * visits[arm] for block in range(blocks) for arm in Arm for name in names
    }
    assert [trial.index for trial in trials] == list(range(len(trials)))
    assert trials == plan_trials(names, blocks=blocks, seed=seed, shape=shape, runs=runs)
    assert len({(t.block, t.arm, t.workload, t.replicate) for t in trials}) == len(trials)


@quick
@given(st.integers(0, 40), st.data())
def test_what_is_left_is_the_plan_less_its_records_in_its_order(count: int, data: st.DataObject) -> None:
    trials = plan_trials(("a", "b"), blocks=7, seed=count)
    done = data.draw(st.sets(st.integers(0, len(trials) - 1)))
    left = remaining_trials(trials, dict.fromkeys(done, State.ENDED), {})
    assert left == tuple(trial for trial in trials if trial.index not in done)


@quick
@given(st.integers(0, 200), st.integers(1, 12))
def test_the_shares_of_all_sessions_are_all_blocks_and_nearly_alike(blocks: int, sessions: int) -> None:
    shares: list[int] = []
    for left in range(sessions, 0, -1):
        shares.append(session_share(blocks, sum(shares), left))
    assert sum(shares) == blocks
    assert max(shares) - min(shares) <= 1
    assert shares == sorted(shares, reverse=True)


@quick
@given(st.floats(0.0001, 0.05), st.floats(0.001, 0.02), st.floats(0.0, 0.0009))
def test_more_scatter_or_floor_or_precision_never_takes_fewer_blocks(
    spread: float, precision: float, floor: float
) -> None:
    wanted = Wanted(Goal(adaptive=True, precision=precision, minimum_blocks=2))
    finer = Wanted(Goal(adaptive=True, precision=precision / 2, minimum_blocks=2))
    blocks = blocks_for_precision(spread, wanted) or math.inf
    assert (blocks_for_precision(2 * spread, wanted) or math.inf) >= blocks
    assert (blocks_for_precision(spread, wanted, floor=floor) or math.inf) >= blocks
    assert (blocks_for_precision(spread, finer) or math.inf) >= blocks


@quick
@given(st.floats(0.001, 0.05), st.floats(-0.1, 0.1), st.floats(0.0, 0.05))
def test_a_difference_and_the_same_gain_take_as_many_blocks(
    spread: float, difference: float, margin: float
) -> None:
    wanted = Wanted(Goal(adaptive=True), margin=margin)
    loss, gain = (blocks_for_verdict(spread, wanted, difference=sign * difference) for sign in (1, -1))
    assert loss == gain
    assert (blocks_for_verdict(spread, wanted, difference=2 * difference) or math.inf) <= (
        loss or math.inf
    ) or (margin > abs(difference))


@quick
@given(st.floats(10, 500), st.floats(0.1, 2), st.integers(1, 20), st.integers(2, 5000))
def test_four_times_the_runs_halve_the_widths_and_the_unit_changes_nothing(
    fixed: float, slope: float, each: int, size: int
) -> None:
    arms = Guess(fixed, slope), Guess(2 * fixed, 1.1 * slope)
    one = expected_halves(arms, {1: each, size: each}, noise=0.01)
    four = expected_halves(arms, {1: 4 * each, size: 4 * each}, noise=0.01)
    loud = expected_halves(arms, {1: each, size: each}, noise=0.02)
    hours = expected_halves(
        [Guess(arm.fixed_s / 3600, arm.slope_s / 3600) for arm in arms], {1: each, size: each}, noise=0.01
    )
    for name in ("fixed_cost", "per_event"):
        width = getattr(one, name)
        assert getattr(four, name) == pytest.approx(width / 2)
        assert getattr(loud, name) == pytest.approx(2 * width)
        assert getattr(hours, name) == pytest.approx(width)
