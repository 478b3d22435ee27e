"""What is found again of an initialization that was made up."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.stats.jackknife import half_width
from assay.stats.starts.course import Files, Start, Startup
from assay.stats.starts.fit import FEWEST_JOBS, MOST_FITTED, Fit, fit
from tests.stats.starts.farms import LIMITED, Batches, sizes


def found(farm: Batches, startup: Startup, seed: int = 1) -> Fit:
    machines = farm.starts(startup, seed)
    fitted = fit(machines, sizes(machines))
    assert fitted is not None
    return fitted


def test_time_limit_and_what_is_kept_are_found_again() -> None:
    fitted = found(Batches(), LIMITED)
    assert fitted.startup.alone_s == pytest.approx(60, rel=0.05)
    assert fitted.startup.fed == pytest.approx(4, rel=0.1)
    assert fitted.startup.kept == pytest.approx(0.3, rel=0.1)
    assert fitted.by_machine
    assert [*fitted.without] == [*range(10)]
    assert fitted.error < 0.12
    assert fitted.trivial_error > 0.3
    assert fitted.better[1] is not None
    assert fitted.better[1] > 0
    kinds = {one.files for one in fitted.checked}
    assert kinds == {Files.DISK, Files.MEMORY}
    twelve = [one for one in fitted.checked if one.together > 11]
    assert twelve
    assert all(one.forecast_s == pytest.approx(180, rel=0.1) for one in twelve)
    assert all(one.together == 0 for one in fitted.checked if one.files is Files.MEMORY)


def test_each_job_is_forecast_by_the_others_alone() -> None:
    machines = Batches(machines=4).starts(LIMITED, 2)
    machines["m3"] = [replace(one, init_s=one.init_s and 3 * one.init_s) for one in machines["m3"]]
    fitted = fit(machines, sizes(machines))
    assert fitted is not None
    own = [one for one in fitted.checked if one.start.guest.startswith("m3")]
    assert all(one.error < -0.7 for one in own), "what only the part itself tells is not in its forecast"
    assert sum(len(starts) for starts in machines.values()) == len(fitted.checked)


def test_no_limit_is_found_where_there_is_none_and_a_forecast_is_no_better_than_the_median() -> None:
    fitted = found(Batches(again=0.0), Startup(60.0))
    assert math.isinf(fitted.startup.fed)
    assert fitted.startup.kept == 1
    assert fitted.better[1] is not None
    assert fitted.better[1] < 0.02


def test_times_are_held_out_where_there_are_no_three_machines() -> None:
    fitted = found(Batches(machines=1, batches=30), LIMITED)
    assert not fitted.by_machine
    assert len(fitted.without) == 10
    assert fitted.startup.fed == pytest.approx(4, rel=0.15)
    moments = {
        part: [one.start.at_s for one in fitted.checked if one.part == part] for part in fitted.without
    }
    assert all(max(moments[part]) <= min(moments[part + 1]) for part in range(9))


def test_too_few_jobs_are_not_fitted() -> None:
    starts = [Start("g", 1000.0 * at, 1000.0 * at + 500, 10.0) for at in range(FEWEST_JOBS)]
    assert fit({"m": starts[1:]}, {}) is None
    assert fit({"m": starts}, {}) is not None
    assert fit({}, {}) is None
    assert fit({"m": [replace(one, init_s=None) for one in starts]}, {}) is None


def test_jobs_that_all_agree_have_no_interval_to_be_better_by() -> None:
    starts = {
        f"m{m}": [Start(f"g{m}", 20_000.0 * at, 20_000.0 * at + 500, 10.0) for at in range(5)]
        for m in range(4)
    }
    fitted = fit(starts, {})
    assert fitted is not None
    assert fitted.startup.alone_s == pytest.approx(10, rel=0.01)
    assert fitted.error < 0.01


@pytest.mark.long
def test_of_many_jobs_some_machines_are_taken() -> None:
    farm = Batches(machines=80, batches=6, again=0.0, noise=(0.05, 0.0))
    machines = farm.starts(LIMITED, 3)
    assert sum(map(len, machines.values())) > MOST_FITTED
    fitted = fit(machines, sizes(machines))
    assert fitted is not None
    assert 500 < len(fitted.checked) <= MOST_FITTED
    assert fitted.startup.fed == pytest.approx(4, rel=0.05)
    one = Batches(machines=1, batches=500, again=0.0, noise=(0.05, 0.0)).starts(LIMITED, 3)
    alone = fit(one, sizes(one))
    assert alone is not None
    assert len(alone.checked) == MOST_FITTED


@pytest.mark.long
def test_intervals_hold_the_truth_and_no_forecast_is_sold_where_nothing_is_to_be_found() -> None:
    import numpy as np

    figures: dict[str, tuple[float, Callable[[Startup], float]]] = {
        "alone": (60.0, lambda one: one.alone_s),
        "fed": (4.0, lambda one: one.fed),
        "kept": (0.3, lambda one: one.kept),
    }
    many, inside, sold = 24, dict.fromkeys(figures, 0), 0
    for seed in range(many):
        fitted = found(Batches(noise=(0.1, 0.08)), LIMITED, seed)
        for name, (truth, figure) in figures.items():
            logs = np.log([figure(fitted.startup), *(figure(one) for one in fitted.without.values())])
            half = half_width(logs, len(fitted.without) - 1, confidence=0.95)
            assert half is not None
            inside[name] += abs(logs[0] - math.log(truth)) <= half
        nothing = found(Batches(again=0.0), Startup(60.0), seed)
        assert nothing.better[1] is not None
        sold += nothing.better[1] > 0
    assert all(0.85 * many <= one for one in inside.values()), inside
    assert sold <= 2
