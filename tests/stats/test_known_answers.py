"""The methods against other ways to the same number: brute force, scipy, numerical inversion."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from assay.stats.fieller import ratio_of_totals
from assay.stats.mean import student
from assay.stats.rank import hodges_lehmann, interval_rank, signed_rank_chances
from assay.stats.sequence import confidence_sequence, e_value, mixture, reach


def signed_rank_p(values: np.ndarray, centre: float) -> float:
    """Two-sided p value of the signed-rank test, by all assignments of signs."""
    ranks = stats.rankdata(np.abs(values - centre))
    seen = ranks[values > centre].sum()
    sums = np.array([np.dot(signs, ranks) for signs in product((0, 1), repeat=len(values))])
    return min(1.0, 2 * min((sums <= seen + 1e-9).mean(), (sums >= seen - 1e-9).mean()))


@pytest.mark.parametrize("count", [6, 7, 9, 10])
def test_hodges_lehmann_is_the_inversion_of_the_signed_rank_test(count: int) -> None:
    values = np.random.default_rng(count).exponential(1.0, count)
    found = hodges_lehmann(values.tolist(), 0.95)
    step = 1e-7
    assert signed_rank_p(values, found.low + step) > 0.05 >= signed_rank_p(values, found.low - step)
    assert signed_rank_p(values, found.high - step) > 0.05 >= signed_rank_p(values, found.high + step)
    walsh = [(a + b) / 2 for i, a in enumerate(values) for b in values[i:]]
    assert found.value == pytest.approx(float(np.median(walsh)), rel=1e-15)


def test_below_six_values_no_rank_interval_of_95_percent_exists() -> None:
    assert not hodges_lehmann([1.0, 2.0, 3.0, 4.0, 5.0], 0.95).finite
    assert signed_rank_p(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 0.0) > 0.05


@pytest.mark.parametrize("count", [1, 4, 11])
def test_the_signed_rank_distribution_is_that_of_all_signs(count: int) -> None:
    ranks = np.arange(1, count + 1)
    sums = [int(np.dot(signs, ranks)) for signs in product((0, 1), repeat=count)]
    counted = np.bincount(sums, minlength=count * (count + 1) // 2 + 1) / 2**count
    assert signed_rank_chances(count) == pytest.approx(counted, abs=1e-15)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_students_interval_is_that_of_scipy(confidence: float) -> None:
    values = np.random.default_rng(3).normal(0.03, 0.01, 9)
    found = student(values.tolist(), confidence)
    truth = stats.ttest_1samp(values, 0.0).confidence_interval(confidence)
    assert (found.low, found.high) == pytest.approx((truth.low, truth.high), rel=1e-12)


def test_fieller_of_proportional_totals_is_a_point() -> None:
    baseline = [3.0, 5.0, 4.0]
    found = ratio_of_totals([2 * value for value in baseline], baseline)
    assert (found.low, found.value, found.high) == (2.0, 2.0, 2.0)


def test_fieller_holds_the_ratios_that_a_paired_t_test_does_not_refuse() -> None:
    draw = np.random.default_rng(5)
    baseline = draw.normal(100, 4, 8)
    treatment = 1.1 * baseline + draw.normal(0, 2, 8)
    found = ratio_of_totals(treatment.tolist(), baseline.tolist())
    for end in (found.low, found.high):
        assert stats.ttest_1samp(treatment - end * baseline, 0.0).pvalue == pytest.approx(0.05, abs=1e-9)


def test_a_baseline_that_may_be_nothing_has_no_ratio() -> None:
    assert not ratio_of_totals([1.0, 2.0], [1.0, -0.9]).finite


def integrated_e_value(values: np.ndarray, mean: float, confidence: float) -> float:
    """The likelihood of t under all effects, weighted by the mixture, over that under none."""
    count = len(values)
    t = math.sqrt(count) * (values.mean() - mean) / values.std(ddof=1)
    effects = np.linspace(-9, 9, 4001) * math.sqrt(mixture(confidence))
    weights = stats.norm.pdf(effects, scale=math.sqrt(mixture(confidence)))
    chances = stats.nct.pdf(t, count - 1, effects * math.sqrt(count))
    return float(np.trapezoid(weights * chances, effects) / stats.t.pdf(t, count - 1))


@pytest.mark.parametrize("count", [2, 6, 15])
def test_the_e_value_is_the_mixture_of_likelihood_ratios_of_t(count: int) -> None:
    values = np.random.default_rng(count).normal(0.4, 1.0, count)
    found = e_value(values.tolist(), 0.1)
    assert found == pytest.approx(integrated_e_value(values, 0.1, 0.95), rel=1e-5)


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_confidence_sequence_is_the_inversion_of_the_e_value(confidence: float) -> None:
    values = np.random.default_rng(8).normal(1.0, 2.0, 17)
    low, high = confidence_sequence(values.tolist(), confidence)

    def excess(mean: float) -> float:
        return math.log(e_value(values.tolist(), mean, confidence=confidence) * (1 - confidence))

    centre = float(values.mean())
    assert low == pytest.approx(optimize.brentq(excess, centre - 50, centre), rel=1e-9)
    assert high == pytest.approx(optimize.brentq(excess, centre, centre + 50), rel=1e-9)


def test_the_sequence_is_infinite_below_six_blocks_and_finite_from_then_on() -> None:
    assert all(math.isinf(reach(count, 0.95)) for count in range(2, 6))
    assert all(math.isfinite(reach(count, 0.95)) for count in range(6, 60))


def test_the_e_value_has_mean_1_where_nothing_differs() -> None:
    draw = np.random.default_rng(17)
    found = [e_value(draw.normal(0, 3.0, 6).tolist()) for _ in range(20_000)]
    error = np.std(found) / math.sqrt(len(found))
    assert np.mean(found) == pytest.approx(1.0, abs=3 * error)
    assert error < 0.05


def test_of_150_looks_at_normal_blocks_all_hold_the_truth_in_95_percent_of_paths() -> None:
    draw = np.random.default_rng(23)
    wide = np.array([reach(count, 0.95) for count in range(6, 151)])
    values = draw.normal(size=(3000, 150))
    counts = np.arange(1, 151)
    means = np.cumsum(values, axis=1) / counts
    squares = np.cumsum(values**2, axis=1) - counts * means**2
    errors = np.sqrt(squares[:, 5:] / (counts * (counts - 1.0))[5:])
    missed = (np.abs(means[:, 5:]) > wide * errors).any(axis=1).mean()
    assert missed <= 0.05


@pytest.mark.parametrize("count", [1500, 1501, 1600, 3000])
def test_turning_every_sign_turns_the_centre_and_its_interval_exactly(count: int) -> None:
    values = np.random.default_rng(count).normal(0.03, 0.02, count)
    one, other = hodges_lehmann(values.tolist()), hodges_lehmann((-values).tolist())
    assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)
    rank = interval_rank(count, 0.95)[0]
    first, second = np.triu_indices(count)
    walsh = np.sort((values[first] + values[second]) / 2)
    assert one.value == pytest.approx(float(np.median(walsh)), rel=1e-14)
    assert (one.low, one.high) == pytest.approx((walsh[rank - 1], walsh[-rank]), rel=1e-14)
