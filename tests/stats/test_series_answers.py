"""Totals over time and the sequence, by hand and against scipy."""

from __future__ import annotations

import math
from statistics import fmean

import numpy as np
import pytest

from assay.stats.between import grown_between
from assay.stats.rates import step_peaks, step_rates, steps, totals_at
from assay.stats.verdicts.sequence import (
    METHOD,
    SHARE,
    STAKES,
    TIGHTEST_AT,
    VARIANCE,
    Evidence,
    _scores,
    confidence_sequence,
    reach,
    refutable,
)

AT = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
TOTAL = np.array([0.0, 1.0, 1.0, 5.0, 6.0])


@pytest.mark.parametrize(
    ("start", "end", "known", "grown"),
    [
        (0.0, 4.0, 0.0, (6.0, 6.0, 6.0)),
        (0.0, 4.0, 1e-9, None),
        (1e-9, 4.0, 0.0, (6.0, 5.0, 6.0)),
        (0.0, 4.0 - 1e-9, 0.0, (6.0, 5.0, 6.0)),
        (-1e-9, 4.0, 0.0, None),
        (0.0, 4.0 + 1e-9, 0.0, None),
        (2.0, 2.0, 0.0, (0.0, 0.0, 0.0)),
        (2.5, 2.5, 0.0, (0.0, -4.0, 4.0)),
        (1.5, 2.75, 0.5, (3.0, 0.0, 5.0)),
    ],
)
def test_growth_between_moments_at_its_limits(
    start: float, end: float, known: float, grown: tuple[float, float, float] | None
) -> None:
    found = grown_between(AT, TOTAL, start, end, known=known)
    assert found == (None if grown is None else pytest.approx(grown, abs=1e-8))


def test_growth_passes_over_what_was_not_told() -> None:
    reported = np.array([math.nan, 1.0, math.nan, 5.0, math.nan])
    assert grown_between(AT, reported, 1.0, 2.0) == pytest.approx((2.0, 0.0, 4.0))
    assert grown_between(AT, reported, 0.5, 2.0) is None
    assert grown_between(AT, reported, 1.0, 3.5) is None


@pytest.mark.parametrize(
    ("count", "most", "places"),
    [
        (0, 5, []),
        (1, 5, []),
        (2, 5, [0, 1]),
        (6, 5, [0, 1, 2, 3, 4, 5]),
        (7, 3, [0, 2, 4, 6]),
        (7, 1, [0, 6]),
    ],
)
def test_the_bounds_of_steps(count: int, most: int, places: list[int]) -> None:
    found = steps(count, most)
    assert found.tolist() == places
    assert found.dtype == np.intp


def test_rates_by_hand() -> None:
    seconds, totals = np.array([0.0, 2.0, 2.0, 3.0, 5.0]), np.array([1.0, 5.0, 6.0, 6.0, 5.0])
    found = step_rates(seconds, totals, np.array([0, 1, 2, 3, 4]))
    assert found[[0, 2]].tolist() == [2.0, 0.0]
    assert np.isnan(found[[1, 3]]).all()  # no time passed; the total went down


def test_peaks_by_hand() -> None:
    values = np.array([1.0, 5.0, 2.0, 7.0, math.nan])
    assert step_peaks(values, np.array([0, 1, 3, 4])).tolist() == [5.0, 7.0, 7.0]
    assert step_peaks(values, np.array([0])).tolist() == []
    assert step_peaks(-values, np.array([1, 2, 4])).tolist() == [-2.0, -2.0]


def test_totals_at_moments_by_hand() -> None:
    found = totals_at(np.array([1.0, 2.0]), np.array([10.0, 30.0]), np.array([0.9, 1.0, 1.9, 2.0, 9.0]))
    assert found.tolist() == [0.0, 10.0, 10.0, 30.0, 30.0]


def test_the_mixture_by_hand() -> None:
    assert (TIGHTEST_AT, SHARE, STAKES) == (8, 0.5, (0.15, 0.3, 0.6, 0.9))
    assert METHOD == "confidence sequence of t and signed ranks, looked at after every block"
    alarm = 2 * math.log(20)  # at 95 %: 5.991465
    assert pytest.approx((alarm + math.log(alarm) + 1) / 8) == VARIANCE
    assert pytest.approx((5.991465 + 1.790336 + 1) / 8, abs=1e-6) == VARIANCE


@pytest.mark.parametrize(("count", "confidence"), [(6, 0.95), (20, 0.95), (20, 0.9), (300, 0.99)])
def test_at_the_reach_the_share_of_the_likelihood_ratio_is_the_alarm(count: int, confidence: float) -> None:
    grown = 1 + count * VARIANCE
    t_squared = reach(count, confidence) ** 2 / (count - 1)
    ratio = ((1 + t_squared) / (1 + t_squared / grown)) ** (count / 2) / math.sqrt(grown)
    assert ratio / 2 == pytest.approx(1 / (1 - confidence), rel=1e-9)


@pytest.mark.parametrize("values", [[], [0.1], [0.1, 0.1], [0.1] * 4, [0.1, 0.2]])
def test_too_few_values_have_no_sequence(values: list[float]) -> None:
    assert confidence_sequence(values) == (-math.inf, math.inf)


def test_values_that_agree_have_a_sequence_of_no_width_from_five_on() -> None:
    assert confidence_sequence([0.1] * 5) == (0.1, 0.1)
    assert [refutable(count) for count in (0, 1, 4, 5, 6)] == [False, False, False, True, True]


def test_95_percent_is_the_confidence_that_is_not_named() -> None:
    values = [0.1, 0.3, 0.2, 0.6, 0.1, 0.2, 0.7]
    assert confidence_sequence(values) == confidence_sequence(values, 0.95)
    low, high = confidence_sequence(values, 0.9)
    assert confidence_sequence(values)[0] < low < high < confidence_sequence(values)[1]


def test_the_evidence_by_hand() -> None:
    values = [0.0, 0.2, 0.4, 0.6]
    grown = 1 + 4 * VARIANCE
    # against 0: t^2 = 4 * 0.09 / 0.0666667 = 5.4, over three degrees of freedom 1.8
    by_t = (2.8 / (1 + 1.8 / grown)) ** 2 / math.sqrt(grown)
    # 0.0 tells of neither side; the others are the farthest so far: ranks 2 of 2, 3 of 3, 4 of 4
    by_rank = fmean((1 + stake) ** 3 for one in STAKES for stake in (one, -one))
    assert math.exp(Evidence(values).at(0.0)) == pytest.approx((by_t + by_rank) / 2)
    assert Evidence([0.1]).at(0.0) == 0.0
    # ranks of the distances 0.3, 0.1, 0.11 and 0.29 from 0.3: 1 of 1, 1 of 2, 2 of 3, 3 of 4
    scores = (-1.0, -0.75, 1 / 2 * (1 + 2 / 3), 1 / 2 * (1 + 3 / 4))
    assert _scores([0.0, 0.2, 0.41, 0.59], 0.3) == pytest.approx(scores)
    assert _scores([0.0, 0.2, 0.41, 0.59], 0.3, whole=True) == pytest.approx((-1.0, -0.625, 0.75, 0.875))
