"""From a scene to its plan: what is asked of whom, and what of it stands in the plan."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.plan import prepare
from assay.activities.plan.arms import Arms
from assay.activities.plan.prepare import plan_activity
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.doubt import Doubt
from assay.model.errors import AssayError, MissingError
from assay.model.goal import Shape
from assay.model.machines.floor import SiteFloor
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.layout import Layout
from assay.platforms.host.this_host import ThisHost
from assay.scenes import Scene, read_scene
from assay.workloads import Sizes
from tests.builders import FACTS

SCENE = """\
scene: planted
title: Two losses
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [{name: spin, command: spin --once}, {name: turn, command: turn}]
interval: 0.5 s
design: {seed: 11, blocks: 4, confidence: 90 %, margin: 1 %, shape: pairs}
"""
BASE = PlannedArm("host", Machine("local"), Limits((1,)))
OTHER = replace(BASE, label="host at 50% CPU", limits=Limits((1,), cpu_quota=0.5))
SIZES = Sizes(cache_bytes=None, memory_bytes=1 << 30, cpus=1)
ARMS = Arms(BASE, OTHER, SIZES, doubts=(Doubt("of-arms", "They differ."),))
STORE: Any = type("Inventory", (), {"machine": staticmethod(lambda name: Machine(f"the {name}"))})()


class World:
    """A site whose machines are looked at without being there."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.arms, self.asked = home, ARMS, dict[str, Any]()
        monkeypatch.setattr(prepare, "look_at", self.look_at)
        monkeypatch.setattr(prepare, "find_arms", self.find_arms)
        monkeypatch.setattr(prepare, "local_hypervisor", lambda: type("", (), {"reported": ""}))
        monkeypatch.setattr(prepare, "_disk_doubts", lambda _home: (Doubt("disk-is-memory", "It is."),))
        monkeypatch.setattr(prepare, "_vhost_doubts", lambda: (Doubt("vhost-not-confined", "It is not."),))

    def look_at(self, machine: Machine, programs: Any, *, home: Path) -> Any:
        self.asked["look"] = (machine.name, dict(programs), home)
        return FACTS

    def find_arms(self, scene: Scene, here: Any, **given: Any) -> Arms:
        self.asked["arms"] = (scene, here, given)
        return self.arms

    def plan(self, text: str = SCENE, *, command: str | None = None) -> ActivityPlan:
        scene = read_scene(text.encode(), file="planted.yaml")
        return plan_activity(scene, home=self.home, store=STORE, image=str, command=command)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def test_the_baseline_is_looked_at_for_the_programs_and_the_arms_found_by_what_it_is(world: World) -> None:
    world.plan()
    machine, programs, home = world.asked["look"]
    assert (machine, home) == ("the local", world.home)
    assert set(programs) == {"spin", "turn"}
    scene, here, given = world.asked["arms"]
    assert (scene.name, here) == ("planted", FACTS)
    assert isinstance(given.pop("host"), ThisHost)
    assert given == {"home": world.home, "store": STORE, "image": str}


def test_a_plan_says_all_that_the_scene_asks_for(world: World) -> None:
    before_ns = time.time_ns()
    plan = world.plan(command="assay run")
    scene = read_scene(SCENE.encode(), file="planted.yaml")
    assert before_ns <= plan.created_ns <= time.time_ns()
    assert len(plan.id) == 8
    assert int(plan.id, 16) >= 0
    assert (plan.scene, plan.title, plan.scene_text, plan.scene_digest) == (
        "planted", "Two losses", scene.source, scene.digest,
    )  # fmt: skip
    assert (plan.command, plan.seed, plan.confidence, plan.margin, plan.blocks) == (
        "assay run", 11, 0.9, 0.01, 4,
    )  # fmt: skip
    assert (plan.baseline, plan.treatment, plan.more) == (BASE, OTHER, ())
    assert [workload.command for workload in plan.workloads] == [("spin", "--once"), ("turn",)]
    assert plan.observation == scene.observation
    assert plan.observation.interval_s == 0.5
    assert plan.goal == scene.design.goal
    assert (plan.floor, plan.data, plan.published, plan.scale, plan.proof_of) == (
        None, None, scene.published, scene.scale, None,
    )  # fmt: skip
    assert plan.trials == plan_trials(
        ["spin", "turn"], blocks=4, seed=11, shape=Shape.PAIRS, runs=plan.goal.runs
    )
    assert world.plan().id != plan.id


def test_a_seed_that_is_not_given_is_drawn(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(prepare.secrets, "randbelow", lambda most: asked.append(most) or 7)
    plan = world.plan(SCENE.replace("seed: 11, ", ""))
    assert (plan.seed, asked) == (7, [2**32])
    zero = world.plan(SCENE.replace("seed: 11", "seed: 0"))
    assert (zero.seed, asked) == (0, [2**32])


def test_further_treatments_are_visited_in_the_same_blocks(world: World) -> None:
    world.arms = replace(ARMS, more=(replace(OTHER, label="more"), replace(OTHER, label="most")))
    plan = world.plan(SCENE.replace("shape: pairs", "shape: double"))
    assert [arm.label for arm in plan.more] == ["more", "most"]
    assert {trial.level for trial in plan.trials} == {0, 1, 2}
    assert {workload.placement.threads for workload in plan.workloads} == {None}


def test_doubts_are_those_of_the_arms_then_of_the_disk_and_of_small_sizes(world: World) -> None:
    assert world.plan().doubts == (("of-arms", "They differ."), ("disk-is-memory", "It is."))
    far = replace(BASE, machine=Machine("far", Reach.SSH, "far"))
    world.arms = replace(ARMS, baseline=far)
    assert world.plan().doubts == (("of-arms", "They differ."),), "this machine's disk is not measured"


def guest(layout: Layout | None = None) -> Arms:
    wanted = PlannedGuest(1, 1 << 30, "none", "image", (), layout or Layout())
    return replace(ARMS, doubts=(), treatment=PlannedArm("guest", BASE.machine, BASE.limits, wanted))


TALKS = SCENE.replace("command: turn", "command: 'turn {server}'")


def test_packets_of_a_guest_are_doubted_where_a_workload_talks_to_the_server(world: World) -> None:
    codes = {}
    for name, arms, text in (
        ("guest", guest(), TALKS),
        ("guest alone", guest(), SCENE),
        ("machine", replace(ARMS, doubts=()), TALKS),
    ):
        world.arms = arms
        codes[name] = [code for code, _ in world.plan(text).doubts]
    assert "vhost-not-confined" in codes["guest"]
    assert codes["guest"][-1] == "vhost-not-confined"
    assert "vhost-not-confined" not in codes["guest alone"] + codes["machine"]


def test_arms_of_one_name_and_work_that_cannot_be_placed_or_shared_are_refused(world: World) -> None:
    world.arms = replace(ARMS, treatment=BASE)
    with pytest.raises(AssayError, match="a name of its own for each arm"):
        world.plan()
    world.arms = ARMS
    pinned = SCENE.replace("command: turn", "command: turn, placement: {copies: 2, pinning: each}")
    with pytest.raises(MissingError, match="cannot pin turn on host"):
        world.plan(pinned)
    world.arms = guest(Layout(3))
    with pytest.raises(AssayError, match="cannot share spin between 3 guests"):
        world.plan()


def test_the_site_s_history_of_the_machine_stands_in_the_plan(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    floor = SiteFloor("node", 0, 5, 0, ())
    monkeypatch.setattr(prepare, "floor_of", lambda *given: asked.append(given) or floor)
    plan = world.plan()
    assert plan.floor == floor
    assert asked == [(world.home, FACTS.hostname)]


def test_the_data_are_drawn_by_the_seed_and_workloads_are_told_their_size(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        prepare, "data_set", lambda scene, **given: asked.append((scene.name, given)) or "data"
    )
    monkeypatch.setattr(prepare, "check_files", lambda *_: None)
    monkeypatch.setattr(prepare, "with_sizes", lambda workloads, data: asked.append(data) or workloads)
    plan = world.plan()
    assert plan.data == "data"  # type: ignore[comparison-overlap]
    assert asked == [("planted", {"seed": 11, "home": world.home}), "data"]


def test_variables_and_packs_are_looked_for_in_the_home_on_all_arms(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    for name in ("with_variables", "with_packs"):
        monkeypatch.setattr(
            prepare,
            name,
            lambda workloads, arms, *, home, name=name: asked.append((name, arms, home)) or workloads,
        )
    world.plan()
    assert asked == [("with_variables", ARMS, world.home), ("with_packs", ARMS, world.home)]


def test_a_suite_with_a_score_has_the_doubts_of_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        prepare, "suite_doubts", lambda *given: asked.append(given) or [Doubt("suite", "It is one.")]
    )
    world.plan()
    assert asked == []
    scene = read_scene(SCENE.encode(), file="planted.yaml")
    goal = replace(scene.design.goal, score=True)
    scored = replace(scene, design=replace(scene.design, goal=goal))
    plan = plan_activity(scored, home=world.home, store=STORE, image=str, command=None)
    assert plan.doubts[-1] == ("suite", "It is one.")
    assert asked == [(ARMS, FACTS)]


def test_the_scale_of_a_scene_stands_in_its_plan(world: World) -> None:
    scene = replace(read_scene(SCENE.encode(), file="planted.yaml"), scale="small")
    plan = plan_activity(scene, home=world.home, store=STORE, image=str, command=None)
    assert plan.scale == "small"
