"""Markers: what says that a folder is ours, and what only looks as if it did."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.model.files.marker import FILE, is_marked, is_ours, make_marked, mark, may_go


@pytest.fixture(params=[0o000, 0o077], autouse=True)
def umask(request: pytest.FixtureRequest) -> object:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_a_folder_has_its_marker_and_its_mode_whatever_the_umask(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    make_marked(folder)
    assert is_marked(folder)
    assert (mode(folder), mode(folder.parent)) == (0o700, 0o755)
    assert [path.name for path in folder.iterdir()] == [FILE]
    make_marked(tmp_path / "c", mode=0o755)
    assert mode(tmp_path / "c") == 0o755


def test_an_empty_folder_is_taken_and_another_is_not(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    make_marked(tmp_path / "empty")
    assert is_marked(tmp_path / "empty")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "file").touch()
    for name in ("full", "link", "file", "empty"):
        with pytest.raises(FileExistsError):
            make_marked(tmp_path / name)


def test_only_the_folder_that_its_marker_names_is_ours_and_what_lies_in_it(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    make_marked(ours)
    (ours / "deep" / "er").mkdir(parents=True)
    assert is_ours(ours)
    assert is_ours(ours / "deep" / "er")
    assert not is_marked(ours / "deep")
    assert not is_ours(tmp_path)
    ours.rename(tmp_path / "renamed")
    assert not is_ours(tmp_path / "renamed" / "deep")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", "null", '{"folder": "x"}', '{"schema": "assay.home", "folder": "x"}', "x" * 5000],
)
def test_another_content_is_no_marker(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / FILE).write_text(text)
    assert not is_marked(folder)
    mark(folder)
    assert is_marked(folder)
    assert json.loads((folder / FILE).read_text())["folder"] == "x"


def test_a_marker_that_others_may_write_or_that_is_a_link_counts_for_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    make_marked(folder)
    (folder / FILE).chmod(0o666)
    assert not is_marked(folder)
    (folder / FILE).chmod(0o644)
    assert is_marked(folder)
    (folder / FILE).rename(tmp_path / "elsewhere")
    (folder / FILE).symlink_to(tmp_path / "elsewhere")
    assert not is_marked(folder)


def test_a_link_to_a_marked_folder_is_not_ours(tmp_path: Path) -> None:
    make_marked(tmp_path / "a" / "x")
    (tmp_path / "b").mkdir(mode=0o755)
    (tmp_path / "b" / "x").symlink_to(tmp_path / "a" / "x")
    assert not is_marked(tmp_path / "b" / "x")


def test_what_a_creation_that_was_cut_off_left_may_go(tmp_path: Path) -> None:
    empty, half, mine, link = (tmp_path / name for name in ("empty", "half", "mine", "link"))
    for folder in (empty, half, mine):
        folder.mkdir()
    (half / f"{FILE}.4711.new").write_text("{")
    (half / f"{FILE}.4711.new").chmod(0o600)
    (mine / f"{FILE}.4711.new").write_text("{")
    (mine / "thesis.tex").touch()
    link.symlink_to(empty)
    make_marked(tmp_path / "ours")
    (tmp_path / "file").touch()
    assert {path.name for path in tmp_path.iterdir() if may_go(path)} == {"empty", "half", "ours"}
    (half / f"{FILE}.4711.new").chmod(0o666)
    assert not may_go(half), "another may have written it"
