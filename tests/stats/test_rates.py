"""Rates from totals: nothing is lost by thinning, and absence stays absence."""

from __future__ import annotations

import numpy as np

from assay.stats.rates import (
    between_known,
    range_around,
    step_peaks,
    step_range,
    step_rates,
    steps,
    totals_at,
)


def test_few_samples_are_all_kept_and_many_are_thinned_with_both_ends() -> None:
    assert steps(5, 240).tolist() == [0, 1, 2, 3, 4]
    bounds = steps(36_001, 240)
    assert (len(bounds), bounds[0], bounds[-1]) == (241, 0, 36_000)
    assert steps(1, 240).tolist() == []


def test_thinned_rates_add_up_to_the_whole_growth() -> None:
    draw = np.random.default_rng(7)
    seconds = np.cumsum(draw.uniform(0.05, 0.2, 5000))
    totals = np.cumsum(draw.exponential(3.0, 5000))
    bounds = steps(5000, 100)
    rates = step_rates(seconds, totals, bounds)
    assert len(rates) == 100
    assert np.isclose((rates * np.diff(seconds[bounds])).sum(), totals[-1] - totals[0], rtol=1e-12)


def test_a_total_that_is_unknown_or_went_down_has_no_rate() -> None:
    rates = step_rates(np.arange(5.0), np.array([0.0, 2.0, np.nan, 3.0, 1.0]), steps(5, 10))
    assert rates[0] == 2.0
    assert np.isnan(rates[1:]).all()


def test_the_peak_of_a_step_is_its_largest_known_value() -> None:
    values = np.array([1.0, 9.0, 2.0, np.nan, np.nan])
    assert step_peaks(values, np.array([0, 2, 4])).tolist() == [9.0, 2.0]
    assert np.isnan(step_peaks(values[3:], np.array([0, 1]))).all()


def test_the_range_of_a_step_has_its_smallest_and_largest_known_value() -> None:
    values = np.array([1.0, 9.0, np.nan, 2.0, np.nan, np.nan, 5.0])
    least, most = step_range(values, np.array([0, 3, 4, 6]))
    np.testing.assert_array_equal(least, [1.0, 2.0, np.nan, 5.0])
    np.testing.assert_array_equal(most, [9.0, 2.0, np.nan, 5.0])
    assert [len(end) for end in step_range(np.empty(0), np.arange(0))] == [0, 0]


def test_a_range_of_what_was_told_at_other_times_is_of_all_that_lies_in_the_step() -> None:
    moments, values = np.arange(6.0), np.array([1.0, 7.0, 2.0, np.nan, 3.0])
    least, most = range_around(moments, values, np.array([-2.0, -1.0, 0.5, 2.0, 3.5, 9.0, 10.0]))
    np.testing.assert_array_equal(least, [np.nan, 1.0, 1.0, 2.0, 3.0, np.nan])
    np.testing.assert_array_equal(most, [np.nan, 1.0, 7.0, 2.0, 3.0, np.nan])


def test_a_total_told_at_other_times_is_the_last_one_told() -> None:
    reported = totals_at(np.array([1.0, 1.0, 2.5]), np.array([1.0, 2.0, 7.0]), np.array([0.0, 1.0, 2.0, 3.0]))
    assert reported.tolist() == [0.0, 2.0, 2.0, 7.0]


def test_a_total_that_was_not_read_in_each_sample_grows_evenly_between_those_that_have_it() -> None:
    nan = np.nan
    seconds, totals = np.arange(7.0), np.array([nan, 2.0, nan, nan, 8.0, 9.0, nan])
    found = between_known(seconds, totals)
    np.testing.assert_array_equal(found, [nan, 2.0, 4.0, 6.0, 8.0, 9.0, nan])
    whole = np.array([1.0, 2.0, 3.0])
    assert between_known(seconds[:3], whole) is whole
    unknown = np.full(3, nan)
    assert between_known(seconds[:3], unknown) is unknown
