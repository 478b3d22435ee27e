"""The end of a job's initialization, in CPU time that was made up."""

from __future__ import annotations

import random
from itertools import accumulate

import pytest

from assay.stats.startup import FEWEST, startup


def found(rates: list[float], interval: float = 10.0) -> float | None:
    """Return what is found of a job that uses so many CPU seconds a second in each interval."""
    moments = [interval * (at + 1) for at in range(len(rates))]
    return startup(moments, [*accumulate(rate * interval for rate in rates)])


@pytest.mark.parametrize(
    ("rates", "end"),
    [
        ([0.2] * 5 + [1.0] * 20, 50.0),
        ([1.0] + [0.1] * 5 + [1.0] * 20, 60.0),  # its programs are loaded at first
        ([0.1] * 20 + [8.0] * 5, 200.0),  # most of its time
        ([0.2] * 5 + [1.0] * 20 + [0.1] * 8, 50.0),  # results are written
        ([1.0] * 5 + [8.0] * 20, 50.0),  # on one of eight cores
        ([0.0] * 3 + [0.5, 0.4, 0.6] * 8, 30.0),
    ],
    ids=["waits", "burst", "most of it", "tail", "cores", "noise"],
)
def test_the_step_to_work_is_the_end_of_initialization(rates: list[float], end: float) -> None:
    assert found(rates) == end
    assert found(rates, 0.25) == end / 40


@pytest.mark.parametrize(
    "rates",
    [
        [1.0] * 25,
        [0.9] * 8 + [1.0] * 20,
        [1.0] * 20 + [0.1] * 8,
        [0.0] * 25,
        [0.1] * (FEWEST - 5) + [1.0] * 4,
        [],
    ],
    ids=["none", "too like", "tail alone", "idle", "few", "nothing"],
)
def test_nothing_is_said_where_no_step_is_seen(rates: list[float]) -> None:
    assert found(rates) is None


def test_noise_is_no_step() -> None:
    rng = random.Random(1)
    said = sum(found([max(0.0, rng.gauss(1, 0.3)) for _ in range(200)]) is not None for _ in range(200))
    assert said <= 4


def test_the_end_is_found_in_noise() -> None:
    rng = random.Random(2)
    for _ in range(100):
        rates = [max(0.0, rng.gauss(0.4, 0.15)) for _ in range(30)] + [
            max(0.0, rng.gauss(1, 0.15)) for _ in range(90)
        ]
        end = found(rates)
        assert end is not None
        assert abs(end - 300) <= 30


def test_times_beyond_any_job_are_no_error() -> None:
    assert startup([1e18, *(1e18 + at for at in range(1, 20))], [float(at) for at in range(20)]) is None
    moments = [float(at) for at in range(1, 21)]
    startup(moments, [1e200 * at for at in range(20)])
    startup([*moments[:-1], 1e300], [1e300 * at for at in range(20)])
