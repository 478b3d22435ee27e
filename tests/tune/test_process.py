"""What evaluations say of a large space: a Gaussian process."""

from __future__ import annotations

import numpy as np
import pytest

from assay.tune.batches import next_batch, tell_batch
from assay.tune.coding import coding_of
from assay.tune.model import Evaluations
from assay.tune.outcome import both
from assay.tune.process import (
    MOST_TOLD,
    ProcessScales,
    _at_first,
    _Parts,
    _scales,
    _unlikely,
    fit_process,
    nothing_known_of,
)
from assay.tune.search import Search, Wanted
from assay.tune.space import MOST_CONFIGS, Configs
from tests.tune.landscapes import added, run, space_of

SMALL = space_of((2, 3, 4, 2, 5))
LARGE = space_of((3,) * 20)


def drawn(count: int, seed: int = 1) -> Configs:
    rng = np.random.default_rng(seed)
    return rng.integers(0, SMALL.counts, (count, len(SMALL.counts))).astype(np.int16)


def told(configs: Configs, values: np.ndarray, low: int = 0) -> Evaluations:
    return Evaluations(configs, values, (np.arange(len(values)) < low).astype(int))


def test_the_slope_of_how_likely_scales_are_is_its_difference() -> None:
    """Checked against differences of the value itself, by each scale."""
    rng, configs = np.random.default_rng(2), drawn(30)
    parts = _Parts(SMALL, configs, (np.arange(30) < 10).astype(int))
    values, counts = rng.normal(0, 0.1, 30), rng.uniform(0.3, 1.2, 30)
    logs = _at_first(5).logs() + rng.normal(0, 0.5, 9)
    _, slope = _unlikely(logs, parts, values, counts)
    for at in range(len(logs)):
        step = np.zeros(len(logs))
        step[at] = 1e-4
        ends = [_unlikely(logs + sign * step, parts, values, counts)[0] for sign in (1, -1)]
        assert slope[at] == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-3, abs=0.01)


def test_scales_are_their_logarithms_again() -> None:
    scales = ProcessScales(np.array([0.1, 0.2]), 0.3, 0.02, 0.003, 0.05)
    again = _scales(scales.logs())
    assert again.weights == pytest.approx(scales.weights)
    assert (again.size, again.noise, again.drift, again.low) == pytest.approx((0.3, 0.02, 0.003, 0.05))


def test_before_anything_is_evaluated_all_is_alike_unknown() -> None:
    known, configs = nothing_known_of(SMALL), drawn(6)
    assert known.expected(configs) == pytest.approx(np.zeros(6))
    assert known.spread(configs) == pytest.approx(np.full(6, known.scales.size**2))
    assert known.contrast(configs[:1], configs[:1]) == (0.0, 0.0)


def test_what_was_evaluated_is_known_and_its_neighbour_better_than_what_is_far() -> None:
    configs = drawn(40)
    values = 0.2 * (configs[:, 1] == 2) + np.random.default_rng(3).normal(0, 0.01, 40)
    known = fit_process(SMALL, told(configs, values))
    gain, error = known.contrast(*both((0, 2, 0, 0, 0), (0, 0, 0, 0, 0)))
    assert gain == pytest.approx(0.2, abs=4 * error)
    assert 0 < error < 0.05
    assert known.scales.weights.argmax() == 1
    spread = known.spread(configs)
    assert spread.max() < known.scales.size**2
    whole = known.covariance(configs, configs)
    assert np.diag(whole) == pytest.approx(spread, abs=1e-9)
    assert known.errors(configs, configs[:1])[0] == pytest.approx(0.0, abs=1e-6)


def test_two_changes_that_pay_only_together_are_known() -> None:
    configs = drawn(120)
    values = -0.3 * ((configs[:, 0] == 1) & (configs[:, 3] == 1))
    values = values + np.random.default_rng(4).normal(0, 0.01, 120)
    known = fit_process(SMALL, told(configs, values))
    together, error = known.contrast(*both((1, 0, 0, 1, 0), (0, 0, 0, 0, 0)))
    alone, _ = known.contrast(*both((1, 0, 0, 0, 0), (0, 0, 0, 0, 0)))
    assert together == pytest.approx(-0.3, abs=4 * error + 0.02)
    assert abs(alone) < 0.05


def test_an_outlier_counts_little() -> None:
    configs = drawn(60)
    values = np.random.default_rng(5).normal(0, 0.01, 60)
    values[7] = 0.6
    at = configs[7:8]
    assert abs(float(fit_process(SMALL, told(configs, values)).expected(at)[0])) < 0.1


def test_a_drift_is_no_effect() -> None:
    configs = drawn(80)
    order = np.argsort(configs[:, 0], kind="stable")  # the later half has the other level
    values = 0.3 * np.linspace(0, 1, 80) + np.random.default_rng(6).normal(0, 0.005, 80)
    known = fit_process(SMALL, told(configs[order], values))
    apart, error = known.contrast(*both((1, 0, 0, 0, 0), (0, 0, 0, 0, 0)))
    assert abs(apart) < max(0.08, 3 * error)


def test_what_low_fidelities_add_is_no_effect() -> None:
    configs = drawn(60)
    values = 0.2 * (configs[:, 2] == 3) + np.random.default_rng(7).normal(0, 0.01, 60)
    values[:40] -= 2.3
    known = fit_process(SMALL, told(configs, values, low=40))
    gain, error = known.contrast(*both((0, 0, 3, 0, 0), (0, 0, 0, 0, 0)))
    assert gain == pytest.approx(0.2, abs=4 * error + 0.02)


def test_draws_are_of_what_may_be_best_and_scatter_as_is_known() -> None:
    configs = SMALL.candidates(np.random.default_rng(0))
    some = configs[:: max(1, len(configs) // 40)]
    known = fit_process(SMALL, told(some, 0.2 * (some[:, 1] == 2)))
    draws = known.draws(configs, 400, np.random.default_rng(1))
    assert draws.shape == (400, len(configs))
    finite = np.isfinite(draws[0])
    assert finite[int(known.expected(configs).argmin())]
    assert draws[:, finite].mean(axis=0) == pytest.approx(known.expected(configs)[finite], abs=0.05)
    assert draws[:, finite].std(axis=0) == pytest.approx(np.sqrt(known.spread(configs)[finite]), abs=0.02)


def test_of_very_many_evaluations_the_newest_count() -> None:
    configs = drawn(MOST_TOLD + 50)
    values = np.zeros(len(configs))
    values[:50] = 5.0
    known = fit_process(SMALL, told(configs, values), learn=False)
    assert abs(float(known.expected(configs[:1])[0])) < 0.01


def test_a_large_space_is_searched_by_it() -> None:
    assert not coding_of(LARGE).has_all_pairs
    assert LARGE.size > MOST_CONFIGS
    search = Search(LARGE, Wanted(60, confirm=False), seed=1)
    outcome = run(search, added({(0, 1): -0.4, (7, 2): -0.4}), noise=0.01)
    assert (outcome.config[0], outcome.config[7]) == (1, 2)
    assert {at for one in outcome.effects if len(one.factors) == 1 for at in one.factors} >= {0, 7}
    assert outcome.low < 1 - np.exp(-0.8) < outcome.high


def test_the_same_seed_and_answers_give_the_same_questions() -> None:
    one, other = (Search(LARGE, Wanted(30), seed=4) for _ in range(2))
    for search in (one, other):
        run(search, added({(3, 1): -0.2}), noise=0.02)
    assert [told.ask for told in one.told] == [told.ask for told in other.told]


def test_steps_of_several_are_of_different_configurations() -> None:
    search = Search(LARGE, Wanted(60), seed=2)
    first = next_batch(search, 7)
    assert len(set(first)) == 7
    default = LARGE.default
    tell_batch(search, [(config, 10.0 + config[0]) for config in (default, *first)])
    for _ in range(3):
        batch = next_batch(search, 7)
        assert len(set(batch)) == len(batch) == 7
        assert default not in batch
        tell_batch(search, [(config, 10.0 + config[0]) for config in (default, *batch)])
