"""What a clock allows, and what must be said about a trial."""

from __future__ import annotations

import pytest

from assay.model.metric import Direction, Measurement, Metric
from assay.report.doubts import worded
from assay.results.losses.figures import judge_clock, on_host_clock, steal_doubt
from tests.builders import clock_check

RATE = Measurement(Metric("rate", "MB/s", Direction.HIGHER), 100.0)
TIME = Measurement(Metric("time", "s", Direction.LOWER), 100.0)
COUNT = Measurement(Metric("count", "", Direction.HIGHER, timed=False), 100.0)


def test_the_controller_s_own_clock_changes_nothing() -> None:
    timing = judge_clock(None)
    assert (timing.rate, timing.doubts) == (1.0, ())


def test_an_error_below_what_is_known_is_not_corrected() -> None:
    timing = judge_clock(clock_check(1.00005, rate_uncertainty=1e-4))
    assert (timing.rate, timing.doubts) == (1.0, ())


def test_a_known_small_error_is_corrected_and_said() -> None:
    timing = judge_clock(clock_check(1.005))
    assert timing.rate == 1.005
    assert [doubt.code for doubt in timing.doubts] == ["clock-corrected"]
    assert "+0.500%" in worded(timing.doubts[0]).sentence


@pytest.mark.parametrize("rate", [1.02, 0.98, 2.5])
def test_a_clock_off_by_more_than_a_percent_bars_its_figures(rate: float) -> None:
    timing = judge_clock(clock_check(rate))
    assert timing.rate is None
    assert [doubt.code for doubt in timing.doubts] == ["clock-rate"]
    barred = on_host_clock((RATE, TIME, COUNT), timing)
    assert [figure.value for figure in barred] == [None, None, 100.0]


@pytest.mark.parametrize("rate", [1.0, 1.008, 0.995])
def test_a_rate_that_may_be_off_by_more_than_a_percent_bars_its_figures(rate: float) -> None:
    timing = judge_clock(clock_check(rate, rate_uncertainty=0.02))
    assert timing.rate is None
    assert [doubt.code for doubt in timing.doubts] == ["clock-rate-unknown"]


def test_an_offset_that_is_badly_known_bars_no_duration() -> None:
    timing = judge_clock(clock_check(1.0, uncertainty_s=0.3))
    assert (timing.rate, timing.doubts) == (1.0, ())


def test_a_clock_that_runs_fast_makes_times_too_long_and_rates_too_low() -> None:
    timing = judge_clock(clock_check(1.008))
    rate, time, count = on_host_clock((RATE, TIME, COUNT), timing)
    assert rate.value == pytest.approx(100.8)
    assert time.value == pytest.approx(100 / 1.008)
    assert count.value == 100.0


def test_what_was_not_measured_stays_so() -> None:
    assert on_host_clock((Measurement(RATE.metric, None),), judge_clock(None))[0].value is None


def test_steal_is_said_above_a_percent_of_the_cores_time() -> None:
    assert steal_doubt(0.05, 10.0, 1) == ()
    assert steal_doubt(None, 10.0, 1) == ()
    assert [doubt.code for doubt in steal_doubt(0.5, 10.0, 1)] == ["steal"]
