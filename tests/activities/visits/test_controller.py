"""Which processors the controller leaves alone."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from assay.activities.visits.controller import controller_cpus
from assay.model.activity import ActivityPlan, PlannedGuest
from tests.builders import plan_of


def pinned(name: str, cpus: str) -> ActivityPlan:
    """Return the plan of a guest on processor 1 whose other threads are pinned."""
    plan = plan_of(())
    guest = PlannedGuest(1, 1 << 30, "none", "0123", ((name, cpus),))
    return replace(plan, treatment=replace(plan.treatment, guest=guest))


@pytest.mark.parametrize("name", ["cpu.emulatorpin", "cpu.iothreadpin"])
def test_processors_of_a_guests_other_threads_are_left_alone_where_others_are_left(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2, 3})
    assert controller_cpus(plan_of(())) == (0, 2, 3)
    assert controller_cpus(pinned(name, "2-3")) == (0,)
    assert controller_cpus(pinned(name, "0-3")) == (0, 2, 3)


def test_pins_of_any_guest_of_a_plan_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2, 3})
    plan = pinned("cpu.emulatorpin", "2")
    assert controller_cpus(replace(plan, baseline=plan.treatment)) == (0, 3)
    swept = replace(plan, more=(pinned("cpu.emulatorpin", "3").treatment,))
    assert controller_cpus(swept) == (0,)
