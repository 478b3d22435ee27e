"""What a scene by itself says of its trials."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.activities.plan.declared import declared_plan
from assay.design import plan_trials
from assay.model.goal import Shape
from assay.model.trial import Arm
from assay.scenes import Scene, find_scene, read_scene, ready_names

OWN = """\
scene: mine
title: Mine
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: [50 %, 25 %]}}
workloads: [flops, {use: two-phase, parameters: {events: [1, 100]}}]
design: {blocks: 4, seed: 7}
"""


@pytest.mark.parametrize("name", sorted(ready_names()))
def test_every_ready_scene_declares_its_trials(name: str) -> None:
    scene = find_scene(name)
    found = declared_plan(scene, shown=3)
    assert len(found.arms) == len(set(found.arms)) == 1 + len(scene.treatments)
    assert len(found.order) == min(3, scene.design.blocks)
    for block in found.order:
        assert set(block) == set(range(len(found.arms)))
    visits = len(found.order[0])
    assert found.trials == scene.design.blocks * visits * len(found.workloads) * scene.design.goal.runs


def own(text: str = OWN) -> Scene:
    return read_scene(text.encode(), file="mine.yaml")


def test_the_order_is_that_of_the_plan_where_the_scene_gives_its_seed() -> None:
    found = declared_plan(own(), shown=4)
    planned = plan_trials(("flops", "two-phase-n1", "two-phase-n100"), blocks=4, seed=7, visits=(1, 1))
    assert found.workloads == ("flops", "two-phase-n1", "two-phase-n100")
    assert found.arms == ("this machine", "this machine, cpu.quota 50 %", "this machine, cpu.quota 25 %")
    assert (found.trials, found.drawn, found.fixed) == (len(planned), False, True)
    for number, block in enumerate(found.order):
        slots = {one.slot: one for one in planned if one.block == number}
        arms = [0 if one.arm is Arm.BASELINE else 1 + one.level for _, one in sorted(slots.items())]
        assert list(block) == arms


def test_without_a_seed_the_order_is_an_example() -> None:
    scene = own(OWN.replace(", seed: 7", ""))
    assert declared_plan(scene, shown=2).drawn
    assert declared_plan(scene, shown=2) == declared_plan(scene, shown=2)


def test_a_shape_that_is_left_to_the_planner_is_shown_as_pairs() -> None:
    scene = own(OWN.replace("[50 %, 25 %]", "50 %"))
    goal = replace(scene.design.goal, shape=Shape.AUTO, adaptive=True)
    found = declared_plan(replace(scene, design=replace(scene.design, goal=goal)), shown=4)
    assert not found.fixed
    assert all(sorted(block) == [0, 1] for block in found.order)


def test_layouts_are_told_by_their_own_words() -> None:
    found = declared_plan(find_scene("consolidation"), shown=1)
    assert found.arms[1:3] == ("guest", "guest, guests 2, stagger 0 s, preload false")


def test_a_machine_against_itself_says_so() -> None:
    text = OWN.replace(", factors: {cpu.quota: [50 %, 25 %]}", "")
    assert declared_plan(own(text), shown=1).arms == ("this machine", "this machine again")


def test_levels_of_the_only_treatment_are_told_but_for_those_of_every_guest() -> None:
    text = OWN.replace(
        "{machine: local, factors: {cpu.quota: [50 %, 25 %]}}", "{platform: guest, factors: {X}}"
    )
    found = declared_plan(own(text.replace("X", "disk.cache: writeback, host.thp: never")), shown=1)
    assert found.arms == ("this machine", "guest, host.thp never")
