"""Removal: what a marker names goes, what lies elsewhere and is only reached from there stays."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.model.files.home import mark_home
from assay.model.files.marker import FILE, make_marked
from assay.model.files.native import PROBE
from assay.platforms import removal
from assay.platforms.containers.leftover import end_containers, left_containers
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.leftovers import clean as cleaning
from assay.platforms.leftovers.clean import leftovers
from assay.platforms.mounts import Mount
from assay.platforms.removal import remove_tree, scratch_folder
from assay.platforms.saved_states.saved_store import half_saved
from tests.passing import pass_by

REMOVERS = [remove_tree, remove_folder]


@pytest.mark.parametrize("remove", REMOVERS)
def test_a_marked_folder_goes_with_its_links_but_not_what_they_lead_to(
    tmp_path: Path, remove: Callable[[Path], object]
) -> None:
    kept, ours = tmp_path / "kept", tmp_path / "ours [a-z]*?"
    (kept / "deep").mkdir(parents=True)
    make_marked(ours)
    (ours / "sub" / "deep").mkdir(parents=True)
    (ours / "sub" / FILE).touch()
    (ours / "link").symlink_to(kept)
    (ours / "sub" / "link").symlink_to(kept / "deep")
    remove(ours)
    assert not ours.exists()
    assert (kept / "deep").is_dir()


@pytest.mark.parametrize("remove", REMOVERS)
def test_a_folder_without_a_marker_and_a_link_stay(tmp_path: Path, remove: Callable[[Path], object]) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").touch()
    make_marked(tmp_path / "ours")
    (tmp_path / "link").symlink_to(tmp_path / "ours")
    (tmp_path / "file").touch()
    for name in ("mine", "link", "file", "gone"):
        remove(tmp_path / name)
    assert (mine / "thesis.tex").is_file()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "ours").is_dir()
    assert (tmp_path / "file").is_file()


def test_an_empty_folder_holds_nothing_that_could_be_lost(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert remove_folder(tmp_path / "empty")
    assert not (tmp_path / "empty").exists()


def test_a_folder_whose_making_was_cut_off_goes_with_its_half_marker(tmp_path: Path) -> None:
    for name in ("half", "mine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{FILE}.4711.new").touch()
    (tmp_path / "mine" / "thesis.tex").touch()
    assert remove_folder(tmp_path / "half")
    assert not remove_folder(tmp_path / "mine")
    assert len(list((tmp_path / "mine").iterdir())) == 2


def test_a_part_of_a_marked_folder_may_go(tmp_path: Path) -> None:
    make_marked(tmp_path / "ours")
    (tmp_path / "ours" / "part" / "deep").mkdir(parents=True)
    assert remove_folder(tmp_path / "ours" / "part")
    assert [path.name for path in (tmp_path / "ours").iterdir()] == [FILE]


def test_what_is_cut_short_keeps_its_marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_marked(tmp_path / "ours")
    (tmp_path / "ours" / "part").touch()
    monkeypatch.setattr(removal, "ask", lambda *_, **__: None)
    remove_tree(tmp_path / "ours")
    assert {path.name for path in (tmp_path / "ours").iterdir()} == {FILE, "part"}


@pytest.mark.parametrize("below", ["", "deep/mnt"])
def test_what_holds_a_mount_stays_whatever_its_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    make_marked(tmp_path / "ours")
    (tmp_path / "ours" / "deep").mkdir()
    mount = Mount(tmp_path / "ours" / below, "ext4", "/dev/vda")
    monkeypatch.setattr(removal, "read_mounts", lambda: (mount,))
    remove_tree(tmp_path / "ours")
    assert (tmp_path / "ours" / "deep").is_dir()


def test_a_real_mount_is_unmounted_and_what_it_shows_stays(tmp_path: Path) -> None:
    kept, ours = tmp_path / "kept", tmp_path / "ours"
    kept.mkdir()
    (kept / "thesis.tex").touch()
    make_marked(ours)
    (ours / "mnt").mkdir()
    done = subprocess.run(["mount", "--bind", kept, ours / "mnt"], capture_output=True, check=False)
    if done.returncode != 0:
        pass_by("only root can mount")
    remove_tree(ours)
    assert (ours / "mnt" / "thesis.tex").is_file()
    assert remove_folder(ours)
    assert (kept / "thesis.tex").is_file()


def test_a_scratch_folder_is_ours_and_its_owners_alone(tmp_path: Path) -> None:
    folder = scratch_folder(".build-", tmp_path)
    assert folder.name.startswith(".build-")
    assert folder.stat().st_mode & 0o777 == 0o700
    remove_tree(folder)
    assert list(tmp_path.iterdir()) == []


def test_what_was_put_into_a_home_by_hand_is_no_leftover(tmp_path: Path) -> None:
    mark_home(tmp_path)
    for kind in ("containers", "guests", "work", "data", "saved/.build-mine", "images/.build-mine"):
        (tmp_path / kind / "0123abcd").mkdir(parents=True)
        (tmp_path / kind / "0123abcd" / "note.json").write_text(
            '{"name": "x", "activity": "y", "runtime": "runc"}'
        )
    before = sorted(tmp_path.rglob("*"))
    found = leftovers(tmp_path, subreaper=PROBE.path())
    # a test beside this one may have left a network or a control group of the machine's for a moment
    assert [item for item in found if item.kind in {"guest", "container", "folder"}] == []
    assert left_containers(tmp_path) == ()
    assert half_saved(tmp_path) == ()
    end_containers(tmp_path, "0123abcd")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_network_that_no_note_names_is_shown_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark_home(tmp_path)
    monkeypatch.setattr(cleaning, "network_tokens", lambda: ("asy000000",))
    monkeypatch.setattr(cleaning, "network_owner", lambda _: None)
    (found,) = (item for item in leftovers(tmp_path, subreaper=PROBE.path()) if item.kind == "network")
    assert (found.name, found.removable) == ("asy000000", False)
    assert "no note tells who made it" in found.why
