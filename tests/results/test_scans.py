"""From the records of a family of workloads to its fixed cost and slope."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan
from assay.model.trial import Arm, PlannedTrial, State, Trial
from assay.pages.context import Page
from assay.results.outcome import build_page
from assay.scenes import find_scene
from assay.workloads import Sizes
from tests.builders import WORKLOAD, clock_check, plan_of, record_of

SIZES = (1, 300, 1000)


def plan(sizes: tuple[int, ...] = SIZES) -> ActivityPlan:
    family = tuple(replace(WORKLOAD, name=f"spin-n{n}", events=n, family="spin") for n in sizes)
    alone = replace(WORKLOAD, name="other", events=5)
    copies = tuple(replace(WORKLOAD, name=f"many-c{n}", family="many") for n in (1, 2))
    workloads = (*family, alone, *copies)
    return plan_of(plan_trials([w.name for w in workloads], blocks=6, seed=1), workloads=workloads)


def records(made: ActivityPlan, *, noise: float = 0.0, rate: float = 1.0) -> list[Trial]:
    """Return trials of 2 s and 4 ms an event, on the treatment 3 s and 5 ms."""
    draw = random.Random(3)
    return [_record(trial, draw.gauss(0, noise), rate) for trial in made.trials]


def _record(trial: PlannedTrial, noise: float, rate: float) -> Trial:
    record = record_of(trial, 1.0)
    assert record.usage is not None
    guest, events = trial.arm is Arm.TREATMENT, int(trial.workload.partition("-n")[2] or 0)
    seconds = 3 + 0.005 * events if guest else 2 + 0.004 * events
    clock = clock_check(rate) if guest else None
    wall_s = seconds * (1 + noise) * (rate if guest else 1.0)
    return replace(record, usage=replace(record.usage, wall_s=wall_s), clock=clock)


def page(found: list[Trial], made: ActivityPlan | None = None) -> Page:
    return build_page(made or plan(), found)


def test_a_family_whose_trials_came_to_different_results_has_no_scan() -> None:
    digests = {Arm.BASELINE: "a", Arm.TREATMENT: "b"}
    other = [replace(r, result_digest=digests[r.planned.arm]) for r in records(plan())]
    assert not page(other).scans


def test_a_family_of_event_numbers_has_a_fixed_cost_and_a_slope() -> None:
    (found,) = page(records(plan())).scans
    assert (found.workload, found.blocks, [size.events for size in found.sizes]) == (
        "spin",
        6,
        [1, 300, 1000],
    )
    assert found.fixed_cost_s is not None
    assert found.per_event_s is not None
    assert found.fixed_cost_s.loss == pytest.approx(1 / 3)
    assert found.per_event_s.treatment.value == pytest.approx(0.005)
    assert found.asymptote == pytest.approx(0.2)
    assert all(check.straight for check in found.linearity)


def test_the_chain_s_evtrec_at_the_scale_of_the_publication_is_one_family() -> None:
    scene = find_scene("event-scan", scale="publication")
    workloads = scene.prepare(Sizes(cpus=1, memory_bytes=2**32, cache_bytes=None))
    made = plan_of(plan_trials([w.name for w in workloads], blocks=3, seed=1), workloads=workloads)
    (found,) = page(records(made), made).scans
    assert (found.workload, [size.events for size in found.sizes]) == (
        "chain-evtrec",
        [10, 30, 100, 300, 1000, 4000],
    )
    assert found.fixed_cost_s is not None
    assert found.per_event_s is not None
    assert found.fixed_cost_s.loss == pytest.approx(1 / 3)
    assert found.per_event_s.loss == pytest.approx(0.2)


def test_times_are_on_the_host_s_clock() -> None:
    right, fast = (page(records(plan(), rate=rate)).scans[0] for rate in (1.0, 1.005))
    assert right.fixed_cost_s is not None
    assert fast.fixed_cost_s is not None
    assert fast.fixed_cost_s.treatment.value == pytest.approx(right.fixed_cost_s.treatment.value)


def test_a_clock_that_is_not_trusted_leaves_no_scan() -> None:
    assert page(records(plan(), rate=1.5)).scans == ()


def test_a_failed_trial_takes_its_partner_with_it_and_is_a_doubt() -> None:
    found = [
        replace(record, state=State.FAILED, usage=None, measurements=(), cause="exit 1", exit_code=1)
        if record.planned.workload == "spin-n1"
        and record.planned.arm is Arm.TREATMENT
        and record.planned.block == 2
        else record
        for record in records(plan(), noise=0.01)
    ]
    shown = page(found)
    assert [size.blocks for size in shown.scans[0].sizes] == [5, 6, 6]
    (doubt,) = [doubt for doubt in shown.doubts if doubt.code == "unpaired-times"]
    assert doubt.sentence.startswith("spin: ")


def test_better_event_numbers_are_advised_where_they_help() -> None:
    many = plan((1, 100, 200, 300, 500, 1000))
    advice = page(records(many, noise=0.01), many).scans[0].advice
    assert advice is not None
    assert advice.startswith("In the same time ")
    assert "runs of 1 and" in advice
    assert page(records(plan())).scans[0].advice is None


def test_workloads_of_one_event_number_are_no_scan() -> None:
    made = plan()
    one = tuple(replace(w, events=7) if w.family == "spin" else w for w in made.workloads)
    assert page(records(made), replace(made, workloads=one)).scans == ()
