"""When a metric has what is wanted: just below, at and just above each limit."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from assay.design.stopping import (
    Metered,
    Standing,
    Wanted,
    all_enough,
    floor_to_come,
    half_width,
    standing,
)
from assay.model.goal import Goal
from assay.stats import paired_loss
from assay.stats.components import floor_half

LOGS = [0.1 + 0.01 * ((at * 7) % 5 - 2) for at in range(12)]


def wanted(**changes: object) -> Wanted:
    goal = Goal(adaptive=True, precision=0.5, minimum_blocks=10, sessions=3)
    return Wanted(replace(goal, **changes))  # type: ignore[arg-type]


def half_of(metered: Metered) -> float:
    found = half_width(metered.estimate(wanted()))
    assert found is not None
    return found


def test_half_a_width_is_half_of_the_interval() -> None:
    found = paired_loss([0.10, 0.12, 0.11])
    assert found.low is not None
    assert found.high is not None
    assert half_width(found) == pytest.approx(found.high - (found.high + found.low) / 2)
    assert half_width(replace(found, low=None)) is None
    assert half_width(replace(found, high=None)) is None


@pytest.mark.parametrize(
    ("blocks", "sessions", "reached"),
    [(9, 3, False), (10, 3, True), (11, 3, True), (10, 2, False), (10, 4, True), (9, 4, False)],
)
def test_blocks_and_sessions_must_both_be_enough(blocks: int, sessions: int, *, reached: bool) -> None:
    found = standing(Metered(LOGS[:blocks], sessions), wanted())
    assert found is (Standing.REACHED if reached else Standing.GO_ON)


def test_a_width_of_the_very_precision_is_enough() -> None:
    metered = Metered(LOGS, 3)
    half = half_of(metered)
    assert standing(metered, wanted(precision=half)) is Standing.REACHED
    assert standing(metered, wanted(precision=math.nextafter(half, 0))) is Standing.GO_ON


def test_a_precision_below_two_blocks_is_waited_for() -> None:
    assert standing(Metered([0.1], 3), wanted(minimum_blocks=1)) is Standing.GO_ON
    assert standing(Metered([], 3), wanted(minimum_blocks=0)) is Standing.GO_ON


def test_a_floor_of_the_very_precision_is_not_above_it() -> None:
    metered = Metered(LOGS, 2, 0.02)
    floor = floor_to_come(metered, wanted())
    # t(2) sqrt(2/3) 0.02 in log units, over three sessions though two are there; as a loss over the slowdown
    slowdown = paired_loss(LOGS).slowdown
    assert slowdown is not None
    assert floor == pytest.approx(4.302653 * math.sqrt(2 / 3) * 0.02 / slowdown, rel=1e-6)
    assert standing(metered, wanted(precision=floor)) is Standing.GO_ON
    assert standing(metered, wanted(precision=math.nextafter(floor, 0))) is Standing.FLOOR


def test_the_floor_is_over_the_sessions_that_are_there_where_they_are_more() -> None:
    one, other = (floor_to_come(Metered([0.0, 0.0], n, 0.01), wanted()) for n in (5, 3))
    assert one == pytest.approx(floor_half(0.01, 5))
    assert other == pytest.approx(floor_half(0.01, 3))
    sure = floor_to_come(Metered([0.0, 0.0], 3, 0.01), replace(wanted(), confidence=0.99))
    assert sure == pytest.approx(floor_half(0.01, 3, confidence=0.99))
    assert floor_to_come(Metered([0.0], 5), wanted()) == 0.0
    assert floor_to_come(Metered([], 3, 0.01), wanted()) == pytest.approx(floor_half(0.01, 3))


def test_an_estimate_has_the_floor_the_confidence_and_the_margin_that_are_wanted() -> None:
    asked = Wanted(Goal(adaptive=True), confidence=0.9, margin=0.3)
    floor = floor_half(0.01, 3, confidence=0.9)
    found = Metered(LOGS, 3, 0.01).estimate(asked)
    assert found == paired_loss(LOGS, confidence=0.9, margin=0.3, floor=floor)
    assert Metered(LOGS, 3).estimate(asked) == paired_loss(LOGS, confidence=0.9, margin=0.3)


@pytest.mark.parametrize(
    ("logs", "found"),
    [
        (LOGS, Standing.REACHED),
        ([-d for d in LOGS], Standing.REACHED),
        ([0.001 * (-1) ** at for at in range(12)], Standing.REACHED),
        ([0.5 * (-1) ** at for at in range(12)], Standing.GO_ON),
        (LOGS[:9], Standing.GO_ON),
    ],
)
def test_without_a_precision_any_verdict_is_enough(logs: list[float], found: Standing) -> None:
    asked = replace(wanted(precision=None), margin=0.02)
    assert standing(Metered(logs, 3), asked) is found
    # a floor never ends the waiting for a verdict
    assert standing(Metered(LOGS, 3, sigma=5.0), asked) is Standing.GO_ON


def test_enough_is_that_every_metric_is_reached_or_never_will_be() -> None:
    settled, hopeless, open_ = Metered(LOGS, 3), Metered(LOGS, 3, sigma=5.0), Metered(LOGS[:3], 3)
    assert all_enough(iter([settled, hopeless]), wanted())
    assert not all_enough([settled, hopeless, open_], wanted())
    assert not all_enough([], wanted())
