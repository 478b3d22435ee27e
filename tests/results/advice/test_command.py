"""The command that tests a setting: it runs the scene that was measured, with that setting alone changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.results.advice.command import Commands
from assay.scenes import Asked, Scene, asked_scene, command_scene, find_scene, read_scene
from tests.results.advice.guests import of_scene, plan_with

KEPT = "assay result scene 0123abcd --output 0123abcd.yaml && assay evaluate 0123abcd.yaml"
TESTS = "--baseline guest --set cpu.mode=host-passthrough"


def command_of(scene: Scene, program: str | None = None, factor: str = "cpu.mode") -> str | None:
    level = "host-passthrough" if factor == "cpu.mode" else "on"
    return Commands(of_scene(plan_with(), scene, program)).of(factor, level)


def mine(text: str) -> Scene:
    return read_scene(text.encode(), file="mine.yaml")


OWN = """scene: mine
title: Mine
baseline: {{machine: local}}
treatment: {}
workloads: [{{use: stream, placement: {{copies: 2}}}}]
"""


def test_a_ready_scene_is_named() -> None:
    assert command_of(find_scene("quick")) == f"assay evaluate quick {TESTS}"


def test_a_ready_scene_is_named_with_its_scale() -> None:
    scene = find_scene("basic", scale="minutes")
    assert command_of(scene) == f"assay evaluate basic --scale minutes {TESTS}"


def test_a_scale_that_this_version_has_not_is_that_of_the_kept_scene() -> None:
    scene = replace(find_scene("basic", scale="minutes"), scale="seconds")
    assert command_of(scene) == f"{KEPT} {TESTS}"


@pytest.mark.parametrize(
    "asked",
    [
        Asked({"cpu.model": "Nehalem"}),
        Asked({"memory.size": "4GiB"}),
        Asked({}, workloads=("stream",)),
        Asked({"cpu.model": "Nehalem"}, "guest"),
    ],
    ids=("set", "memory", "workload", "baseline"),
)
def test_what_was_asked_for_beside_a_scene_is_in_the_scene_that_was_kept(asked: Asked) -> None:
    assert command_of(asked_scene(find_scene("quick"), asked)) == f"{KEPT} {TESTS}"


def test_an_edited_copy_of_a_ready_scene_is_not_the_ready_one() -> None:
    text = find_scene("basic").source
    assert command_of(mine("# mine\n" + text)) == f"assay evaluate basic {TESTS}"
    edited = mine(text.replace("blocks: 3", "blocks: 4"))
    assert edited.name == "basic"
    assert command_of(edited) == f"{KEPT} {TESTS}"


def test_a_scene_of_ones_own_is_the_one_that_was_kept() -> None:
    own = mine(find_scene("quick").source.replace("scene: quick", "scene: mine"))
    assert command_of(own) == f"{KEPT} {TESTS}"


def test_a_command_is_given_again(tmp_path: Path) -> None:
    scene = command_scene(["sleep", "1"], folder=tmp_path)
    assert command_of(scene, "sleep 1") == f"assay evaluate --command 'sleep 1' {TESTS}"
    altered = asked_scene(scene, Asked({"memory.size": "4GiB"}))
    assert command_of(altered, "sleep 1") == f"{KEPT} {TESTS}"


def test_a_command_with_files_of_its_own_is_the_scene_that_was_kept(tmp_path: Path) -> None:
    """Where it was given, and with which files, its words do not say."""
    (tmp_path / "job").write_text("#!/bin/sh\n")
    (tmp_path / "cards").write_text("1\n")
    with_program = command_scene(["./job"], folder=tmp_path)
    with_input = command_scene(["cat", "cards"], inputs=("cards",), folder=tmp_path)
    for scene, program in ((with_program, "./job"), (with_input, "cat cards")):
        assert command_of(scene, program) == f"{KEPT} {TESTS}"


@pytest.mark.parametrize(
    "treatment",
    [
        "{machine: local}",
        "{platform: guest, factors: {disk.cache: [none, writeback]}}",
        "{platform: guest, layout: [{guests: 1}, {guests: 2}]}",
    ],
)
def test_a_treatment_that_is_not_one_guest_takes_a_scene_that_is_written(treatment: str) -> None:
    assert command_of(mine(OWN.format(treatment))) is None


def test_a_start_is_set_where_the_scene_has_guests_that_share_one() -> None:
    quick = find_scene("quick")
    assert command_of(quick, factor="start.preload") is not None
    assert command_of(quick, factor="start.stagger") is None
