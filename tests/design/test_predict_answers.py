"""Predictions against figures worked out by hand, and their limits."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from assay.design.predict import (
    MOST,
    Prediction,
    blocks_for_precision,
    blocks_for_verdict,
    effective_spread,
    predict,
    predict_from_floor,
    session_share,
)
from assay.design.stopping import Metered, Wanted, each_of
from assay.model.goal import Goal
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.stats.replication.components import Floor
from assay.stats.verdicts.sequence import reach

PRECISE = Wanted(Goal(adaptive=True, precision=0.005, minimum_blocks=10, sessions=4))
DECIDED = Wanted(Goal(adaptive=True, minimum_blocks=6), margin=0.02)


def wanted(precision: float, minimum: int) -> Wanted:
    return Wanted(Goal(adaptive=True, precision=precision, minimum_blocks=minimum))


@pytest.mark.parametrize(
    ("expected", "before", "left", "share"),
    [
        (40, 0, 4, 10),
        (41, 0, 4, 11),
        (43, 0, 4, 11),
        (44, 0, 4, 11),
        (40, 11, 3, 10),
        (30, 29, 1, 1),
        (30, 30, 1, 0),
    ],
)
def test_a_session_takes_its_even_share_rounded_up(expected: int, before: int, left: int, share: int) -> None:
    assert session_share(expected, before, left) == share


@pytest.mark.parametrize(("count", "t"), [(3, 4.302653), (4, 3.182446), (16, 2.131450), (31, 2.042272)])
def test_the_blocks_of_a_precision_by_the_table_of_t(count: int, t: float) -> None:
    half = t * 0.01 / math.sqrt(count)  # quantiles of the usual table, 97.5 %
    assert blocks_for_precision(0.01, wanted(half * 1.00001, 2)) == count
    assert blocks_for_precision(0.01, wanted(half * 0.99999, 2)) == count + 1


def test_a_floor_leaves_the_precision_its_root_of_squares() -> None:
    # of 0.005 a floor of 0.003 leaves 0.004
    assert blocks_for_precision(0.01, PRECISE, floor=0.003) == blocks_for_precision(0.01, wanted(0.004, 10))
    assert blocks_for_precision(0.01, PRECISE, floor=0.005) is None
    assert blocks_for_precision(0.0, PRECISE, floor=0.00499999) == 10


def test_fewer_than_the_least_blocks_are_never_predicted() -> None:
    assert blocks_for_precision(1e-6, PRECISE) == 10
    assert blocks_for_verdict(1e-6, DECIDED, difference=0.1) == 6


def test_more_than_the_most_blocks_are_no_prediction() -> None:
    assert MOST == 100_000
    t = float(stats.t.ppf(0.975, MOST - 1))
    spread = 0.005 * math.sqrt(MOST) / t
    assert blocks_for_precision(spread * (1 - 1e-9), PRECISE) == MOST
    assert blocks_for_precision(spread * (1 + 1e-9), PRECISE) is None


@pytest.mark.parametrize(
    ("difference", "room"),
    [(0.0, 0.02), (0.005, 0.015), (-0.005, 0.015), (0.01, 0.01), (0.015, 0.015), (-0.05, 0.05)],
)
def test_a_verdict_needs_the_distance_to_zero_or_to_the_margin_whichever_is_farther(
    difference: float, room: float
) -> None:
    blocks = blocks_for_verdict(0.02, DECIDED, difference=difference)
    assert blocks is not None
    halves = [reach(count, 0.95) * 0.02 / math.sqrt(count) for count in (blocks - 1, blocks)]
    assert halves[1] < room <= halves[0]


def test_no_difference_and_no_margin_are_never_told() -> None:
    assert blocks_for_verdict(0.02, Wanted(Goal(adaptive=True)), difference=0.0) is None


def test_the_effective_spread_of_few_blocks_is_that_of_the_losses() -> None:
    logs = [0.10, 0.12, 0.11]  # mean 0.11, standard deviation 0.01
    half = 4.302652729911275 * 0.01 / math.sqrt(3)
    ends = [1 - math.exp(-(0.11 + side * half)) for side in (-1, 1)]
    spread = (ends[1] - ends[0]) / 2 * math.sqrt(3) / 4.302652729911275
    assert effective_spread(Metered(logs), PRECISE) == pytest.approx(spread, rel=1e-12)
    assert spread == pytest.approx(0.01 * math.exp(-0.11), rel=1e-3)
    assert effective_spread(Metered([0.1]), PRECISE) == 0.0
    assert effective_spread(Metered([]), PRECISE) == 0.0
    assert effective_spread(Metered([0.10, 0.12]), PRECISE) == pytest.approx(
        0.02 / math.sqrt(2) * math.exp(-0.11), rel=0.02
    )


def test_a_prediction_for_a_precision_takes_the_floor_of_all_sessions_once() -> None:
    logs = [0.01 * (-1) ** at for at in range(8)]
    metered = Metered(logs, 2, 0.001)
    floor = Floor(0.001).half(4)
    spread = effective_spread(Metered(logs), PRECISE)
    assert predict([[metered]], PRECISE) == Prediction(
        blocks_for_precision(spread, PRECISE, floor=floor), "the blocks so far"
    )


@pytest.mark.parametrize("sigma", [None, 0.002])
def test_what_the_sessions_so_far_share_is_not_predicted_of_all(sigma: float | None) -> None:
    logs = [0.01 * (-1) ** at + 0.012 * (at // 4) for at in range(12)]
    labels = tuple(at // 4 for at in range(12))
    # between 4 * 2 * 0.012^2 over 2, within 12 * 0.01^2 over 9: a ratio of 4.32, so that sessions count
    assert Metered(logs, 3, labels=labels).estimate(PRECISE).method.startswith("over 3 sessions")
    floor = 0.0 if sigma is None else 2.085963 * math.sqrt(2 / 4) * sigma * math.exp(-0.012)  # t(20)
    bare = blocks_for_precision(effective_spread(Metered(logs), PRECISE), PRECISE, floor=floor)
    assert predict([[Metered(logs, 3, sigma, 20, labels)]], PRECISE).blocks == bare


def test_a_prediction_for_a_verdict_is_what_the_estimate_still_needs() -> None:
    logs = [0.01, -0.02, 0.03, 0.012, -0.002]
    more = Metered(logs).estimate(DECIDED).blocks_more
    assert more is not None
    assert predict([[Metered(logs)]], DECIDED).blocks == len(logs) + more
    # of two metrics each must bear both
    both = predict([[Metered(logs), Metered(logs)]], DECIDED).blocks
    assert both is not None
    assert both > len(logs) + more
    assert predict([[Metered(logs)], [Metered(logs)]], DECIDED).blocks == len(logs) + more


def test_what_cannot_be_predicted_makes_all_of_it_unknown() -> None:
    unknown = Prediction(None, "the blocks so far")
    few, settled = Metered([0.1]), Metered([0.1 + 0.001 * (-1) ** at for at in range(8)])
    assert predict([], DECIDED) == unknown
    assert predict([[few]], DECIDED) == unknown
    assert predict([[settled, few]], DECIDED) == unknown
    assert predict([[settled]], DECIDED) == Prediction(8, "the blocks so far")


def test_what_is_called_and_lacks_blocks_or_sessions_alone_is_not_predicted_without_end() -> None:
    called = [0.1 + 0.001 * (-1) ** at for at in range(8)]
    many = Wanted(Goal(adaptive=True, minimum_blocks=6, sessions=3), margin=0.02)
    assert predict([[Metered(called)]], many).blocks == 8
    assert predict([[Metered(called[:5])]], many).blocks == 6
    assert predict([[Metered([0.05] * 4)]], many).blocks == 6  # without scatter: no further block tells more
    hopeless = Metered([0.1, 0.11, 0.105], 1, 0.1)
    assert predict([[hopeless]], PRECISE).blocks == 10


def test_a_metric_beside_others_that_are_called_is_predicted_at_the_level_that_they_leave() -> None:
    called = Metered([0.1 + 0.001 * (-1) ** at for at in range(8)])
    open_ = Metered([0.01, -0.02, 0.03, 0.012, -0.002, 0.02, 0.011, -0.01])
    alone = predict([[open_]], DECIDED).blocks
    assert predict([[called, called, called, open_]], DECIDED).blocks == alone
    three = predict([[open_, open_, open_]], DECIDED).blocks
    assert alone is not None
    assert three is not None
    assert alone < three


def site(*metrics: MetricFloor) -> SiteFloor:
    return SiteFloor("node", 0, 1, 0, metrics)


def metric(name: str, session: float | None, block: float | None) -> MetricFloor:
    return MetricFloor("spin", "spin", name, 4, 40, session, block)


QUIET = Floor(math.sqrt((3 * 0.001**2 + 3 * 0.0005**2) / 6), 6)
"""What a history of 4 sessions knows of ``metric("quiet", 0.0005, 0.01)``."""


def test_the_history_predicts_the_slowest_metric() -> None:
    quiet, loud = metric("quiet", 0.0005, 0.01), metric("loud", None, 0.02)
    names = [("spin", "quiet"), ("spin", "loud")]
    basis = "the scatter of this site's A/A campaigns"
    slow = blocks_for_precision(0.02, each_of(PRECISE, 2))
    assert predict_from_floor(site(quiet, loud), names, PRECISE) == Prediction(slow, basis)
    alone = blocks_for_precision(0.01, PRECISE, floor=QUIET.half(4))
    assert predict_from_floor(site(quiet, loud), names[:1], PRECISE) == Prediction(alone, basis)
    assert alone != blocks_for_precision(0.01, PRECISE)
    verdict = blocks_for_verdict(0.02, each_of(DECIDED, 2), difference=0.0)
    assert predict_from_floor(site(quiet, loud), names, DECIDED) == Prediction(verdict, basis)


def test_the_history_s_floor_has_the_confidence_that_is_wanted() -> None:
    sure = Wanted(PRECISE.goal, confidence=0.99)
    floor = QUIET.half(4, confidence=0.99)
    # t(6) at 99 %, sqrt(2) over two, of sqrt(6.25e-7)
    assert floor == pytest.approx(3.707428 * math.sqrt(2) / 2 * 0.000790569, rel=1e-6)
    found = predict_from_floor(site(metric("quiet", 0.0005, 0.01)), [("spin", "quiet")], sure)
    assert found.blocks == blocks_for_precision(0.01, sure, floor=floor)
    assert found.blocks != blocks_for_precision(0.01, sure, floor=QUIET.half(4))


def test_the_history_says_where_no_number_of_blocks_would_do_and_what_it_does_not_know() -> None:
    basis = "no number would do, by the scatter of this site's A/A campaigns"
    names = [("spin", "quiet"), ("spin", "rough")]
    rough = site(metric("quiet", 0.0, 0.01), metric("rough", 0.1, 0.01))
    assert predict_from_floor(rough, names, PRECISE) == Prediction(None, basis)
    unknown = Prediction(None, "not known before the first blocks")
    assert predict_from_floor(site(metric("quiet", 0.0, None)), names[:1], PRECISE) == unknown
    assert predict_from_floor(site(metric("quiet", 0.0, 0.01)), names, PRECISE) == unknown
    assert predict_from_floor(rough, [], PRECISE) == unknown
    assert predict_from_floor(None, names, PRECISE) == unknown
