"""Scenes whose treatment is a place of a plug-in."""

from __future__ import annotations

import json

import pytest

from assay.model.platforms.plugin_place import PluginPlace
from assay.scenes import scene_schema
from assay.scenes.changes.write import write_scene
from assay.scenes.load import read_scene
from tests.places.rooms import Rooms, add_rooms
from tests.scenes.parts import scene
from tests.scenes.wrong import refuse_changed


@pytest.fixture(autouse=True)
def rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rooms(monkeypatch, Rooms())


def test_a_place_without_factors_has_none() -> None:
    assert scene("{platform: room}").treatments == (PluginPlace("room"),)


def test_levels_of_a_sweep_are_places_in_the_order_of_the_kinds_factors_and_written_the_same() -> None:
    read = scene("{platform: room, factors: {room.doors: [2, 1], room.walls: thick}}")
    assert read.plugin_places == tuple(
        PluginPlace("room", (("room.walls", "thick"), ("room.doors", doors))) for doors in ("2", "1")
    )
    assert read_scene(write_scene(read).encode(), file="trial.yaml").digest == read.digest


@pytest.mark.parametrize(
    ("treatment", "message"),
    [
        (
            "{platform: room, factors: {room.wals: thin}}",
            "expected a factor of room (room.walls, room.doors), got 'room.wals'; nearest: 'room.walls'",
        ),
        (
            "{platform: room, factors: {room.walls: thinn}}",
            "expected one of thin, thick, got 'thinn'; nearest: 'thin'",
        ),
        ("{platform: room, factors: {room.doors: 10}}", "expected a whole number from 0 to 9, got 10"),
        ("{platform: room, factors: {room.walls: []}}", "got an empty list"),
        ("{platform: room, packages: [bc]}", "got the unknown key 'packages'"),
        ("{platform: rom}", "room, got 'rom'; nearest: 'room'"),
    ],
)
def test_what_the_kind_does_not_know_is_refused_at_its_place(treatment: str, message: str) -> None:
    error = refuse_changed("{platform: guest}", treatment)
    assert message in error.message
    assert error.line == 4


def test_a_kind_without_factors_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rooms(monkeypatch, Rooms(), factors={})
    error = refuse_changed("{platform: guest}", "{platform: room, factors: {a.b: 1}}")
    assert "expected a factor of room (it has none), got 'a.b'" in error.message


def test_the_schema_has_the_names_of_assay_alone() -> None:
    assert "Plugin" not in json.dumps(scene_schema())


def test_a_platform_of_a_package_that_is_not_installed_names_the_package() -> None:
    error = refuse_changed("{platform: guest}", "{platform: openstack}")
    assert "room, got 'openstack'" in error.message
    assert error.hint == "'openstack' comes with a package of its own: pip install assay-openstack"
