"""When it is enough: by precision, by verdict, by budget, and never within a block."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from assay.design import activity_state, ending_of, plan_trials
from assay.design.stopping import Metered, Standing, Wanted, standing, standings
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.extension import Ending
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.metric import Measurement
from assay.model.trial import Arm, PlannedTrial, State, Trial
from tests.builders import RATE, plan_of, record_of

WANTED = Goal(adaptive=True, minimum_blocks=6, shape=Shape.PAIRS)
TRIALS = plan_trials(("spin",), blocks=20, seed=3, shape=Shape.PAIRS)
S = 10**9


def adaptive(**goal: object) -> ActivityPlan:
    return plan_of(TRIALS, goal=replace(WANTED, **goal))  # type: ignore[arg-type]


def record(planned: PlannedTrial, treatment: float = 50.0, **changes: object) -> Trial:
    block = planned.block
    value = treatment * (1 + block * 1e-6) if planned.arm is Arm.TREATMENT else 100.0 + block % 3
    return record_of(planned, value, **changes)


def some(blocks: int, treatment: float = 50.0) -> list[Trial]:
    return [record(planned, treatment) for planned in TRIALS if planned.block < blocks]


def noise(count: int, spread: float, centre: float = 0.0) -> list[float]:
    draw = random.Random(7)
    return [draw.gauss(centre, spread) for _ in range(count)]


def test_a_verdict_ends_a_plan_that_wants_no_more_as_soon_as_it_stands() -> None:
    assert ending_of(adaptive(), some(5)) is None
    assert ending_of(adaptive(), some(6)) is Ending.REACHED
    assert activity_state(adaptive(), some(6)) is ActivityState.COMPLETE


def test_nothing_ends_within_a_block() -> None:
    assert ending_of(adaptive(), some(7)[:-1]) is None
    assert activity_state(adaptive(), some(7)[:-1]) is ActivityState.INTERRUPTED


def test_a_plan_with_a_number_of_blocks_runs_to_its_end() -> None:
    assert ending_of(adaptive(adaptive=False), some(19)) is None
    assert activity_state(adaptive(adaptive=False), some(20)) is ActivityState.COMPLETE


def test_a_workload_that_was_given_up_does_not_hold_the_end_up() -> None:
    two = plan_trials(("spin", "gone"), blocks=20, seed=3, shape=Shape.PAIRS)
    plan = plan_of(two, goal=WANTED)
    gone = [t for t in two if t.workload == "gone" and t.arm is Arm.BASELINE][:2]
    failed = [record(t, state=State.FAILED, measurements=()) for t in gone]
    spin = [record(t) for t in two if t.workload == "spin" and t.block < 6]
    assert ending_of(plan, [*failed, *spin]) is None or len(spin) == 12
    assert ending_of(plan, [*failed, *spin]) is Ending.REACHED


def test_no_block_is_begun_that_would_end_after_the_budget() -> None:
    plan = adaptive(precision=1e-9, minimum_blocks=10)
    # trials of 4 s begin 10 s apart: five blocks take 94 s, and one more with its pause 20 s
    within, beyond = (
        replace(plan, goal=replace(plan.goal, time_budget_s=budget)) for budget in (115.0, 113.0)
    )
    assert ending_of(within, some(5)) is None
    assert ending_of(beyond, some(5)) is Ending.BUDGET


def test_a_precision_waits_for_its_blocks_and_its_sessions() -> None:
    wanted = Wanted(Goal(adaptive=True, precision=0.01, minimum_blocks=10, sessions=3))
    logs = noise(30, 0.005)
    assert standing(Metered(logs[:9], 3), wanted) is Standing.GO_ON
    assert standing(Metered(logs, 2), wanted) is Standing.GO_ON
    assert standing(Metered(logs, 3), wanted) is Standing.REACHED


def test_the_floor_widens_what_must_be_within_the_precision() -> None:
    wanted = Wanted(Goal(adaptive=True, precision=0.005, minimum_blocks=10, sessions=4))
    logs = noise(30, 0.009)
    assert standing(Metered(logs, 4, sigma=0.0), wanted) is Standing.REACHED
    assert standing(Metered(logs, 4, sigma=0.002, freedom=3), wanted) is Standing.GO_ON
    assert standing(Metered(logs, 4, sigma=0.002), wanted) is Standing.REACHED  # known exactly: t is smaller


def test_a_floor_above_the_precision_is_said_from_the_least_blocks_on_in_whatever_session() -> None:
    wanted = Wanted(Goal(adaptive=True, precision=0.005, minimum_blocks=10, sessions=4))
    logs = noise(10, 0.005)
    assert standing(Metered(logs, 1, sigma=0.003, freedom=3), wanted) is Standing.FLOOR
    for few in (1, 9):
        assert standing(Metered(logs[:few], 1, sigma=0.003, freedom=3), wanted) is Standing.GO_ON


def test_six_metrics_are_told_of_their_floor_at_the_level_by_which_they_are_judged() -> None:
    """At 95 % the floor is ±0.63 %, at that of the strictest of six steps 0.92 %."""
    wanted = Wanted(Goal(adaptive=True, precision=0.0075, minimum_blocks=10))
    one, ten = (Metered(noise(count, 0.001), 1, 0.002, 10) for count in (1, 10))
    assert standings([one] * 6, wanted) == [Standing.GO_ON] * 6
    assert standings([ten] * 6, wanted) == [Standing.FLOOR] * 6
    assert standings([ten], wanted) == [Standing.REACHED]


@pytest.mark.parametrize("precision", [None, 0.01])
def test_blocks_without_scatter_are_never_enough_and_never_will_be(precision: float | None) -> None:
    wanted = Wanted(Goal(adaptive=True, precision=precision, minimum_blocks=6, sessions=2))
    found = [standing(Metered([0.05] * count, 2), wanted) for count in (5, 6, 30)]
    assert found == [Standing.GO_ON, Standing.NO_SCATTER, Standing.NO_SCATTER]
    assert standing(Metered([0.05] * 30, 1), wanted) is Standing.GO_ON  # another session may differ
    assert standing(Metered([0.05] * 29 + [0.051], 2), wanted) is Standing.REACHED


def test_a_count_that_never_scatters_does_not_keep_an_activity_going() -> None:
    alike = [replace(one, measurements=(Measurement(RATE, 7.0),)) for one in some(6)]
    assert ending_of(adaptive(), alike[:-2]) is None
    assert ending_of(adaptive(), alike) is Ending.NEVER


def test_one_metric_that_waits_does_not_hold_the_others() -> None:
    wanted = Wanted(Goal(adaptive=True), margin=0.01)
    settled, open_ = Metered(noise(8, 0.01, 0.5)), Metered(noise(8, 0.5))
    assert standings([settled, open_], wanted) == [Standing.REACHED, Standing.GO_ON]
    assert standings([], wanted) == []


def test_the_plan_s_own_floor_is_that_of_workload_and_metric() -> None:
    known = MetricFloor("spin", "spin", "events", 4, 40, 0.3, 0.01)
    floor = SiteFloor("node", 0, 1, 0, (known,))
    plan = replace(adaptive(precision=0.05, minimum_blocks=10, sessions=2), floor=floor)
    assert ending_of(plan, some(9)) is None
    assert ending_of(plan, some(10)) is Ending.NEVER


@pytest.mark.parametrize("blocks", [6, 9, 20])
def test_the_same_records_in_any_order_end_alike(blocks: int) -> None:
    assert ending_of(adaptive(), some(blocks)) == ending_of(adaptive(), some(blocks)[::-1])
