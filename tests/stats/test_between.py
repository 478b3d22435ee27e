"""What a total grew by between two moments, and what its samples leave open."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.stats.between import grown_between

AT = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
TOTAL = np.array([0.0, 1.0, 1.0, 5.0, 6.0])


def test_even_growth_is_taken_between_samples_and_the_bounds_are_those_of_the_samples_around() -> None:
    assert grown_between(AT, TOTAL, 0.5, 2.5) == pytest.approx((2.5, 0.0, 5.0))
    assert grown_between(AT, TOTAL, 1.0, 3.0) == pytest.approx((4.0, 4.0, 4.0))


def test_moments_that_are_known_badly_widen_the_bounds() -> None:
    assert grown_between(AT, TOTAL, 1.0, 3.0, known=0.1) == pytest.approx((4.0, 0.0, 6.0))


def test_what_was_not_told_around_both_moments_is_none() -> None:
    assert grown_between(AT, TOTAL, -0.1, 3.0) is None
    assert grown_between(AT, TOTAL, 1.0, 4.1) is None
    assert grown_between(AT, np.full(5, math.nan), 1.0, 2.0) is None
    assert grown_between(np.empty(0), np.empty(0), 1.0, 2.0) is None


@pytest.mark.parametrize("seed", range(20))
def test_the_bounds_hold_whatever_a_total_does_between_its_samples(seed: int) -> None:
    random = np.random.default_rng(seed)
    moments = np.cumsum(random.exponential(0.01, 2000))
    total = np.cumsum(random.exponential(1.0, 2000) * (random.random(2000) < 0.05))
    sampled = slice(None, None, 100)
    start, end = np.sort(random.uniform(moments[0], moments[1900], 2))
    truth = float(np.diff(total[np.searchsorted(moments, [start, end], side="right") - 1])[0])
    found = grown_between(moments[sampled], total[sampled], float(start), float(end))
    assert found is not None
    assert found[1] <= truth <= found[2]
    assert found[1] <= found[0] <= found[2]


def test_an_amount_that_falls_is_followed() -> None:
    assert grown_between(AT, -TOTAL, 0.5, 2.5) == pytest.approx((-2.5, -5.0, 0.0))
