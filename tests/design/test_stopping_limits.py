"""When a metric has what is wanted: just below, at and just above each limit."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from assay.design.stopping import (
    Metered,
    Standing,
    Wanted,
    decides_from,
    estimates,
    floor_to_come,
    half_width,
    ranks_from,
    standing,
    standings,
)
from assay.model.figures.estimate import Looks, Verdict
from assay.model.goal import Goal
from assay.stats import paired_loss
from assay.stats.replication.components import Floor
from assay.stats.replication.sessions import Asked, session_loss

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
    metered = Metered(LOGS, 2, 0.02, 2)
    floor = floor_to_come(metered, wanted())
    # t(2) sqrt(2/3) 0.02 in log units, over three sessions though two are there; as a loss over the slowdown
    slowdown = paired_loss(LOGS).slowdown
    assert slowdown is not None
    assert floor == pytest.approx(4.302653 * math.sqrt(2 / 3) * 0.02 / slowdown, rel=1e-6)
    assert standing(metered, wanted(precision=floor)) is Standing.GO_ON
    assert standing(metered, wanted(precision=math.nextafter(floor, 0))) is Standing.FLOOR


def test_the_floor_is_over_the_sessions_that_are_there_where_they_are_more() -> None:
    one, other = (floor_to_come(Metered([0.0, 0.0], n, 0.01), wanted()) for n in (5, 3))
    assert one == pytest.approx(Floor(0.01).half(5))
    assert other == pytest.approx(Floor(0.01).half(3))
    sure = floor_to_come(Metered([0.0, 0.0], 3, 0.01), replace(wanted(), confidence=0.99))
    assert sure == pytest.approx(Floor(0.01).half(3, confidence=0.99))
    assert floor_to_come(Metered([0.0], 5), wanted()) == 0.0
    assert floor_to_come(Metered([], 3, 0.01), wanted()) == pytest.approx(Floor(0.01).half(3))


def test_an_estimate_has_the_floor_the_confidence_and_the_margin_that_are_wanted() -> None:
    asked = Wanted(Goal(adaptive=True), confidence=0.9, margin=0.3)
    floor = Floor(0.01).half(3, confidence=0.9)
    found = Metered(LOGS, 3, 0.01).estimate(asked)
    assert found == paired_loss(LOGS, confidence=0.9, margin=0.3, floor=floor)
    few = Floor(0.01, 4).half(3, confidence=0.9)
    assert Metered(LOGS, 3, 0.01, 4).estimate(asked) == paired_loss(
        LOGS, confidence=0.9, margin=0.3, floor=few
    )
    assert Metered(LOGS, 3).estimate(asked) == paired_loss(LOGS, confidence=0.9, margin=0.3)


def test_an_estimate_is_that_of_its_sessions_where_these_are_known() -> None:
    asked = Wanted(Goal(adaptive=True), confidence=0.9, margin=0.3, looks=Looks.EVERY)
    apart = [d + 0.1 * (at // 4) for at, d in enumerate(LOGS)]
    labels = tuple(at // 4 for at in range(12))
    for sigma, over in ((None, True), (0.001, True), (0.5, False)):
        found = Metered(apart, 3, sigma, 4, labels).estimate(asked, 0.95, 0.99)
        floor = None if sigma is None else Floor(sigma, 4)
        assert found == session_loss(apart, labels, Asked(0.95, 0.3, floor, Looks.EVERY, 0.99)).estimate
        assert found.method.startswith("over 3 sessions") is over
    assert not Metered(apart, 3).estimate(asked).method.startswith("over")
    once = Metered(LOGS, 1, labels=(0,) * 12).estimate(Wanted(Goal(adaptive=True)), 0.95, 0.9999)
    assert once.method == paired_loss(LOGS, strictest=0.9999).method != paired_loss(LOGS).method


def test_a_metric_has_a_floor_only_where_its_scatter_is_known() -> None:
    assert Metered([0.1]).floor is None
    assert Metered([0.1], sigma=0.0).floor == Floor(0.0)
    assert Metered([0.1], 2, 0.01, 4).floor == Floor(0.01, 4)


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


def test_a_metric_is_reached_or_never_will_be_whatever_stands_beside_it() -> None:
    settled, hopeless, open_ = Metered(LOGS, 3), Metered(LOGS, 3, sigma=5.0), Metered(LOGS[:3], 3)
    assert standings([settled, hopeless, open_], wanted()) == [
        Standing.REACHED, Standing.FLOOR, Standing.GO_ON,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("confidence", "metrics", "sequence", "ranks"),
    [
        (0.95, 0, 5, 6), (0.95, 1, 5, 6), (0.95, 2, 6, 7), (0.95, 4, 6, 8), (0.95, 5, 7, 8), (0.95, 12, 7, 9),
        (0.95, 20, 8, 10), (0.9, 1, 5, 5), (0.99, 1, 7, 8),
    ],
)  # fmt: skip
def test_of_several_metrics_an_interval_takes_more_blocks_to_be_finite(
    confidence: float, metrics: int, sequence: int, ranks: int
) -> None:
    assert (decides_from(confidence, metrics), ranks_from(confidence, metrics)) == (sequence, ranks)
    logs = [0.1 + 0.001 * at for at in range(sequence)]
    asked = Wanted(Goal(), confidence, looks=Looks.EVERY)
    for count in (sequence - 1, sequence):
        found = estimates([Metered(logs[:count])] * max(1, metrics), asked)
        assert {one.verdict is Verdict.LOSS for one in found} == {count == sequence}
