"""Clocks: judged before a trial where they can be, and by the rate alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assay.activities.clocks import ClockError, clock_is_off, require_clock
from assay.activities.trials import trial
from assay.activities.trials.trial import clock_over
from assay.model.machines.clock import ClockReading
from tests.activities.jobs import Jobs, S, visit_of


def reading(here_s: float, rate: float = 1.0, trip_s: float = 0.001) -> ClockReading:
    return ClockReading(round(here_s * S), round(here_s * rate * S), 0.0, trip_s / 2)


def visit(*readings: ClockReading, first: ClockReading | None = None) -> object:
    return visit_of(Jobs(clocks=readings), own_clock=True, first_clock=first)


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (reading(1), None),
        (reading(1, 1.009), None),
        (reading(1, 1.012), "its clock ran +1.2% off the host's"),
        (reading(1, 2.6), "its clock ran +160.0% off the host's"),
        (reading(1, 0.5), "its clock ran -50.0% off the host's"),
        (reading(0.01, 1.05), None),  # not known well enough over 10 ms
        (reading(0), None),
    ],
)
def test_a_guests_clock_is_seen_to_be_off_where_it_is_known(now: ClockReading, why: str | None) -> None:
    assert clock_is_off(visit(now, first=reading(0))) == why  # type: ignore[arg-type]


def test_a_clock_that_is_the_controllers_own_is_never_off() -> None:
    assert clock_is_off(visit_of(Jobs())) is None
    require_clock(visit_of(Jobs()))


def test_a_machine_that_answers_too_late_is_refused_before_a_trial() -> None:
    require_clock(visit(reading(0, trip_s=0.6)))  # type: ignore[arg-type]
    with pytest.raises(ClockError, match=r"cannot measure local: it answers after 700 ms.*at most 600 ms"):
        require_clock(visit(reading(0, trip_s=0.7)))  # type: ignore[arg-type]


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr(trial.time, "sleep", slept.append)
    return slept


def over(
    slept: Sequence[float], *readings: ClockReading, first: ClockReading | None = None
) -> tuple[float, float]:
    before, *after = readings
    check = clock_over(visit(*after, first=first), before)  # type: ignore[arg-type]
    assert check is not None
    return check.rate, check.rate_uncertainty


def test_a_short_way_needs_no_longer_time(slept: list[float]) -> None:
    rate, known = over(slept, reading(10), reading(11, 1.0), first=reading(0, trip_s=1.0))
    assert (rate, known, slept) == (1.0, pytest.approx(0.001), [])


def test_a_long_way_takes_the_rate_since_the_first_reading(slept: list[float]) -> None:
    way = 0.2
    rate, known = over(slept, reading(99, trip_s=way), reading(100, trip_s=way), first=reading(0, trip_s=way))
    assert (rate, known, slept) == (1.0, pytest.approx(0.002), [])


def test_the_first_trial_waits_until_the_rate_is_known(slept: list[float]) -> None:
    way = 0.06
    rate, known = over(slept, reading(0, trip_s=way), reading(1, trip_s=way), reading(20, trip_s=way))
    assert slept == [pytest.approx(19.0)]
    assert (rate, known) == (1.0, pytest.approx(0.003))


def test_it_waits_no_longer_than_a_minute(slept: list[float]) -> None:
    over(slept, reading(0, trip_s=1), reading(1, trip_s=1), reading(61, trip_s=1))
    assert slept == [60.0]
