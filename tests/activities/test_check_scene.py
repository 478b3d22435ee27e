"""What one scene needs of a machine beside its programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.check_scene import needs_check, rights_check, room_for, workloads_for
from assay.activities.plan.disk_room import ALLOWANCE_BYTES
from assay.model.machines.check import Check
from assay.model.machines.machine import Facts
from assay.model.work.needs import Needs
from assay.platforms.host.this_host import ThisHost
from assay.scenes import Scene, read_scene
from tests.builders import FACTS

HERE: Facts = replace(FACTS, cpus=(0, 1), memory_bytes=2 << 30, cgroup="v2")


def scene(*, treatment: str = "{machine: local}", workloads: str = "[flops]", more: str = "") -> Scene:
    text = f"scene: s\ntitle: S\nbaseline: {{machine: local}}\ntreatment: {treatment}\n"
    text += f"workloads: {workloads}\n{more}"
    return read_scene(text.encode(), file="s.yaml")


def rights(of: Scene, here: Facts = HERE, *, root: bool) -> dict[str, Check]:
    return {one.name: one for one in rights_check(of, here, workloads_for(of, here), root=root)}


def test_a_scene_that_asks_for_nothing_of_the_kind_needs_no_right() -> None:
    assert rights(scene(), root=False) == {}
    assert rights(scene(), replace(HERE, cgroup=None), root=False) == {}


@pytest.mark.parametrize(
    "limit",
    [
        "cpu.quota: 50 %",
        "memory.limit: 1 GiB",
        "disk.read-limit: 10 MB/s",
        "disk.write-limit: 10 MB/s",
        "pause: 20 %",
    ],
)
def test_limits_need_a_control_group(limit: str) -> None:
    limited = scene(treatment=f"{{machine: local, factors: {{{limit}}}}}")
    assert rights(limited, root=False) == {"limits": Check("limits", good=True, sentence="v2")}
    found = rights(limited, replace(HERE, cgroup=None), root=False)["limits"]
    assert (found.good, "no control group can be made" in found.sentence) == (False, True)


def test_the_caches_of_the_machine_are_dropped_by_root_alone() -> None:
    cold = scene(workloads="[{name: a, command: sync, cache: {state: cold, drop: true}}]")
    assert rights(cold, root=True)["caches"].good
    assert not rights(cold, root=False)["caches"].good


def test_counters_may_be_absent_without_root() -> None:
    counted = scene(more="counters: [cycles]\n")
    assert [rights(counted, root=root)["counters"].word for root in (True, False)] == ["ok", "optional"]


def test_room_is_that_of_the_largest_files_of_the_scene() -> None:
    assert room_for(workloads_for(scene(), HERE)) == ALLOWANCE_BYTES
    files = workloads_for(scene(workloads="[{use: fio, parameters: {size: 3 GiB}}, flops]"), HERE)
    assert room_for(files) >= ALLOWANCE_BYTES + (3 << 30)


def test_a_machine_is_held_to_what_the_scene_says(tmp_path: Path) -> None:
    host: Any = ThisHost(tmp_path)
    assert [*needs_check(scene(), HERE, on=host, home=None)] == []
    asking = replace(scene(), needs=Needs(cores=64, memory_bytes=1 << 30))
    (found,) = needs_check(asking, HERE, on=host, home=None)
    assert (found.name, found.good, found.sentence) == ("needs", False, "it needs 64 cores, there are 2")
    (found,) = needs_check(replace(asking, needs=Needs(cores=2)), HERE, on=host, home=None)
    assert found == Check("needs", good=True, sentence="it has all that the scene says")
