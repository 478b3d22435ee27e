"""Which activity measures a machine now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.booking import booking_of
from assay.model.activity import ActivityPlan, ActivityState, PlannedArm
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.trial import Arm, PlannedTrial
from assay.platforms.claims import claim, release
from assay.store.record import write_activity
from assay.store.store import Store
from tests.builders import plan_of

NODE, OTHER = (Machine(name, Reach.SSH, name) for name in ("n01", "n02"))
GUEST = Machine("vm", Reach.SSH, "vm", carrier=NODE)
TRIALS = tuple(PlannedTrial(at, 0, at, arm, 0, "spin") for at, arm in enumerate(Arm))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path)
    store.add_machines([Entry(NODE), Entry(OTHER), Entry(GUEST, guest_of="n01")])
    return store


def running(store: Store, *, treatment: Machine) -> ActivityPlan:
    """Have an activity under way that compares this machine with another."""
    arm = PlannedArm("there", treatment, Limits())
    plan = replace(plan_of(TRIALS), treatment=arm)
    folder = store.home / "activities" / plan.id
    folder.mkdir(parents=True)
    write_activity(folder, plan)
    store.add_activity(plan, folder)
    claim(store.home, plan.id)
    return plan


def test_an_activity_books_its_machines_while_a_process_holds_it(store: Store) -> None:
    plan = running(store, treatment=OTHER)
    for machine in (Machine("local"), OTHER):
        found = booking_of(machine, home=store.home, store=store)
        assert found is not None
        assert (found.row.id, found.machine, found.controller) == (plan.id, machine.name, None)
        assert found.since_ns == (store.home / "run" / f"{plan.id}.pid").stat().st_mtime_ns
    assert booking_of(NODE, home=store.home, store=store) is None
    release(store.home, plan.id)
    assert booking_of(OTHER, home=store.home, store=store) is None, "its row still says that it runs"
    assert store.activity(plan.id).state is ActivityState.RUNNING


def test_a_guest_books_its_host_and_a_host_its_guests(store: Store) -> None:
    plan = running(store, treatment=GUEST)
    found = booking_of(NODE, home=store.home, store=store)
    assert found is not None
    assert (found.row.id, found.machine) == (plan.id, "vm")
    release(store.home, plan.id)


def test_a_plan_that_cannot_be_read_books_nothing(store: Store) -> None:
    plan = running(store, treatment=OTHER)
    (store.activity(plan.id).folder / "activity.json").write_text("{")
    assert booking_of(OTHER, home=store.home, store=store) is None
    release(store.home, plan.id)
