"""A scene with what the command line asks for in its text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.errors import AssayError
from assay.scenes import Asked, Guest, SceneError, asked_scene, find_scene, read_scene

QUICK = find_scene("quick")


def guest(scene: object) -> Guest:
    treatment = scene.treatment  # type: ignore[attr-defined]
    assert isinstance(treatment, Guest)
    return treatment


def test_a_setting_stands_beside_those_of_the_scene() -> None:
    scene = asked_scene(QUICK, Asked({"disk.cache": "writeback", "cpu.mode": "maximum", "disk.queues": "2"}))
    assert guest(scene).disk_cache == "writeback"
    assert dict(guest(scene).settings) == {"cpu.mode": "maximum", "disk.queues": "2"}
    assert guest(scene).memory_bytes == guest(QUICK).memory_bytes
    assert scene.title == "quick with disk.cache=writeback, cpu.mode=maximum, disk.queues=2"
    assert scene.workloads == QUICK.workloads
    assert (scene.takes_s, scene.published) == (None, ())
    assert "# short blocks" in scene.source
    again = read_scene(scene.source.encode(), file="again.yaml")
    assert again == replace(scene, file="again.yaml")


def test_several_levels_are_a_sweep() -> None:
    scene = asked_scene(QUICK, Asked({"disk.cache": "none, writeback,unsafe"}))
    assert [one.disk_cache for one in scene.guests] == ["none", "writeback", "unsafe"]


def test_a_level_with_commas_is_quoted() -> None:
    scene = asked_scene(QUICK, Asked({"cpu.vcpupin": '"0,2"'}))
    assert len(scene.treatments) == 1
    assert dict(guest(scene).settings) == {"cpu.vcpupin": "0,2"}


def test_the_guest_as_it_is_may_be_the_baseline() -> None:
    scene = asked_scene(QUICK, Asked({"disk.cache": "writeback"}, baseline="guest"))
    assert scene.baseline_guest is not None
    assert scene.baseline_guest.disk_cache == "none"
    assert scene.baseline_guest.memory_bytes == guest(scene).memory_bytes
    assert guest(scene).disk_cache == "writeback"


def test_ready_workloads_stand_in_the_place_of_the_scenes() -> None:
    scene = asked_scene(QUICK, Asked(workloads=("stream", "fio")))
    assert [one.name for one in scene.workloads] == ["stream", "fio"]
    assert scene.treatment == QUICK.treatment


def test_nothing_asked_is_the_same_scene() -> None:
    assert asked_scene(QUICK, Asked()) is QUICK


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (Asked({"disk.cahce": "none"}), "--show-scene:7:68: expected one of"),
        (Asked({"disk.cache": "fast"}), "expected one of none, writeback"),
        (Asked({"disk.cache": ""}), "expected a level after 'disk.cache='"),
        (Asked({"disk.cache": "[" * 100_000}), "expected a level, or several with commas"),
        (Asked({"disk.cache": "[["}), "expected a level, or several with commas"),
        (Asked(workloads=("strem",)), "nearest: 'stream'"),
    ],
)
def test_what_is_wrong_is_told(asked: Asked, line: str) -> None:
    with pytest.raises(SceneError) as error:
        asked_scene(QUICK, asked)
    assert line in error.value.message


def test_a_scene_whose_treatment_is_no_guest_has_no_guest_to_compare_with() -> None:
    with pytest.raises(AssayError, match="its treatment is none"):
        asked_scene(find_scene("noise-floor"), Asked(baseline="guest"))
