"""A scene is read again from its activity: with its inputs where they were, and never another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan.reread import reread_scene
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.scenes import load_scene
from assay.workloads import Sizes
from tests.builders import plan_of

SCENE = """\
scene: relative
title: A job with an input beside its scene
baseline: {machine: local}
treatment: {machine: local}
workloads: [{name: job, command: cat data/one, inputs: [data]}]
"""


@pytest.fixture
def plan(tmp_path: Path) -> ActivityPlan:
    (tmp_path / "data").mkdir()
    file = tmp_path / "scene.yaml"
    file.write_text(SCENE)
    scene = load_scene(file)
    workloads = scene.prepare(Sizes(None, 1 << 30, 1))
    return plan_of((), scene_text=scene.source, scene_digest=scene.digest, workloads=workloads)


def test_relative_inputs_are_found_where_the_scene_was(plan: ActivityPlan) -> None:
    scene = reread_scene(plan)
    assert scene.digest == plan.scene_digest
    assert scene.prepare(Sizes(None, 1 << 30, 1))[0].inputs == plan.workloads[0].inputs


def test_inputs_that_are_gone_are_said(plan: ActivityPlan, tmp_path: Path) -> None:
    (tmp_path / "data").rmdir()
    with pytest.raises(AssayError, match=r"its inputs are no longer where they were: .*/data"):
        reread_scene(plan)


def test_a_scene_that_means_something_else_now_is_refused(plan: ActivityPlan) -> None:
    with pytest.raises(AssayError, match="understands its scene in another way"):
        reread_scene(replace(plan, scene_digest="0" * 64))


def test_a_scene_without_inputs_needs_no_folder() -> None:
    text = SCENE.replace(", inputs: [data]", "").replace("cat data/one", "/bin/true")
    from assay.scenes import read_scene

    digest = read_scene(text.encode(), file="x.yaml").digest
    assert reread_scene(plan_of((), scene_text=text, scene_digest=digest)).name == "relative"


WRONG = (
    "scene: relative\ntitle: x\nbaseline: {machine: local}\ntreatment: {machine: local}\nworkloads: "
    "[{use: fia}]\n"
)


def test_a_scene_that_this_assay_refuses_says_what_is_wrong_in_it() -> None:
    with pytest.raises(AssayError, match=r"its scene cannot be used: line 5, column \d+: .*fia"):
        reread_scene(plan_of((), scene_text=WRONG))


def test_what_is_wrong_in_a_scene_is_said_though_its_inputs_are_there(plan: ActivityPlan) -> None:
    text = SCENE.replace(
        "treatment: {machine: local}", "treatment: {machine: local, factors: {cpu.quoto: 50 %}}"
    )
    with pytest.raises(AssayError, match=r"its scene cannot be used: line 4, .*cpu.quot") as caught:
        reread_scene(replace(plan, scene_text=text))
    assert "inputs" not in caught.value.message
