"""A place of a plug-in opened with the probe: entered by a command, or by SSH."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.activities.visits.added import added_visit
from assay.machines import UnreachableError
from assay.model.activity import PlannedArm
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.plugin_place import PluginPlace
from assay.platforms.errors import PlatformError
from assay.platforms.plugin_places import Note, open_place, place_spec
from tests.hosts import SshHost, entered, ssh_host
from tests.places.rooms import Rooms, add_rooms

ROOM = PluginPlace("room", (("room.walls", "thin"),))
CPUS = tuple(sorted(os.sched_getaffinity(0)))
ARM = PlannedArm("room", Machine("local"), Limits(CPUS[:1]), plugin=ROOM)


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> Rooms:
    return add_rooms(monkeypatch, Rooms())


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    """A real sshd."""
    with ssh_host(tmp_path_factory.mktemp("host")) as made, entered(made.client_namespace):
        yield made


def note_of(home: Path, cpus: tuple[int, ...] = CPUS[:1]) -> Note:
    return Note(
        "0123abcd",
        "room",
        place_spec(ROOM, name="assay-0123abcd-b0", cpus=cpus, memory_bytes=None, home=home),
    )


def test_one_that_is_entered_by_a_command_runs_on_its_processors(rooms: Rooms, tmp_path: Path) -> None:
    note = note_of(tmp_path)
    with added_visit(open_place(note), note, ARM, home=tmp_path) as visit:
        assert visit.facts.cpus == CPUS[:1]
        assert visit.plugin is not None
        assert (visit.plugin.version, visit.plugin.levels) == ("house 3", (("room.walls", "thin"),))
        assert (visit.limits, visit.own_clock, visit.runs_programs) == (Limits(CPUS[:1]), False, False)
    assert rooms.did() == ["open", "seen"]


def test_one_that_is_reached_by_ssh_has_a_clock_of_its_own_and_runs_programs(
    rooms: Rooms, host: SshHost, tmp_path: Path
) -> None:
    rooms.by = host.described()
    note = note_of(tmp_path, CPUS)
    with added_visit(open_place(note), note, ARM, home=tmp_path) as visit:
        assert (visit.limits, visit.own_clock, visit.runs_programs) == (Limits(), True, True)
        assert visit.run(["echo", "here"], timeout_s=30) == b"here\n"


def test_one_that_has_not_the_processors_that_were_asked_for_is_no_place_to_measure_in(
    rooms: Rooms, host: SshHost, tmp_path: Path
) -> None:
    rooms.by = host.described()
    note = note_of(tmp_path, (*CPUS, 9999))
    with (
        pytest.raises(PlatformError, match=f"it has {len(CPUS)} processors, asked were {len(CPUS) + 1}"),
        added_visit(open_place(note), note, ARM, home=tmp_path),
    ):
        pass


def test_one_whose_command_fails_cannot_be_entered(
    rooms: Rooms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "_enter", lambda argv: ["false", *argv])
    note = note_of(tmp_path)
    with pytest.raises(UnreachableError), added_visit(open_place(note), note, ARM, home=tmp_path):
        pass
