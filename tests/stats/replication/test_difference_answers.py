"""Differences of means, variance components and jackknife intervals, against scipy and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.stats.centre import Centre, check_finite, mean_of, spread_of
from assay.stats.fieller import ratio_of_totals
from assay.stats.jackknife import half_width
from assay.stats.mean import student, t_quantile
from assay.stats.replication.components import (
    PRIOR_FREEDOM,
    PRIOR_SHARE,
    Components,
    Floor,
    components,
    floor_of,
)
from assay.stats.replication.difference import loss_difference
from assay.stats.replication.fleet import fleet_loss
from assay.stats.replication.order import METHOD, order_effect
from assay.stats.replication.paired import middle_of, paired_loss
from assay.stats.welch import welch_half

A = [0.10, 0.12, 0.11, 0.15]
B = [0.20, 0.26, 0.31]


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706205), (2, 4.302653), (5, 2.570582), (10, 2.228139), (120, 1.979930)]
)
def test_the_quantiles_of_t_are_those_of_the_usual_table(freedom: int, quantile: float) -> None:
    assert t_quantile(0.95, freedom) == pytest.approx(quantile, abs=1e-6)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_effect_of_the_order_is_welch_s_interval(confidence: float) -> None:
    found = order_effect(A, B, confidence)
    assert found is not None
    truth = stats.ttest_ind(A, B, equal_var=False).confidence_interval(confidence)
    assert (found.low, found.high) == pytest.approx((truth.low, truth.high), rel=1e-10)
    assert found.value == pytest.approx(0.12 - 77 / 300)
    assert found.method == METHOD == "difference of two means, Welch's t interval"


def test_the_order_needs_two_blocks_of_each() -> None:
    assert order_effect(A, [0.1]) is None
    assert order_effect([0.1], B) is None
    found = order_effect([0.1, 0.2], [0.3, 0.5])
    assert found is not None
    # variances 0.005 and 0.02 over 2 blocks each; freedom 0.0125^2 / (0.0025^2 + 0.01^2) = 1.470588
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, 25 / 17) * math.sqrt(0.0125))


def test_welch_s_freedom_by_hand() -> None:
    assert welch_half([(4.0, 4), (1.0, 2)], 0.95) == pytest.approx(
        stats.t.ppf(0.975, 25 / 4.5) * math.sqrt(5)
    )
    assert welch_half([(0.0, 4), (0.0, 2)], 0.95) == 0.0


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_a_difference_of_losses_by_the_ends_of_their_intervals(confidence: float) -> None:
    a, b = (paired_loss(d, confidence=confidence) for d in (A, B))
    found = loss_difference(a, b)
    assert found is not None
    value = b.loss - a.loss  # type: ignore[operator]
    below = math.sqrt((b.loss - b.low) ** 2 + (a.high - a.loss) ** 2)  # type: ignore[operator]
    above = math.sqrt((b.high - b.loss) ** 2 + (a.loss - a.low) ** 2)  # type: ignore[operator]
    assert (found.value, found.low, found.high) == pytest.approx((value, value - below, value + above))
    assert found.seen is (value - below > 0 or value + above < 0)


@pytest.mark.parametrize(("a", "b"), [([0.1], [0.2, 0.3]), ([0.1, 0.2], [0.3])])
def test_a_difference_with_one_block_on_a_side_has_no_interval(a: list[float], b: list[float]) -> None:
    found = loss_difference(paired_loss(a), paired_loss(b))
    assert found is not None
    assert (found.low, found.high, found.seen, found.reason) == (None, None, False, "too few blocks")
    assert loss_difference(paired_loss(a), paired_loss([])) is None


@pytest.mark.parametrize("other", [B, [0.3], [0.3] * 20])
def test_a_difference_of_blocks_without_scatter_has_no_interval_and_says_why(other: list[float]) -> None:
    for sides in (
        (paired_loss([0.1] * 20), paired_loss(other)),
        (paired_loss(other), paired_loss([0.1] * 20)),
    ):
        found = loss_difference(*sides)
        assert found is not None
        assert (found.low, found.high, found.seen, found.reason) == (None, None, False, "no scatter")


def test_the_jackknife_of_a_mean_is_student_s_interval_exactly() -> None:
    values = np.array([3.0, 5.0, 4.0, 9.0, 1.0])
    leave = np.array([values.mean(), *(np.delete(values, at).mean() for at in range(5))])
    found = half_width(leave, 4, confidence=0.95)
    assert found == pytest.approx(student(values.tolist()).half, rel=1e-12)
    # variance 8.8 over 5 blocks: 1.326650 standard errors of 2.776445
    assert found == pytest.approx(2.776445 * math.sqrt(8.8 / 5), rel=1e-6)


@pytest.mark.parametrize(
    ("values", "freedom", "known"),
    [
        ([1.0, 0.0, 2.0], 1, True),
        ([1.0, 0.0, 2.0], 0, False),
        ([1.0, 0.0], 1, False),
        ([math.nan, 0.0, 2.0], 1, False),
        ([1.0, 0.0, math.nan], 1, False),
        ([1.0, 0.0, math.inf], 1, False),
    ],
)
def test_a_jackknife_needs_freedom_two_blocks_and_every_estimate(
    values: list[float], freedom: int, *, known: bool
) -> None:
    found = half_width(np.array(values), freedom, confidence=0.95)
    assert (found is not None) is known
    if known:  # two blocks: half the sum of squares, 1
        assert found == pytest.approx(12.706205)


UNEVEN = {"a": [1.0, 3.0], "b": [4.0, 6.0, 8.0], "c": [2.0]}


def test_components_of_uneven_sessions_by_hand() -> None:
    # means 2, 6, 2 of 2, 3 and 1; all 4. Within 2 + 8 = 10 over 3; between 8 + 12 + 4 = 24 over 2 = 12;
    # size (6 - 14/6) / 2 = 11/6; session (12 - 10/3) / (11/6) = 52/11
    found = components([v for of in UNEVEN.values() for v in of], [s for s, of in UNEVEN.items() for _ in of])
    assert found.sessions == 3
    assert found.session == pytest.approx(math.sqrt(52 / 11))
    assert found.block == pytest.approx(math.sqrt(10 / 3))
    assert (found.between, found.size) == (12.0, pytest.approx(11 / 6))
    assert found.chance == pytest.approx(stats.f_oneway(*UNEVEN.values()).pvalue, rel=1e-12)


@pytest.mark.parametrize(
    ("values", "sessions", "found"),
    [
        ([1.0, 2.0, 3.0], [0, 0, 0], Components(1, None, 1.0, None)),
        ([1.0, 2.0, 3.0], [0, 1, 2], Components(3, None, None, None)),
        ([1.0], [0], Components(1, None, None, None)),
        ([1.0, 1.0, 2.0, 2.0], [0, 0, 1, 1], Components(2, math.sqrt(0.5), 0.0, 0.0, 1.0, 2.0)),
        ([1.0, 1.0, 1.0, 1.0], [0, 0, 1, 1], Components(2, 0.0, 0.0, 1.0, 0.0, 2.0)),
    ],
)
def test_components_at_their_limits(values: list[float], sessions: list[int], found: Components) -> None:
    assert components(values, sessions) == found


def test_sessions_that_differ_less_than_their_blocks_have_a_component_of_nothing() -> None:
    found = components([0.0, 2.0, 1.0, 1.5], [0, 0, 1, 1])
    assert (found.session, found.between, found.size) == (0.0, 0.0625, 2.0)
    assert found.chance == pytest.approx(stats.f_oneway([0.0, 2.0], [1.0, 1.5]).pvalue)


def test_components_need_a_session_for_each_value() -> None:
    with pytest.raises(ValueError, match=r"^expected a session for each value, got 1 for 2$"):
        components([0.1, 0.2], [0])


@pytest.mark.parametrize(
    ("sessions", "freedom", "t"),
    [
        (1, 3, 3.182446),
        (2, 1, 12.706205),
        (3, 2, 4.302653),
        (4, 4, 2.776445),
        (5, 10, 2.228139),
        (11, 120, 1.979930),
        (11, math.inf, 1.959964),
    ],
)
def test_the_floor_of_several_sessions_by_the_table_of_t(sessions: int, freedom: float, t: float) -> None:
    assert Floor(0.002, freedom).half(sessions) == pytest.approx(
        t * math.sqrt(2) * 0.002 / math.sqrt(sessions), rel=1e-6
    )


def test_a_floor_is_known_exactly_where_nothing_else_is_said() -> None:
    assert Floor(0.002) == Floor(0.002, math.inf)
    assert Floor(0.002).half(4) == pytest.approx(1.959964 * math.sqrt(2 / 4) * 0.002, rel=1e-6)


@pytest.mark.parametrize("sessions", [0, 1])
def test_one_session_has_the_whole_floor(sessions: int) -> None:
    assert Floor(0.002, 3).half(sessions) == pytest.approx(3.182446 * math.sqrt(2) * 0.002, rel=1e-6)


@pytest.mark.parametrize(("freedom", "t"), [(2, 2.919986), (math.inf, 1.644854)])
def test_the_floor_has_its_confidence(freedom: float, t: float) -> None:
    assert Floor(0.002, freedom).half(3, confidence=0.9) == pytest.approx(
        t * math.sqrt(2 / 3) * 0.002, rel=1e-6
    )


@pytest.mark.parametrize(
    ("session", "block", "sessions", "variance"),
    [
        (0.003, 0.02, 4, (3 * 4e-6 + 3 * 9e-6) / 6),
        (0.0, 0.02, 2, 3 * 4e-6 / 4),
        (0.003, 0.0, 2, 9e-6 / 4),
        (0.003, 0.02, 1001, (3 * 4e-6 + 1000 * 9e-6) / 1003),
        (0.0, 0.0, 2, 0.0),
    ],
)
def test_the_floor_of_a_history_is_shrunk_to_a_tenth_of_the_blocks_scatter(
    session: float, block: float, sessions: int, variance: float
) -> None:
    found = floor_of(session, block, sessions)
    assert (PRIOR_SHARE, PRIOR_FREEDOM) == (0.1, 3)
    assert found.freedom == 3 + sessions - 1
    assert found.sigma**2 == pytest.approx(variance, rel=1e-12)


def test_totals_of_one_block_have_no_interval_and_of_two_student_s() -> None:
    one = ratio_of_totals([3.0], [2.0])
    assert (one.value, one.low, one.high) == (1.5, -math.inf, math.inf)
    assert one.method == "ratio of totals with Fieller's interval"
    two = ratio_of_totals([30.0, 30.3], [20.0, 20.1])
    assert two.finite
    for end in (two.low, two.high):
        assert stats.ttest_1samp(
            np.array([30.0, 30.3]) - end * np.array([20.0, 20.1]), 0
        ).pvalue == pytest.approx(0.05)


def test_a_baseline_whose_total_may_be_nothing_has_no_ends() -> None:
    found = ratio_of_totals([1.0, 2.0], [1.0, -0.9])
    assert (found.value, found.low, found.high) == (pytest.approx(30.0), -math.inf, math.inf)
    assert found.method == "ratio of totals with Fieller's interval"


@pytest.mark.parametrize(("over", "under"), [([1.0], [1.0, 2.0]), ([], [])])
def test_totals_without_partners_are_refused(over: list[float], under: list[float]) -> None:
    sentence = f"^expected as many values on both sides, got {len(over)} and {len(under)}$"
    with pytest.raises(ValueError, match=sentence):
        ratio_of_totals(over, under)


def test_a_fleet_is_its_machines_centres_once_each() -> None:
    machines = {"a": [0.1, 0.2, 0.6], "b": [0.2, 0.2], "c": [], "d": [0.0, 0.0, 0.0, 0.0, 0.0, 0.6]}
    centres = [0.3, 0.2, 0.0]  # the last one by its typical block
    assert [middle_of(of) for of in machines.values() if of] == pytest.approx(centres)
    found, wanted = (
        fleet_loss(machines, confidence=0.9, margin=0.5),
        paired_loss(centres, confidence=0.9, margin=0.5),
    )
    assert (found.loss, found.low, found.high) == pytest.approx((wanted.loss, wanted.low, wanted.high))
    assert (found.verdict, found.blocks, found.blocks_more) == (wanted.verdict, 11, None)
    assert found.method == f"over 3 machines: {wanted.method}"


def test_a_centre_is_widened_in_quadrature() -> None:
    centre = Centre(1.0, 0.7, 1.8, "a method")
    wide = centre.widened(0.4)
    assert (wide.value, wide.low, wide.high, wide.method) == (
        1.0,
        pytest.approx(0.5),
        pytest.approx(1.8944272),
        "a method",
    )
    assert centre.widened(0.0) is centre
    assert centre.half == pytest.approx(0.55)
    assert not Centre(1.0, -math.inf, 2.0, "").finite
    assert not Centre(1.0, 0.0, math.inf, "").finite


def test_the_mean_and_the_spread_by_hand() -> None:
    assert mean_of([1.0, 2.0, 6.0]) == 3.0
    assert mean_of([0.1, 0.1, 0.1]) == 0.1
    assert spread_of([1.0, 2.0, 6.0]) == pytest.approx(math.sqrt(7))
    one = student([5.0])
    assert (one.value, one.low, one.high, one.method) == (
        5.0,
        -math.inf,
        math.inf,
        "mean with Student's t interval",
    )


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_named(bad: float) -> None:
    with pytest.raises(ValueError, match=f"^expected finite values, got {bad}$"):
        check_finite([1.0, bad, 2.0])
    check_finite([1.0, 2.0])
