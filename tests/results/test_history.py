"""What earlier activities say of the cost of a switch between the arms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.design.shape import SwitchCost
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.goal import Goal
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.results.history import cost_of, switch_cost
from assay.store.record import write_activity
from assay.store.store import Store
from tests.builders import WORKLOAD, plan_of, record_of
from tests.results.folders import kept

OTHER = replace(WORKLOAD, name="other", seconds=7.0)
SECOND = 10**9


def ran(*trials: tuple[str, Arm, float, float]) -> list[Trial]:
    """Return the records of trials of a workload on an arm, from a second to another."""
    return [
        record_of(
            PlannedTrial(at, 0, at, arm, 0, name),
            1.0,
            started_ns=int(start * SECOND),
            ended_ns=int(end * SECOND),
        )
        for at, (name, arm, start, end) in enumerate(trials)
    ]


HERE, THERE = Arm.BASELINE, Arm.TREATMENT
RUNS = ran(
    ("spin", HERE, 0.0, 2.0), ("spin", THERE, 12.0, 16.0), ("spin", HERE, 17.0, 19.0),
    ("spin", THERE, 39.0, 43.0),
    ("spin", HERE, 44.0, 46.0), ("spin", THERE, 47.0, 51.0),
)  # fmt: skip
PLAN = plan_of(tuple(record.planned for record in RUNS))


def test_a_switch_takes_the_median_time_from_the_baselines_end_to_the_treatments_start() -> None:
    """Pauses of 10, 20 and 1 s before the treatment; runs of 2 and 4 s."""
    assert cost_of(PLAN, RUNS) == SwitchCost(3.0, 10.0, measured=True)
    assert cost_of(PLAN, list(reversed(RUNS))) == SwitchCost(3.0, 10.0, measured=True)


def test_the_runs_of_a_visit_are_the_means_of_all_workloads_together() -> None:
    found = ran(
        ("spin", HERE, 0.0, 2.0), ("other", HERE, 3.0, 8.0), ("spin", THERE, 10.0, 14.0),
        ("other", THERE, 15.0, 22.0)
    )  # fmt: skip
    plan = replace(PLAN, workloads=(WORKLOAD, OTHER, replace(WORKLOAD, name="never-ran")))
    assert cost_of(plan, found) == SwitchCost(3.0 + 6.0, 2.0, measured=True)


@pytest.mark.parametrize(("pause_s", "counts"), [(99.9, True), (100.0, False), (0.0, True), (-0.5, False)])
def test_a_pause_between_sessions_is_no_switch(pause_s: float, counts: bool) -> None:
    plan = replace(PLAN, goal=Goal(session_gap_s=100.0))
    found = ran(("spin", HERE, 0.0, 2.0), ("spin", THERE, 2.0 + pause_s, 5.0 + pause_s))
    cost = cost_of(plan, found)
    assert (cost is not None) is counts
    assert cost is None or cost.switch_s == pytest.approx(pause_s)


def test_arms_that_never_changed_tell_nothing() -> None:
    assert cost_of(PLAN, ran(("spin", HERE, 0.0, 2.0), ("spin", HERE, 3.0, 5.0))) is None
    assert cost_of(PLAN, ran(("spin", THERE, 0.0, 2.0), ("spin", HERE, 3.0, 5.0))) is None
    assert cost_of(PLAN, []) is None


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "home")
    yield made
    made.close()


def _add(store: Store, name: str, plan: ActivityPlan, runs: list[Trial], *, complete: bool = True) -> Path:
    plan = replace(plan, id=name, created_ns=int(name[-1]) * SECOND)
    folder = kept(store.home / "activities" / name, plan, runs)
    store.add_activity(plan, folder)
    if complete:
        store.set_state(name, ActivityState.COMPLETE, ended_ns=10 * SECOND)
    return folder


def _cost(store: Store, *names: str) -> SwitchCost:
    workloads = [replace(WORKLOAD, name=name, seconds=5.0) for name in names or ("spin",)]
    return switch_cost(store, scene="quick", workloads=workloads, boot_s=30.0)


GUESS = SwitchCost(5.0, 30.0)


def test_without_an_earlier_activity_it_is_guessed(store: Store) -> None:
    assert _cost(store) == GUESS
    assert _cost(store, "spin", "other") == SwitchCost(10.0, 30.0)


def test_the_newest_complete_activity_of_the_scene_and_its_workloads_tells(store: Store) -> None:
    _add(store, "aaaaaaa1", PLAN, RUNS[:2])
    assert _cost(store) == SwitchCost(3.0, 10.0, measured=True)
    _add(store, "aaaaaaa2", PLAN, RUNS[2:4])
    assert _cost(store) == SwitchCost(3.0, 20.0, measured=True)
    _add(store, "aaaaaaa3", replace(PLAN, scene="full"), RUNS[4:])
    _add(store, "aaaaaaa4", PLAN, RUNS[4:], complete=False)
    _add(store, "aaaaaaa5", PLAN, RUNS[:1])
    damaged = _add(store, "aaaaaaa6", PLAN, RUNS[4:])
    (damaged / "activity.json").write_text("{")
    assert _cost(store) == SwitchCost(3.0, 20.0, measured=True)
    assert _cost(store, "other") == GUESS
    assert _cost(store, "spin", "other").measured is False
    write_activity(damaged, replace(PLAN, id="aaaaaaa6"))
    assert _cost(store) == SwitchCost(3.0, 1.0, measured=True)


def test_no_more_than_the_newest_activities_and_their_first_trials_are_looked_at(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.results.history.LATEST", 2)
    monkeypatch.setattr("assay.results.history.TRIALS", 2)
    _add(store, "aaaaaaa1", PLAN, RUNS)
    assert _cost(store) == SwitchCost(3.0, 10.0, measured=True)
    other = replace(PLAN, workloads=(replace(WORKLOAD, name="other"),))
    _add(store, "aaaaaaa2", other, RUNS[:2])
    assert _cost(store).measured
    _add(store, "aaaaaaa3", other, RUNS[:2])
    assert _cost(store) == GUESS


def test_what_was_imported_tells_nothing_of_this_machine(store: Store, tmp_path: Path) -> None:
    plan = replace(PLAN, trials=tuple(record.planned for record in RUNS[:2]))
    store.import_folder(kept(tmp_path / "foreign", plan, RUNS[:2]))
    store.set_state(PLAN.id, ActivityState.COMPLETE, ended_ns=10 * SECOND)
    assert _cost(store) == GUESS
