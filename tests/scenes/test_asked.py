"""A scene with what the command line asks for in its text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.errors import AssayError
from assay.model.platforms.layout import Layout
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
        (
            Asked({"disk.cahce": "none"}),
            "'--set disk.cahce=none': expected the name of a factor, got 'disk.cahce'",
        ),
        (Asked({"disk.cahce": "none"}), "; nearest: 'disk.cache'"),
        (Asked({"disk.cache": "none,nonne"}), "unsafe, got 'nonne'; nearest: 'none'"),
        (Asked({"cpu.vcpus": "0"}), "cannot read '--set cpu.vcpus=0': expected"),
        (Asked({"data.access": "nfs"}), "--show-scene:7:3: expected the key 'data'"),
        (Asked({"disk.cache": ""}), "'--set disk.cache=': expected a level after the ="),
        (Asked({"disk.cache": "[" * 100_000}), "expected a level, or several with commas"),
        (Asked({"disk.cache": "[["}), "expected a level, or several with commas"),
        (Asked(workloads=("strem",)), "nearest: 'stream'"),
    ],
)
def test_what_is_wrong_is_told(asked: Asked, line: str) -> None:
    with pytest.raises(AssayError) as error:
        asked_scene(QUICK, asked)
    assert line in error.value.message


def test_a_scene_whose_treatment_is_no_guest_has_no_guest_to_compare_with() -> None:
    with pytest.raises(AssayError, match="its treatment is none"):
        asked_scene(find_scene("noise-floor"), Asked(baseline="guest"))


CROWD = read_scene(
    b"""scene: crowd
title: Four guests
baseline: {machine: local}
treatment: {platform: guest, factors: {cpu.vcpus: 4}, layout: {guests: 4, stagger: 2 s}}
workloads: [two-phase]
placement: {copies: 4}
""",
    file="crowd.yaml",
)


def test_starts_are_set_in_the_layout_of_several_guests() -> None:
    scene = asked_scene(
        CROWD, Asked({"start.stagger": "0 s,5 s", "start.at_once": "2", "start.preload": "on"})
    )
    assert [one.layout for one in scene.guests] == [
        Layout(4, preload=True),
        Layout(4, 5.0, preload=True, at_once=2),
    ]
    assert {one.settings for one in scene.guests} == {()}
    assert scene.title == "crowd with start.stagger=0 s,5 s, start.at_once=2, start.preload=on"
    assert read_scene(scene.source.encode(), file=scene.file).treatments == scene.treatments


def test_the_guests_as_they_are_may_be_the_baseline_of_other_starts() -> None:
    scene = asked_scene(CROWD, Asked({"start.stagger": "0 s", "disk.cache": "unsafe"}, baseline="guest"))
    assert scene.baseline_guest == Guest(4, layout=Layout(4, 2.0))
    assert scene.treatment == Guest(4, disk_cache="unsafe", layout=Layout(4))


def test_guests_of_several_layouts_are_one_guest_as_a_baseline() -> None:
    scene = asked_scene(find_scene("consolidation"), Asked(baseline="guest"))
    assert scene.baseline_guest is not None
    assert scene.baseline_guest.layout == Layout()
    swept = read_scene(CROWD.source.replace("2 s", "[0 s, 2 s]").encode(), file="crowd.yaml")
    assert asked_scene(swept, Asked(baseline="guest")).baseline_guest == Guest(4)


def test_a_preload_may_be_set_for_one_guest() -> None:
    scene = asked_scene(QUICK, Asked({"start.preload": "on, off"}))
    assert [one.layout for one in scene.guests] == [Layout(preload=True), Layout()]


@pytest.mark.parametrize(
    ("scene", "name", "why"),
    [
        ("quick", "start.stagger", "it takes several guests: layout: {guests: 4}"),
        ("quick", "start.at_once", "it takes several guests: layout: {guests: 4}"),
        ("consolidation", "start.stagger", "its treatment has a list of layouts"),
        ("noise-floor", "start.preload", "its treatment has no layout"),
    ],
)
def test_starts_that_a_scene_cannot_have_are_refused_with_what_to_do(scene: str, name: str, why: str) -> None:
    level = "on" if name == "start.preload" else "2 s" if name == "start.stagger" else "2"
    with pytest.raises(AssayError) as error:
        asked_scene(find_scene(scene), Asked({name: level}))
    assert error.value.message == f"cannot set {name} of the scene {scene}: {why}"
    assert error.value.hint == f"write it into a scene of your own: assay scene show {scene}"


@pytest.mark.parametrize(
    ("name", "levels", "line"),
    [
        ("start.stagger", "5", "'--set start.stagger=5': expected a time from 0 s to 1 h"),
        ("start.at_once", "0 s", "expected a whole number from 1 to 255, got '0 s'"),
        ("start.preload", "true", "expected one of on, off, got 'True'"),
    ],
)
def test_wrong_levels_of_starts_are_told(name: str, levels: str, line: str) -> None:
    with pytest.raises(AssayError) as error:
        asked_scene(CROWD, Asked({name: levels}))
    assert line in error.value.message


def test_starts_among_the_factors_are_told_their_place() -> None:
    text = CROWD.source.replace("cpu.vcpus: 4", "start.at_once: 2")
    with pytest.raises(SceneError) as error:
        read_scene(text.encode(), file="crowd.yaml")
    assert "got 'start.at_once'" in error.value.message
    assert "layout: {guests: 4, at-once: …}" in str(error.value.hint or error.value.problems[0].hint)
