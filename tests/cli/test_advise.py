"""What to change, on a result that is kept."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.activity import ActivityPlan
from assay.scenes import Asked, Guest, asked_scene, command_scene, find_scene, read_scene
from assay.store.store import Store
from tests.command import run
from tests.results.advice.guests import of_scene, plan_with, records_of, usage_with, write_host
from tests.results.folders import kept


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return kept_home(tmp_path / "home", plan_with({"disk.cache": "directsync"}))


def kept_home(home: Path, plan: ActivityPlan) -> Path:
    folder = kept(home / "activities" / plan.id, plan, records_of(plan, *usage_with("disk-throughput")))
    write_host(folder, {})
    store = Store(home)
    store.import_folder(folder)
    store.close()
    return home


def test_the_setting_that_could_lift_most_is_told_with_the_command_that_tests_it(home: Path) -> None:
    done = run("advise", "0123abcd", home=home)
    assert done.code == 0
    assert "1  disk.cache=writeback  " in done.out
    assert "   test it: assay evaluate quick --baseline guest --set disk.cache=writeback\n" in done.out


def test_it_is_told_as_json(home: Path) -> None:
    page = run("advise", "--json", home=home).page
    assert (page["schema"], page["version"]) == ("assay.advice", [1, 1])
    assert page["rows"][0]["factor"] == "disk.cache"
    assert page["rows"][0]["hazards"] == ["data", "migration"]


def test_a_result_that_is_not_there_is_said_in_a_line(home: Path) -> None:
    done = run("advise", "ffff0000", home=home)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("error: unknown activity 'ffff0000'")


def test_the_command_of_a_scene_that_was_kept_changes_that_setting_alone(tmp_path: Path) -> None:
    """Both of its halves are run; of the second the scene that it amounts to is looked at."""
    (tmp_path / "job").write_text("#!/bin/sh\n")
    (tmp_path / "job").chmod(0o755)
    asked = asked_scene(
        command_scene(["./job"], folder=tmp_path), Asked({"disk.cache": "directsync", "cpu.vcpus": "1"})
    )
    plan = of_scene(plan_with({"disk.cache": "directsync"}), asked, "./job")
    here = (str(tmp_path / "job"),)
    plan = replace(plan, workloads=(replace(plan.workloads[0], inputs=here),))
    home = kept_home(tmp_path / "home", plan)
    row = run("advise", "--json", home=home).page["rows"][0]
    assert row["factor"] == "disk.cache"
    first, _, second = row["command"].partition(" && ")
    there = tmp_path / "elsewhere"
    there.mkdir()
    assert run(*shlex.split(first)[1:], home=home, folder=there).code == 0
    told = run(*shlex.split(second)[1:], "--show-scene", home=home, folder=there)
    scene = read_scene(told.out.encode(), file="told.yaml")
    assert isinstance(scene.treatment, Guest)
    assert scene.baseline_guest == asked.treatment
    assert replace(scene.treatment, disk_cache="directsync") == asked.treatment
    assert scene.treatment.disk_cache == "writeback"
    assert [getattr(one, "inputs", None) for one in scene.workloads] == [here]


def test_the_command_of_a_scale_is_a_scene_of_that_scale(tmp_path: Path) -> None:
    scale = find_scene("basic", scale="minutes")
    plan = of_scene(plan_with({"disk.cache": "directsync"}), scale)
    home = kept_home(tmp_path / "home", plan)
    command = run("advise", "--json", home=home).page["rows"][0]["command"]
    told = run(*shlex.split(command)[1:], "--show-scene", home=home)
    scene = read_scene(told.out.encode(), file="told.yaml")
    assert (scene.scale, scene.workloads) == ("minutes", scale.workloads)
    assert scene.baseline_guest == scale.treatment
