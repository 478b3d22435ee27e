"""From the rows of a family of sizes and records to its landscapes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Verdict
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import Workload
from assay.results.outcome import build_page
from tests.builders import WORKLOAD, plan_of, record_of

MIB = 1024**2
POINTS = tuple(product((64 * MIB, 16 * MIB), (4096, 65536)))
LOSSES = dict(zip(POINTS, (0.1, 0.2, 0.3, 0.4), strict=True))


def member(size: int, record: int, **changes: object) -> Workload:
    name = f"iozone-s{size // MIB}m-r{record // 1024}k"
    made = replace(WORKLOAD, name=name, family="iozone", file_bytes=size, record_bytes=record)
    return replace(made, **changes)  # type: ignore[arg-type]


def planned(workloads: tuple[Workload, ...], blocks: int = 3) -> ActivityPlan:
    plan = plan_of(plan_trials([w.name for w in workloads], blocks=blocks, seed=3))
    return replace(plan, workloads=workloads)


def ran(plan: ActivityPlan, trial: PlannedTrial) -> Trial:
    workload = next(w for w in plan.workloads if w.name == trial.workload)
    loss = LOSSES[workload.file_bytes or 0, workload.record_bytes or 0]
    shake = 1 + (trial.index * 7 % 5 - 2) / 5000
    return record_of(trial, 100.0 * shake * (1 if trial.arm is Arm.BASELINE else 1 - loss))


WORKLOADS = tuple(member(size, record) for size, record in POINTS)


def test_each_operation_has_a_cell_for_each_point_smallest_first_with_the_loss_of_its_row() -> None:
    plan = planned(WORKLOADS)
    page = build_page(plan, [ran(plan, trial) for trial in plan.trials])
    (found,) = page.landscapes
    assert (found.workload, found.metric, found.unit, found.treatment) == (
        "iozone",
        "events",
        "events/s",
        None,
    )
    assert [(c.size_bytes, c.record_bytes) for c in found.cells] == sorted(POINTS)
    assert (found.sizes, found.records) == ((16 * MIB, 64 * MIB), (4096, 65536))
    rows = {row.workload: row for row in page.estimates}
    assert all(cell.loss == rows[cell.workload].loss for cell in found.cells)
    assert found.cells[0].loss == pytest.approx(0.3, abs=0.01)


def test_one_point_and_workloads_without_a_family_or_a_file_make_no_landscape() -> None:
    for workloads in (
        WORKLOADS[:1],
        tuple(replace(w, family=None) for w in WORKLOADS),
        tuple(replace(w, file_bytes=None) for w in WORKLOADS),
    ):
        plan = planned(workloads)
        assert build_page(plan, []).landscapes == ()


def test_records_alone_make_one() -> None:
    plan = planned(WORKLOADS[:2])
    (found,) = build_page(plan, [ran(plan, trial) for trial in plan.trials if trial]).landscapes
    assert (len(found.sizes), found.records) == (1, (4096, 65536))


def test_a_file_below_the_tools_own_rule_is_not_comparable() -> None:
    workloads = (member(*POINTS[0], rule_met=False, note="a file of 64 MiB: too small"), WORKLOADS[1])
    plan = planned(workloads)
    (found,) = build_page(plan, [ran(plan, trial) for trial in plan.trials]).landscapes
    assert [cell.not_comparable for cell in found.cells] == ["a file of 64 MiB: too small", None]
    assert [cell.shown for cell in found.cells] == [False, True]
    assert found.measured


def test_a_figure_that_a_tool_did_not_tell_is_missing_with_its_reason() -> None:
    plan = planned(WORKLOADS)
    records = [
        record_of(trial, None) if trial.workload == "iozone-s16m-r4k" else ran(plan, trial)
        for trial in plan.trials
    ]
    (found,) = build_page(plan, records).landscapes
    first = found.cells[0]
    assert (first.loss, first.verdict) == (None, Verdict.NOT_MEASURED)
    assert first.reason == "the job did not tell of it in every trial"


def test_several_treatments_have_landscapes_of_their_own() -> None:
    trials = plan_trials([w.name for w in WORKLOADS], blocks=3, seed=3, visits=(1, 1))
    plan = replace(planned(WORKLOADS), trials=trials)
    plan = replace(plan, more=(replace(plan.treatment, label="second"),))
    page = build_page(plan, [ran(plan, trial) for trial in plan.trials])
    assert [found.treatment for found in page.landscapes] == ["other", "second"]
    assert all(len(found.cells) == 4 for found in page.landscapes)


def titles(*ways: dict[str, object]) -> list[tuple[str, int]]:
    """Return the names and numbers of cells of the landscapes of two records each, at another
    size each way.
    """
    sizes = (16 * MIB, 64 * MIB)
    workloads = tuple(
        member(size, record, **way) for size, way in zip(sizes, ways, strict=True) for record in (4096, 65536)
    )
    plan = planned(workloads)
    page = build_page(plan, [ran(plan, trial) for trial in plan.trials])
    return [(found.workload, len(found.cells)) for found in page.landscapes]


def test_what_differs_in_more_than_sizes_is_a_landscape_apart_that_says_in_what() -> None:
    cold, warm = ({"cache": CacheSpec(state)} for state in (CacheState.COLD, CacheState.WARM))
    assert titles(cold, warm) == [("iozone, cold files", 2), ("iozone, warm files", 2)]
    assert titles(cold, cold) == [("iozone", 4)]
    one, four = ({"placement": PlacementSpec(copies=copies)} for copies in (1, 4))
    assert titles(one, four) == [("iozone, 1 copy", 2), ("iozone, 4 copies", 2)]
    assert titles(one, {"placement": PlacementSpec(nice=5)}) == [
        ("iozone, iozone-s16m-r4k and on", 2),
        ("iozone, iozone-s64m-r4k and on", 2),
    ]
    short, long = ({"command": ("fio", f"--size={size}", f"--runtime={s}")} for size, s in ((16, 2), (64, 5)))
    assert titles(short, long) == [("iozone, for 2 s", 2), ("iozone, for 5 s", 2)]
    assert titles(short, long | {"command": ("fio", "--size=64", "--runtime=2")}) == [("iozone", 4)]
