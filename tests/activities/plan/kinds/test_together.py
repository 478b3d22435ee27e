"""Treatments of several kinds over one baseline: as much for each, in the order of the scene."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from assay.activities.plan.arms import Arms
from assay.activities.plan.kinds import guests, machines, table
from assay.activities.plan.kinds.table import find_arms
from assay.model.errors import AssayError
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.container import Runtime
from assay.model.work.page_cache import CacheState
from assay.scenes import Scene, read_scene
from assay.store.store import Store
from tests.activities.plan.kinds.test_find_arms import FAR, HERE, HOST, LOCAL, Inventory, image
from tests.factors.parts import FakeHost
from tests.scenes.wrong import GOOD

GIB = 1 << 30
ALL = (1, 2, 3, 4)


def scene(*treatments: str, baseline: str = "machine: local", data: bool = False) -> Scene:
    listed = "".join(f"  - {{{one}}}\n" for one in treatments)
    text = GOOD.replace("treatment: {platform: guest}\n", f"treatments:\n{listed}")
    text += "placement: {copies: 2}\n" if any("layout" in one for one in treatments) else ""
    text = text.replace("[flops]", "[data-read]") + "data: {size: 1 MiB}\n" if data else text
    return read_scene(text.replace("machine: local}", f"{baseline}}}", 1).encode(), file="trial.yaml")


def found(asked: Scene, *, on: FakeHost = HOST) -> Arms:
    return find_arms(
        asked, HERE, home=Path("/nowhere"), store=cast("Store", Inventory()), image=image, host=on
    )


def test_what_is_no_guest_has_the_processors_and_the_memory_of_the_smallest_guest() -> None:
    arms = found(
        scene(
            "machine: local, factors: {cpu.quota: 50 %}",
            "platform: guest, factors: {cpu.vcpus: 2, memory.size: 1 GiB, disk.cache: [none, unsafe]}",
            "platform: runc",
            "platform: runsc, factors: {memory.limit: 512 MiB}",
        )
    )
    assert [(arm.label, arm.limits.cpus, arm.limits.memory_bytes) for arm in arms.every] == [
        ("host", (1, 2), GIB // 2),
        ("host at 50% CPU", (1, 2), GIB // 2),
        ("guest, disk.cache none", (1, 2), GIB),
        ("guest, disk.cache unsafe", (1, 2), GIB),
        ("runc", (1, 2), GIB // 2),
        ("runsc, 512 MiB memory", (1, 2), GIB // 2),
    ]
    runc = arms.every[4]
    assert runc.container is not None
    assert (runc.container.runtime, runc.container.memory_bytes) == (Runtime.RUNC, GIB // 2)
    assert arms.every[1].limits.cpu_quota == 0.5
    assert (arms.sizes.cpus, arms.sizes.memory_bytes) == (2, GIB // 2)
    assert [doubt.code for doubt in arms.doubts] == ["larger-than-its-work"]


def test_containers_of_a_layout_have_as_many_processors_as_they_can_share() -> None:
    guest = "platform: guest, factors: {cpu.vcpus: 3}"
    arms = found(
        scene(
            guest, "platform: runc, layout: {guests: [1, 2], preload: true}, factors: {memory.limit: 512 MiB}"
        )
    )
    _, _, one, two = arms.every
    assert (one.label, two.label) == (
        "1 container, preload, runc, 512 MiB memory",
        "2 containers, preload, runc, 512 MiB memory",
    )
    assert (len(one.limits.cpus), len(two.limits.cpus)) == (3, 2)
    assert two.cache is CacheState.WARM


def test_kinds_without_limits_have_the_whole_machine() -> None:
    arms = found(scene("platform: runc", "machine: local"))
    assert [arm.limits for arm in arms.every] == [Limits(ALL)] * 3
    assert arms.doubts == ()


def test_the_order_is_the_scenes_also_where_kinds_come_by_turns() -> None:
    arms = found(
        scene(
            "platform: guest, factors: {disk.cache: none}",
            "platform: runc",
            "platform: guest, factors: {disk.cache: unsafe}",
            "platform: runc, factors: {cpu.quota: 50 %}",
        )
    )
    assert [arm.label for arm in arms.every[1:]] == [
        "guest, disk.cache none", "runc", "guest, disk.cache unsafe", "runc at 50% CPU",
    ]  # fmt: skip


def test_one_guest_among_others_is_called_a_guest() -> None:
    arms = found(scene("platform: runc", "platform: guest, factors: {cpu.vcpus: 2}"))
    assert [arm.label for arm in arms.every] == ["host", "runc", "guest"]


@contextmanager
def far_host(machine: Machine, home: Path) -> Iterator[FakeHost]:
    del home
    assert machine == FAR
    yield FakeHost(cpus=HERE.cpus)


def test_a_guest_on_another_machine_is_measured_over_that_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    there = replace(HERE, cpus=(0, 1, 2), hostname="far.site")
    for room in (machines, table):
        monkeypatch.setattr(room, "look_at", lambda *_, **__: there)
    monkeypatch.setattr(guests, "remote_host", far_host)
    two = "factors: {cpu.vcpus: 2, disk.cache: [none, unsafe]}"
    arms = found(
        scene(
            f"platform: guest, machine: far, {two}",
            "platform: guest, factors: {cpu.vcpus: 2}",
            "machine: far",
        )
    )
    assert [(arm.label, arm.machine, arm.over) for arm in arms.every] == [
        ("host", LOCAL, None),
        ("guest on far, disk.cache none", FAR, 3),
        ("guest on far, disk.cache unsafe", FAR, 3),
        ("guest", LOCAL, None),
        ("far", FAR, None),
    ]
    assert {arm.limits for arm in arms.every} == {Limits((1, 2), 2 * GIB)}


def test_guests_on_another_machine_are_held_to_what_can_be_had_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "look_at", lambda *_, **__: HERE)
    refused = scene("platform: guest, machine: far, factors: {host.thp: never}", "machine: far")
    with pytest.raises(AssayError, match="for guests on far: only this"):
        found(refused)


def test_kinds_that_would_have_another_baseline_each_are_refused() -> None:
    two = scene("platform: guest", "platform: runc")
    other = replace(two, baseline_container=None, baseline_guest=two.guests[0])
    with pytest.raises(AssayError, match="they would have guest and host"):
        found(other)


GUESTS = "platform: guest, factors: {cpu.vcpus: 2, memory.size: 1 GiB, data.access: [local, nfs]}"


def by_ways(*treatments: str, way: str = "local") -> list[tuple[str, int | None]]:
    asked = scene(*treatments, baseline=f"machine: local, factors: {{data.access: {way}}}", data=True)
    serves = replace(HOST, programs=(*HOST.programs, "ganesha.nfsd", "glusterd"))
    return [(arm.label, arm.over) for arm in found(asked, on=serves).every]


def test_a_guest_is_measured_over_this_machine_by_the_same_way_to_the_data() -> None:
    assert by_ways(GUESTS, "machine: local, factors: {data.access: nfs}") == [
        ("host", None),
        ("guest, data.access local", None),
        ("guest, data.access nfs", 2),
        ("host, data.access nfs", None),
    ]


def test_what_is_written_by_a_server_is_a_way_too() -> None:
    guest = "platform: guest, factors: {cpu.vcpus: 2, memory.size: 1 GiB, scratch.access: glusterfs}"
    for level, over in (("scratch.access: glusterfs", 1), ("data.access: glusterfs", None)):
        arms = by_ways(guest, f"machine: local, factors: {{{level}}}")
        assert [one for _, one in arms] == [None, over, None]


def test_a_machine_under_a_limit_or_by_another_way_is_no_host_of_a_guest() -> None:
    for other in ("data.access: nfs, cpu.quota: 50 %", "data.access: glusterfs"):
        arms = by_ways(GUESTS, f"machine: local, factors: {{{other}}}")
        assert [over for _, over in arms] == [None] * 4
    arms = by_ways(GUESTS, "machine: local, factors: {data.access: local}", way="nfs")
    assert [over for _, over in arms] == [None, 2, None, None]
