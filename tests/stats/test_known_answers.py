"""The methods against other ways to the same number: brute force, scipy, numerical inversion."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from assay.stats.fieller import ratio_of_totals
from assay.stats.mean import student
from assay.stats.rank import hodges_lehmann, interval_rank, signed_rank_chances
from assay.stats.verdicts.sequence import (
    SHARE,
    STAKES,
    VARIANCE,
    Evidence,
    confidence_sequence,
    ever_refuted,
    evidence_path,
    reach,
)


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


def integrated_e_value(values: np.ndarray, mean: float) -> float:
    """The likelihood of t under all effects, weighted by the mixture, over that under none."""
    count = len(values)
    t = math.sqrt(count) * (values.mean() - mean) / values.std(ddof=1)
    effects = np.linspace(-9, 9, 4001) * math.sqrt(VARIANCE)
    weights = stats.norm.pdf(effects, scale=math.sqrt(VARIANCE))
    chances = stats.nct.pdf(t, count - 1, effects * math.sqrt(count))
    return float(np.trapezoid(weights * chances, effects) / stats.t.pdf(t, count - 1))


def capital(values: np.ndarray, centre: float) -> float:
    """What a unit of capital has become, averaged over the stakes on either side, bet by bet."""
    grown = []
    for stake in (*STAKES, *(-stake for stake in STAKES)):
        held = 1.0
        for at in range(1, len(values) + 1):
            away = values[:at] - centre
            rank = 1 + (np.abs(away[:-1]) < abs(away[-1])).sum()
            held *= 1 + stake * np.sign(away[-1]) * (1 + rank / at) / 2
        grown.append(held)
    return float(np.mean(grown))


@pytest.mark.parametrize("count", [2, 6, 15])
def test_the_evidence_is_the_average_of_both_parts(count: int) -> None:
    values = np.random.default_rng(count).normal(0.4, 1.0, count)
    wanted = SHARE * integrated_e_value(values, 0.1) + (1 - SHARE) * capital(values, 0.1)
    assert math.exp(Evidence(values.tolist()).at(0.1)) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_path_is_the_evidence_after_each_value(seed: int) -> None:
    values = np.random.default_rng(seed).normal(0.3, 1.0, 25).tolist()
    wanted = [Evidence(values[:count]).at(0.1) for count in range(1, 26)]
    assert evidence_path(values, 0.1) == pytest.approx(wanted, abs=1e-10)
    assert ever_refuted(values, 0.1) == (max(wanted) >= math.log(20))


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_at_the_ends_of_the_sequence_the_evidence_is_enough(confidence: float) -> None:
    values = np.random.default_rng(8).normal(1.0, 2.0, 17).tolist()
    low, high = confidence_sequence(values, confidence)
    enough = -math.log(1 - confidence)
    for end, outwards in ((low, -1e-6), (high, 1e-6)):
        assert Evidence(values).at(end) < enough <= Evidence(values).at(end + outwards)
    beyond = [*np.linspace(low - 20, low - 1e-6, 50), *np.linspace(high + 1e-6, high + 20, 50)]
    assert all(Evidence(values).at(centre) >= enough for centre in beyond)


def test_the_sequence_is_infinite_below_five_blocks_and_finite_from_then_on() -> None:
    draw = np.random.default_rng(5)
    for count in range(2, 60):
        low, high = confidence_sequence(draw.normal(0, 1, count).tolist())
        assert math.isfinite(low) == math.isfinite(high)
        assert math.isfinite(high) == (count > 4)
    assert all(math.isinf(reach(count, 0.95)) for count in range(2, 5))
    assert all(math.isfinite(reach(count, 0.95)) for count in range(5, 60))


@pytest.mark.parametrize("count", [8, 30])
def test_by_t_alone_the_sequence_is_about_as_wide_and_never_narrower(count: int) -> None:
    values = np.random.default_rng(count).normal(0.1, 1.0, count)
    half = reach(count, 0.95) * values.std(ddof=1) / math.sqrt(count)
    low, high = confidence_sequence(values.tolist())
    assert 0.5 * half < (high - low) / 2 <= half


def outlying(draw: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Normal values of which one in ten lies far off on either side."""
    return draw.normal(size=shape) + (draw.random(shape) < 0.1) * draw.normal(0, 30, shape)


@pytest.mark.parametrize("kind", ["normal", "outliers"])
def test_the_evidence_has_mean_1_at_most_where_nothing_differs(kind: str) -> None:
    draw = np.random.default_rng(17)
    values = draw.normal(0, 3.0, (20_000, 6)) if kind == "normal" else outlying(draw, (20_000, 6))
    found = np.exp([Evidence(row).at(0.0) for row in values.tolist()])
    error = np.std(found) / math.sqrt(len(found))
    assert np.mean(found) <= 1.0 + 3 * error
    assert kind == "outliers" or np.mean(found) == pytest.approx(1.0, abs=3 * error)
    assert error < 0.05


@pytest.mark.parametrize("kind", ["normal", "outliers"])
def test_of_150_looks_at_blocks_all_hold_the_truth_in_95_percent_of_paths(kind: str) -> None:
    draw = np.random.default_rng(23)
    values = draw.normal(size=(1500, 150)) if kind == "normal" else outlying(draw, (1500, 150))
    assert np.mean([ever_refuted(row) for row in values.tolist()]) <= 0.05


def test_outliers_do_not_starve_the_sequence() -> None:
    draw = np.random.default_rng(4)
    values = 0.03 + draw.normal(0, 0.012, 40)
    values[[5, 11, 23]] += [0.26, -0.26, 0.26]
    assert reach(40, 0.95) * values.std(ddof=1) / math.sqrt(40) > values.mean()
    assert confidence_sequence(values.tolist())[0] > 0.015


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
