"""A scene put on another machine: a lane has its own machine where the scene says ``local``."""

from __future__ import annotations

import pytest

from assay.model.errors import AssayError
from assay.scenes import Guest, OtherMachine, SceneError, lane_scene, read_scene
from tests.places.rooms import Rooms, add_rooms

WORK = "workloads: [{use: sysbench-cpu}]\n"


def scene(words: str) -> str:
    return f"scene: a\ntitle: A\n{words}{WORK}"


@pytest.mark.parametrize(
    "words",
    [
        "baseline: {machine: local}\ntreatment: {machine: local}\n",
        "baseline: {machine: local}\ntreatment: {machine: local, factors: {cpu.quota: 50 %}}\n",
        "baseline: {machine: local}\ntreatment: {platform: guest}\n",
        "baseline: {machine: local}\ntreatments: [{machine: local}, {platform: guest}]\n",
    ],
)
def test_a_lane_says_its_machine_wherever_the_scene_says_local_and_is_read_as_it_was_written(
    words: str,
) -> None:
    made = lane_scene(read_scene(scene(words).encode(), file="a.yaml"), "node01")
    assert made.baseline == "node01"
    named = [one.machine for one in made.treatments if isinstance(one, OtherMachine)]
    assert set(named) <= {"node01"}
    assert all(one.machine is None for one in made.treatments if isinstance(one, Guest))
    again = read_scene(made.source.encode(), file="a.yaml")
    assert again.digest == made.digest
    assert again.baseline == "node01"


def test_this_machine_alone_stays_as_it_is() -> None:
    words = "baseline: {machine: local}\ntreatment: {machine: local}\n"
    asked = read_scene(scene(words).encode(), file="a.yaml")
    assert lane_scene(asked, "local") == asked


def test_a_scene_with_a_machine_of_its_own_is_refused() -> None:
    words = "baseline: {machine: node09}\ntreatment: {platform: guest}\n"
    with pytest.raises(AssayError, match="its baseline is node09"):
        lane_scene(read_scene(scene(words).encode(), file="a.yaml"), "node01")


@pytest.mark.parametrize("treatment", ["{machine: node02}", "{machine: local}", "{platform: runc}"])
def test_another_machine_is_compared_with_its_guests_and_with_itself_alone(treatment: str) -> None:
    words = f"baseline: {{machine: node01}}\ntreatment: {treatment}\n"
    with pytest.raises(SceneError, match="expected 'local' where the treatment is no guest, got 'node01'"):
        read_scene(scene(words).encode(), file="a.yaml")


def test_places_of_a_plug_in_are_on_no_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rooms(monkeypatch, Rooms(), elsewhere=True)
    asked = read_scene(
        scene("baseline: {machine: local}\ntreatment: {platform: room}\n").encode(), file="a.yaml"
    )
    assert lane_scene(asked, "local") == asked
    with pytest.raises(AssayError, match="places of kind 'room' are not made on them") as refused:
        lane_scene(asked, "node01")
    assert refused.value.hint == "a scene for each machine: baseline: {machine: node01}"
