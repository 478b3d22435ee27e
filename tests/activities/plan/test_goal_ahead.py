"""What is said of a goal before anything runs: refused where it cannot be reached, doubted where
it may not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from assay.activities.plan.goal_ahead import check_goal
from assay.design import plan_trials
from assay.design.advice import MOST_SESSIONS
from assay.model.errors import AssayError
from assay.model.goal import Goal
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.metric import Direction, Metric
from assay.stats.replication.components import Floor
from assay.workloads import command_workload
from tests.builders import RATE, WORKLOAD, plan_of

TRIALS = plan_trials(("spin",), blocks=4, seed=1)
OTHER = Metric("latency", "s", Direction.LOWER)
TWO = replace(WORKLOAD, metrics=(RATE, OTHER))
KNOWN = Floor(math.sqrt((3 * (0.1 * 0.01) ** 2 + 4 * 0.01**2) / 7), 7)
"""What a history of 5 sessions knows of ``("events", 0.01)``."""
HALF = KNOWN.half(3, confidence=0.9)
BOTH_HALF = KNOWN.half(3, confidence=0.95)
"""Of each of two metrics, which have 90 % together."""


def floor_with(*sigmas: tuple[str, float | None], work: str = WORKLOAD.work) -> SiteFloor:
    metrics = tuple(MetricFloor(work, "spin", name, 5, 20, sigma, 0.01) for name, sigma in sigmas)
    return SiteFloor("node", 0, 5, 0, metrics)


def plan(floor: SiteFloor | None, workloads: Sequence[Any] = (WORKLOAD,), **goal: Any) -> Any:
    wanted = replace(Goal(adaptive=True, sessions=3), **goal)
    return plan_of(TRIALS, goal=wanted, floor=floor, workloads=tuple(workloads), confidence=0.9)


def test_a_precision_below_the_site_s_floor_is_doubted_with_the_sessions_that_it_takes() -> None:
    floor = floor_with(("events", 0.01))
    assert pytest.approx(1.894579 * math.sqrt(2 / 3 * 4.03e-4 / 7), rel=1e-6) == HALF  # t(7) at 90 %
    (doubt,) = check_goal(plan(floor, precision=HALF * 0.999))
    assert doubt.code == "floor-above-precision"
    assert f"what sessions share is ±{HALF:.2%} over 3 sessions on this site" in doubt.sentence
    assert "unless the treatment is 1.1 times as slow" in doubt.sentence
    assert (doubt.next or "").startswith("Write 'sessions: 4' in the design")
    assert check_goal(plan(floor, precision=HALF)) == ()


def test_the_floor_of_one_session_counts_too() -> None:
    half, floor = HALF * math.sqrt(3), floor_with(("events", 0.01))
    assert check_goal(plan(floor, precision=half * 1.000001, sessions=1)) == ()
    (doubt,) = check_goal(plan(floor, precision=half / 1.999, sessions=1))
    assert f"±{half:.2%} over 1 session on" in doubt.sentence
    assert "unless the treatment is 2.0 times as slow" in doubt.sentence
    assert "'sessions: 4'" in (doubt.next or "")


def test_metrics_that_are_judged_together_have_the_floor_of_their_strictest_step() -> None:
    both = floor_with(("events", 0.01), ("latency", 0.1))
    assert check_goal(plan(both, [TWO], precision=BOTH_HALF)) == ()
    (doubt,) = check_goal(plan(both, [TWO], precision=(HALF + BOTH_HALF) / 2))
    assert f"±{BOTH_HALF:.2%} over" in doubt.sentence  # for the quieter of both
    assert "'sessions: 4'" in (doubt.next or "")


def test_it_is_said_only_where_the_floor_forbids_it_for_every_metric() -> None:
    for floor in (floor_with(("events", 0.01)), floor_with(("events", 0.01), ("latency", None))):
        assert check_goal(plan(floor, [TWO], precision=HALF * 0.5)) == ()


def test_a_user_s_own_command_has_the_floor_of_its_work_and_not_of_its_name() -> None:
    own = replace(command_workload("job", ["job"]), metrics=(RATE,))
    assert check_goal(plan(floor_with(("events", 0.01), work=own.work), [own], precision=HALF * 0.9))
    assert check_goal(plan(floor_with(("events", 0.01), work="job"), [own], precision=HALF * 0.9)) == ()


def test_it_is_refused_where_not_even_the_most_sessions_would_do() -> None:
    floor = floor_with(("events", 0.01))
    least = KNOWN.half(MOST_SESSIONS, confidence=0.9)
    assert check_goal(plan(floor, precision=least * 1.000001))
    with pytest.raises(AssayError, match=f"cannot reach ±{least:.2%}: what sessions share") as caught:
        check_goal(plan(floor, precision=least * 0.999999))
    assert (
        caught.value.hint
        == "isolate the host, or ask for less precision: no number of sessions would reach it"
    )


@pytest.mark.parametrize(
    ("floor", "workloads", "goal"),
    [
        (None, [WORKLOAD], {"precision": 1e-9}),
        (floor_with(("events", 9.0)), [], {"precision": 1e-9}),
        (floor_with(("events", None)), [WORKLOAD], {"precision": 1e-9}),
        (floor_with(("latency", 9.0)), [WORKLOAD], {"precision": 1e-9}),
        (floor_with(("events", 9.0)), [WORKLOAD], {"precision": 1e-9, "adaptive": False}),
    ],
)
def test_nothing_is_said_without_goal_floor_metrics_or_history(
    floor: SiteFloor | None, workloads: Sequence[Any], goal: dict[str, Any]
) -> None:
    assert check_goal(plan(floor, workloads, **goal)) == ()


def test_sessions_too_few_for_metrics_that_are_judged_together_are_refused() -> None:
    both = replace(WORKLOAD, metrics=(RATE, replace(RATE, name="m")))
    of = replace(plan(None, [both]), confidence=0.95, blocks=40)
    for sessions, refused in ((2, False), (3, True), (5, True), (6, False)):
        many = replace(of, goal=replace(of.goal, sessions=sessions))
        if not refused:
            assert check_goal(many) == ()
            continue
        with pytest.raises(AssayError, match=f"cannot decide over {sessions} sessions") as caught:
            check_goal(many)
        assert "2 metrics, which are judged together, take 6 sessions at least" in caught.value.message


@pytest.mark.parametrize(("metrics", "needed"), [(1, 5), (2, 6), (4, 6), (5, 7), (12, 7), (20, 8)])
def test_a_maximum_that_can_never_decide_is_refused_with_the_number_that_can(
    metrics: int, needed: int
) -> None:
    workload = replace(WORKLOAD, metrics=tuple(replace(RATE, name=f"m{at}") for at in range(metrics)))
    of = replace(plan(None, [workload], sessions=1), confidence=0.95)
    assert check_goal(replace(of, blocks=needed)) == ()
    with pytest.raises(AssayError, match=f"cannot decide within {needed - 1} blocks") as caught:
        check_goal(replace(of, blocks=needed - 1))
    assert f"{needed} at least at 95 %" in caught.value.message
    assert caught.value.hint == (
        f"design: {{maximum-blocks: {needed}}}, or a fixed number of blocks (blocks: {needed - 1})"
    )
    fixed, precise = Goal(), Goal(adaptive=True, precision=0.01)
    assert check_goal(replace(of, blocks=3, goal=fixed)) == ()
    assert check_goal(replace(of, blocks=3, goal=precise)) == ()
