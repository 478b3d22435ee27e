"""Ranks of the signed-rank interval against printed tables and the exact distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.stats.rank import (
    ALL_AVERAGES_TO,
    EXACT,
    EXACT_TO,
    NARROWED_FROM,
    NORMAL,
    QUANTILES,
    Averages,
    _all_formed,
    _narrowed,
    _near,
    hodges_lehmann,
    interval_rank,
    signed_rank_chances,
)

CRITICAL = {6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 12: 13, 15: 25, 20: 52, 25: 89, 30: 137, 40: 264, 50: 434}
"""Largest signed-rank sums that are significant at 5 %, two-sided.

Source: F. Wilcoxon, R. A. Wilcox, "Some Rapid Approximate Statistical Procedures" (1964), table 2.
"""


@pytest.mark.parametrize(("count", "critical"), CRITICAL.items())
def test_the_rank_is_one_beyond_the_critical_sum_of_the_tables(count: int, critical: int) -> None:
    assert interval_rank(count, 0.95) == (critical + 1, EXACT)


@pytest.mark.parametrize("count", range(1, 6))
def test_below_six_values_there_is_no_rank(count: int) -> None:
    assert interval_rank(count, 0.95) == (0, EXACT)


@pytest.mark.parametrize(("count", "confidence"), [(3, 0.75), (5, 0.9375), (7, 0.984375)])
def test_an_interval_with_the_very_confidence_is_taken(count: int, confidence: float) -> None:
    assert 1 - 2 / 2**count == confidence  # the whole range, exactly
    assert interval_rank(count, confidence)[0] == 1
    assert interval_rank(count, confidence + 1e-9)[0] == 0
    values = [float(at * at) for at in range(count)]
    found = hodges_lehmann(values, confidence)
    assert (found.low, found.high) == (values[0], values[-1])


@pytest.mark.parametrize("count", [201, 400])
@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95, 0.99])
def test_beyond_200_values_the_ranks_keep_the_confidence(count: int, confidence: float) -> None:
    rank, method = interval_rank(count, confidence)
    chances = signed_rank_chances(count)
    missed = 2 * float(chances[:rank].sum())
    assert (method, interval_rank(200, confidence)[1]) == (NORMAL, EXACT)
    assert 1 - missed == pytest.approx(confidence, abs=0.0003)


def test_the_normal_rank_of_201_values_is_the_one_worked_out_by_hand() -> None:
    # mean 201 * 202 / 4 = 10150.5; variance 201 * 202 * 403 / 24 = 681775.25, its root 825.697
    # 10150.5 - 1.959964 * 825.697 + 0.5 = 8532.66...
    assert interval_rank(201, 0.95) == (8532, NORMAL)
    spread = (201 * 202 * 403 / 24) ** 0.5
    assert int(201 * 202 / 4 - stats.norm.ppf(0.975) * spread + 0.5) == 8532


@pytest.mark.parametrize(
    ("values", "centre"),
    [
        ([7.0], 7.0),
        ([1.0, 4.0], 2.5),  # 1, 2.5, 4
        ([0.0, 1.0, 10.0], 3.0),  # 0, 0.5, 1, 5, 5.5, 10
        ([6.0, 1.0, 2.0, 4.0], 3.25),  # 1, 1.5, 2, 2.5, 3, 3.5, 4, 4, 5, 6
    ],
)
def test_the_centre_is_the_median_of_all_pairwise_averages(values: list[float], centre: float) -> None:
    assert hodges_lehmann(values).value == centre


def test_the_ends_of_ten_values_are_their_ninth_averages_from_either_end() -> None:
    values = [2.0**at for at in range(10)]
    walsh = sorted((a + b) / 2 for at, a in enumerate(values) for b in values[at:])
    found = hodges_lehmann(values, 0.95)
    assert (found.low, found.high, found.method) == (walsh[8], walsh[-9], EXACT)


@pytest.mark.parametrize(
    "values", [[3.0], [1.0, 2.0], [1.0, 2.0, 4.0, 8.0], [1.0, 1.0, 1.0], [-2.0, 0.0, 0.5, 0.5, 9.0]]
)
def test_averages_that_are_counted_are_those_that_are_formed(values: list[float]) -> None:
    walsh = sorted((a + b) / 2 for at, a in enumerate(values) for b in values[at:])
    found = [Averages(np.array(values)).of_rank(rank) for rank in range(1, len(walsh) + 1)]
    assert found == pytest.approx(walsh, rel=1e-14, abs=1e-300)


def test_neighbouring_doubles_are_counted_to_an_end() -> None:
    low, high = 1.0, math.nextafter(1.0, 2.0)
    assert Averages(np.array([low, high])).of_rank(1) == low
    assert Averages(np.array([low, high])).of_rank(3) == high


def test_the_limits_of_the_exact_distribution_and_of_formed_averages() -> None:
    assert (EXACT_TO, ALL_AVERAGES_TO) == (200, 1500)


VALUES = {
    "normal": lambda chance, count: chance.normal(0.1, 0.02, count),
    "heavy tails": lambda chance, count: chance.standard_cauchy(count),
    "two heaps": lambda chance, count: (chance.random(count) < 0.5) + chance.normal(0, 0.001, count),
    "ticks": lambda chance, count: chance.integers(0, 7, count) / 7,
    "zeros of both signs": lambda chance, count: chance.choice([-0.1, -0.0, 0.0, 0.1], count),
    "all alike": lambda _, count: np.full(count, 0.123),
    "far from zero": lambda chance, count: chance.normal(1e15, 1, count),
    "one outlier": lambda chance, count: np.append(chance.normal(0, 1, count - 1), 1e300),
}


@pytest.mark.parametrize("count", [NARROWED_FROM, NARROWED_FROM + 1, 777, ALL_AVERAGES_TO])
@pytest.mark.parametrize("kind", VALUES)
def test_averages_near_a_rank_are_those_of_all_averages_to_the_last_bit(kind: str, count: int) -> None:
    ordered = np.sort(VALUES[kind](np.random.default_rng(count), count))
    averages = count * (count + 1) // 2
    places = [0, 1, averages // 50, averages // 3, averages // 2, averages - averages // 50, averages - 1]
    near, formed = _narrowed(ordered, places), _all_formed(ordered, places)
    assert [math.copysign(1, near[at]) for at in places] == [math.copysign(1, formed[at]) for at in places]
    assert [near[at] for at in places] == [formed[at] for at in places]


def test_only_the_averages_near_a_rank_are_formed() -> None:
    ordered = np.sort(np.random.default_rng(1).normal(0.1, 0.02, 1000))
    some = ordered[np.linspace(0, 999, QUANTILES).round().astype(int)]
    first, second = np.triu_indices(QUANTILES)
    guesses = np.sort((some[first] + some[second]) / 2)
    assert all(_near(ordered, guesses, place) is not None for place in (0, 240_000, 250_249, 500_499))


@pytest.mark.parametrize("confidence", [0.8, 0.95, 1 - 0.05 / 11, 0.9999])
def test_ranks_of_many_values_are_those_of_the_normal_quantile(confidence: float) -> None:
    for count in (201, 1000, 12_345, 500_000):
        spread = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        rank = count * (count + 1) / 4 + stats.norm.ppf((1 - confidence) / 2) * spread
        assert interval_rank(count, confidence)[0] == math.floor(rank + 0.5)
