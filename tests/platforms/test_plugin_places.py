"""Places of plug-ins: made with a note, looked at, removed, and found after a crash."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.model.platforms.plugin_place import PluginPlace, SeenPluginPlace
from assay.model.plugins import NoSuchError, Plugins
from assay.places import VisitSpec
from assay.places.catalogue import PLACES
from assay.platforms.claims import claim, release
from assay.platforms.errors import PlatformError
from assay.platforms.leftovers.clean import clean, leftovers
from assay.platforms.plugin_places import (
    Note,
    end_places,
    left_places,
    look,
    memory_of,
    open_place,
    place_spec,
    remove_place,
    why_not,
)
from tests.places.rooms import Rooms, add_rooms
from tests.platforms.guest_parts import PROBE

THICK = PluginPlace("room", (("room.walls", "thick"),))


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> Rooms:
    return add_rooms(monkeypatch, Rooms())


def note_of(home: Path, activity: str = "0123abcd", **changes: Any) -> Note:
    spec = place_spec(THICK, name=f"assay-{activity}-b0", cpus=(1, 2), memory_bytes=None, home=home)
    return Note(activity, "room", replace(spec, **changes))


def test_a_place_is_opened_in_an_empty_folder_of_its_own(rooms: Rooms, tmp_path: Path) -> None:
    note = note_of(tmp_path)
    opened = open_place(note)
    folder = tmp_path / "places" / "assay-0123abcd-b0" / "own"
    ((act, spec),) = rooms.acts
    assert (act, spec) == (
        "open",
        VisitSpec("assay-0123abcd-b0", {"room.walls": "thick"}, (1, 2), None, folder, tmp_path / "work"),
    )
    assert list(folder.iterdir()) == []
    assert folder.stat().st_mode & 0o777 == 0o700
    assert callable(opened.enter)
    remove_place(note)
    assert rooms.did() == ["open", "remove"]
    assert list((tmp_path / "places").iterdir()) == []
    remove_place(note)  # twice is no error


def test_what_is_seen_is_kept_with_the_first_line_of_its_version(rooms: Rooms, tmp_path: Path) -> None:
    rooms.seen = {"room.doors": "3"}
    note = note_of(tmp_path)
    seen = look(note, open_place(note))
    levels = (("room.walls", "thick"), ("room.doors", "3"))
    assert seen == SeenPluginPlace("room", "rooms of a house", "house 3", levels)


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        ("thin", "room.walls=thin is in force"),
        (None, "its plug-in does not say what is in force"),
    ],
)
def test_a_level_that_is_not_seen_as_asked_is_no_place_to_measure_in(
    rooms: Rooms, tmp_path: Path, seen: str | None, found: str
) -> None:
    rooms.seen = {"room.walls": seen}
    note = note_of(tmp_path)
    opened = open_place(note)
    with pytest.raises(PlatformError) as refused:
        look(note, opened)
    assert refused.value.message == (
        f"cannot measure in assay-0123abcd-b0: room.walls=thick was asked for, {found}"
    )


def test_what_a_plug_in_raises_is_the_reason_in_one_line(rooms: Rooms, tmp_path: Path) -> None:
    rooms.fails = "open"
    with pytest.raises(PlatformError) as refused:
        open_place(note_of(tmp_path))
    assert refused.value.message == (
        "cannot start assay-0123abcd-b0: the plug-in of 'room' failed, RuntimeError: the house"
    )


def test_a_place_that_cannot_be_had_or_whose_plug_in_is_not_there_is_told(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (why_not(THICK), memory_of(THICK)) == (None, None)
    rooms.why, rooms.memory_bytes = "no house here", 7
    assert (why_not(THICK), memory_of(THICK)) == ("no house here", 7)
    monkeypatch.setattr(PLACES, "_added", Plugins({}, ("plug-in 'room' of houses 1.0: broken",)))
    with pytest.raises(NoSuchError) as refused:
        why_not(THICK)
    assert refused.value.hint == "plug-in 'room' of houses 1.0: broken"


def test_a_place_that_a_killed_process_left_is_removed_and_one_of_a_living_is_not(
    rooms: Rooms, tmp_path: Path
) -> None:
    note, living = note_of(tmp_path), note_of(tmp_path, "89abcdef")
    claim(tmp_path, "89abcdef")
    try:
        for one in (note, living):
            open_place(one)
        assert left_places(tmp_path) == ((note.spec.folder.parent, note),)
        assert [
            (one.kind, one.name, one.why)
            for one in leftovers(tmp_path, subreaper=PROBE)
            if one.kind == "place"
        ] == [("place", "assay-0123abcd-b0", "left by activity 0123abcd")]
        assert "assay-0123abcd-b0" in {one.name for one in clean(tmp_path, subreaper=PROBE)}
        assert rooms.acts[-1] == ("remove", note.spec)
        assert [folder.name for folder in (tmp_path / "places").iterdir()] == ["assay-89abcdef-b0"]
        end_places(tmp_path, "89abcdef")
        assert rooms.acts[-1] == ("remove", living.spec)
    finally:
        release(tmp_path, "89abcdef")


def test_a_place_whose_removal_fails_stays_for_another_attempt(rooms: Rooms, tmp_path: Path) -> None:
    note = note_of(tmp_path)
    open_place(note)
    rooms.fails = "remove"
    with pytest.raises(PlatformError, match="cannot remove assay-0123abcd-b0"):
        remove_place(note)
    rooms.fails = ""
    end_places(tmp_path, "0123abcd")
    assert left_places(tmp_path) == ()


@pytest.mark.usefixtures("rooms")
def test_a_place_without_its_plug_in_stays_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_place(note_of(tmp_path))
    monkeypatch.setattr(PLACES, "_added", Plugins({}, ()))
    end_places(tmp_path, "0123abcd")
    (found,) = (one for one in leftovers(tmp_path, subreaper=PROBE) if one.kind == "place")
    assert (found.removable, found.why) == (
        False, "no plug-in adds 'room', which would remove it; install it, and clean again",
    )  # fmt: skip
    # groups of tests that ended before may go with it
    assert not [one for one in clean(tmp_path, subreaper=PROBE) if one.kind == "place"]
    assert len(left_places(tmp_path)) == 1


@pytest.mark.usefixtures("rooms")
def test_a_place_whose_note_was_not_written_was_never_started(tmp_path: Path) -> None:
    note = note_of(tmp_path)
    open_place(note)
    (note.spec.folder.parent / "note.json").write_text("{")
    (found,) = (one for one in leftovers(tmp_path, subreaper=PROBE) if one.kind == "place")
    assert found.why == "was never started"
    end_places(tmp_path, "other")
    assert left_places(tmp_path) == ()
