"""What a result says first: energy and money of events."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.activity import ActivityPlan, Beside
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Trial
from assay.model.work.placement import PlacementSpec
from assay.pages.headline import Cost, Site
from assay.results.headline import headline_of, work_of
from assay.results.outcome import build_page
from assay.workloads.command import WALL
from tests.builders import RATE, WORKLOAD
from tests.results.test_outcome import PLAN, records, value_of

SITE = Site(watts=360.0, price_kwh=0.5, currency="EUR")


def _timed(plan: ActivityPlan = PLAN) -> list[Trial]:
    """Return records of a job that takes 1000 s over its rate, and tells no rate."""
    return [
        replace(one, measurements=(Measurement(WALL, 1000 / value_of(one.planned)),)) for one in records()
    ]


def _cost(plan: ActivityPlan, held: list[Trial]) -> Cost | None:
    found = headline_of(build_page(plan, held), SITE, work_of(plan))
    assert found is not None
    return found.lines[0].cost


def test_a_rate_that_was_measured_tells_of_events() -> None:
    cost = _cost(PLAN, records())
    assert cost is not None
    assert (cost.metric, cost.events) == (RATE.name, None)
    assert cost.baseline_kwh == pytest.approx(1e6 / 100.5 / 3600 * 0.36, rel=1e-3)


def test_the_wall_time_of_known_events_tells_of_them() -> None:
    workload = replace(WORKLOAD, metrics=(WALL,), events=500, placement=PlacementSpec(copies=2))
    cost = _cost(replace(PLAN, workloads=(workload,)), _timed())
    assert cost is not None
    assert (cost.workload, cost.metric, cost.events) == ("spin", "wall_time", 1000)
    assert cost.baseline_kwh == pytest.approx(1e6 / 100.5 / 3600 * 0.36, rel=1e-3)
    assert cost.treatment_kwh == pytest.approx(2 * cost.baseline_kwh, rel=0.02)
    assert cost.treatment_price == pytest.approx(0.5 * cost.treatment_kwh)


def test_a_trial_of_several_machines_takes_the_power_of_all() -> None:
    two = replace(PLAN.baseline, beside=(Beside(Machine("n2", Reach.SSH), Limits()),))
    both = replace(PLAN, baseline=two, treatment=replace(PLAN.treatment, beside=two.beside))
    one, together = (_cost(plan, records()) for plan in (PLAN, both))
    assert one is not None
    assert together is not None
    assert together.baseline_kwh == pytest.approx(2 * one.baseline_kwh)
    assert _cost(replace(PLAN, baseline=two), records()) is None, "arms of different numbers"


def test_a_job_of_unknown_events_tells_of_none() -> None:
    workload = replace(WORKLOAD, metrics=(WALL,))
    assert _cost(replace(PLAN, workloads=(workload,)), _timed()) is None
    assert headline_of(build_page(replace(PLAN, workloads=(workload,)), _timed()), Site()) is not None


def test_other_times_of_the_job_tell_of_no_events() -> None:
    cpu = Metric("cpu_time", "s", Direction.LOWER)
    workload = replace(WORKLOAD, metrics=(cpu,), events=500)
    held = [replace(one, measurements=(Measurement(cpu, 10.0 + one.planned.block),)) for one in records()]
    assert _cost(replace(PLAN, workloads=(workload,)), held) is None


def test_of_a_workload_with_a_rate_the_wall_time_tells_nothing_else() -> None:
    workload = replace(WORKLOAD, metrics=(WALL, RATE), events=7)
    held = [
        replace(one, measurements=(Measurement(WALL, 10.0 + one.planned.index / 100), *one.measurements))
        for one in records()
    ]
    cost = _cost(replace(PLAN, workloads=(workload,)), held)
    assert cost is not None
    assert (cost.metric, cost.events) == (RATE.name, None)
