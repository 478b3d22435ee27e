"""Guests and containers of several sizes over one baseline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from assay.activities.plan.arms import Arms
from assay.activities.plan.kinds.labels import with_labels
from assay.activities.plan.kinds.table import find_arms
from assay.activities.plan.several_sizes import with_threads
from assay.activities.visits.controller import controller_cpus
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.machines.machine import Limits, Machine
from assay.model.work.placement import PlacementSpec
from assay.report.doubts import worded
from assay.scenes import Scene
from assay.store.store import Store
from assay.workloads import Sizes
from tests.builders import FACTS, WORKLOAD, plan_of
from tests.factors.parts import FakeHost
from tests.scenes.parts import scene

HERE = replace(FACTS, cpus=tuple(range(5)))


def guest(vcpus: int, gib: int) -> PlannedArm:
    wanted = PlannedGuest(vcpus, gib << 30, "none", "0123")
    return PlannedArm("guest", Machine("local"), Limits(tuple(range(1, 1 + vcpus)), gib << 30), wanted)


def arms_of(first: PlannedArm, *more: PlannedArm, baseline: PlannedArm | None = None) -> Arms:
    host = baseline or PlannedArm("host", Machine("local"), first.limits)
    sizes = Sizes(None, first.limits.memory_bytes or 0, len(first.limits.cpus))
    return with_labels(Arms(host, first, sizes), list(more))


def contained(asked: Scene) -> Arms:
    store = cast("Store", SimpleNamespace(machine=Machine))
    return find_arms(asked, HERE, home=Path("/nowhere"), store=store, image=lambda _: "none", host=FakeHost())


def test_the_baseline_and_the_work_are_those_of_the_smallest_guest() -> None:
    arms = arms_of(guest(4, 2), guest(2, 4))
    assert arms.baseline.limits == Limits((1, 2), 2 << 30)
    assert (arms.sizes.cpus, arms.sizes.memory_bytes) == (2, 2 << 30)
    assert [arm.label for arm in (arms.treatment, *arms.more)] == [
        "cpu.vcpus 4, memory.size 2 GiB",
        "cpu.vcpus 2, memory.size 4 GiB",
    ]
    (doubt,) = arms.doubts
    assert doubt.code == "larger-than-its-work"
    assert (
        "that of the smallest (2 processors and 2 GiB), and so is what host may use" in worded(doubt).sentence
    )


def test_a_guest_as_baseline_keeps_its_size_and_the_work_is_made_for_the_smallest_of_all() -> None:
    arms = arms_of(guest(2, 2), guest(2, 4), baseline=guest(1, 1))
    assert arms.baseline == guest(1, 1)
    assert (arms.sizes.cpus, arms.sizes.memory_bytes) == (1, 1 << 30)
    assert "host" not in worded(arms.doubts[0]).sentence


def test_a_sweep_over_guests_of_one_size_has_neither_doubt_nor_other_limits() -> None:
    one = guest(2, 2)
    unsafe = replace(one, guest=replace(one.guest or PlannedGuest(1, 1, "", ""), disk_cache="unsafe"))
    arms = arms_of(one, unsafe)
    assert arms.doubts == ()
    assert arms.baseline.limits == one.limits


def test_work_has_as_many_threads_as_the_smallest_has_processors() -> None:
    own = replace(WORKLOAD, placement=PlacementSpec(copies=2))
    reported = replace(WORKLOAD, placement=PlacementSpec(threads=3))
    arms = (guest(4, 1), guest(8, 1))
    assert [w.placement.threads for w in with_threads((WORKLOAD, own, reported), arms)] == [4, 2, 3]
    assert with_threads((WORKLOAD, own), arms[:1]) == (WORKLOAD, own)


def test_the_controller_keeps_off_the_processors_of_every_guest() -> None:
    plan = plan_of((), treatment=guest(1, 1), more=(guest(3, 1),))
    assert set(controller_cpus(plan)).isdisjoint({1, 2, 3})


def test_containers_of_several_quotas_are_treatments_over_the_same_host() -> None:
    read = scene("{platform: runc, factors: {cpu.quota: [25 %, 50 %], memory.limit: [64 MiB, 1 GiB]}}")
    arms = contained(read)
    assert [arm.label for arm in (arms.treatment, *arms.more)] == [
        "runc at 25% CPU, 64 MiB memory",
        "runc at 25% CPU, 1 GiB memory",
        "runc at 50% CPU, 64 MiB memory",
        "runc at 50% CPU, 1 GiB memory",
    ]
    assert arms.baseline.limits == Limits((1, 2, 3, 4))
    assert arms.sizes.memory_bytes == 64 << 20
    assert arms.doubts == ()


def test_kernels_of_several_sizes_are_told_apart_by_their_memory() -> None:
    read = scene("{platform: uml, factors: {memory.size: [1 GiB, 512 MiB]}}")
    arms = contained(read)
    assert [arm.label for arm in (arms.treatment, *arms.more)] == [
        "uml, 1 GiB memory",
        "uml, 512 MiB memory",
    ]
    assert arms.baseline.limits == Limits((1,), 512 << 20)
    assert [doubt.code for doubt in arms.doubts] == ["larger-than-its-work"]


def test_one_container_is_called_as_before() -> None:
    arms = contained(scene("{platform: uml}"))
    assert (arms.treatment.label, arms.more, arms.doubts) == ("uml", (), ())
