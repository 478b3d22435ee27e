"""The home: made with its marker, and never taken for one where something else lies."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.model.errors import Exit, MissingError
from assay.model.files.home import is_home, mark_home, settle_home
from assay.model.files.marker import FILE, is_marked
from assay.platforms.leftovers.earlier_home import adopt
from assay.store.record import write_activity
from assay.store.store import Store
from tests.builders import plan_of
from tests.command import run


def never(_home: Path) -> bool:
    return False


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_a_new_home_lets_others_through_and_not_in(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        settle_home(tmp_path / "a" / "home", never)
    finally:
        os.umask(before)
    assert is_home(tmp_path / "a" / "home")
    assert (tmp_path / "a" / "home").stat().st_mode & 0o7777 == 0o711
    assert (tmp_path / "a").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize("names", [(), ("lost+found",), (f"{FILE}.17.new",)])
def test_an_empty_folder_becomes_a_home_and_keeps_its_mode(tmp_path: Path, names: tuple[str, ...]) -> None:
    tmp_path.chmod(0o750)
    for name in names:
        (tmp_path / name).mkdir()
    settle_home(tmp_path, never)
    assert is_home(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("name", ["containers", "work", "notes.txt", ".hidden"])
def test_what_holds_something_else_is_refused_and_stays_as_it_is(tmp_path: Path, name: str) -> None:
    home = tmp_path / "lib"
    (home / name / "mine").mkdir(parents=True)
    for command in (("result", "list"), ("platform", "clean"), ("evaluate", "quick"), ("store", "rebuild")):
        done = run(*command, variables={"ASSAY_HOME": str(home)})
        assert (done.code, done.out) == (Exit.MISSING, ""), command
        assert done.err.startswith(f"error: cannot use {home}: it is not empty, and not a home of assay's\n")
    assert sorted(path.name for path in home.rglob("*")) == sorted([name, "mine"])


def test_a_home_of_an_earlier_assay_is_known_by_its_database_and_marked(tmp_path: Path) -> None:
    Store(tmp_path).close()
    for place in (
        "guests/assay-1",
        "guests/mine",
        "containers/assay-2",
        "work/0123abcd",
        "work/mine",
        "saved/.build-x",
    ):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "guests/assay-1/spec.json").touch()
    (tmp_path / "containers/assay-2/note.json").touch()
    (tmp_path / "activities/0123abcd").mkdir(parents=True)
    (tmp_path / "activities/0123abcd/activity.json").touch()
    (tmp_path / "guests/link").symlink_to(tmp_path / "guests/assay-1")
    settle_home(tmp_path, adopt)
    assert is_home(tmp_path)
    marked = {str(path.parent.relative_to(tmp_path)) for path in tmp_path.glob("*/*/.assay")} - {
        "guests/link"
    }
    assert marked == {"guests/assay-1", "containers/assay-2", "work/0123abcd", "saved/.build-x"}
    assert not is_marked(tmp_path / "guests/link")


def _activity(home: Path) -> None:
    (home / "activities" / "0123abcd").mkdir(parents=True)
    write_activity(home / "activities" / "0123abcd", plan_of(()))
    (home / "assay.db").write_bytes(b"not a database")


def _remote(home: Path) -> None:
    for name in ("images", "guests", "run"):
        (home / "remote" / name).mkdir(parents=True)


def _image(home: Path) -> None:
    (home / "images" / "0123456789abcdef").mkdir(parents=True)
    text = '{"format": 1, "packages": [], "kernel_release": "6.1"}'
    (home / "images" / "0123456789abcdef" / "manifest.json").write_text(text)


def _pack(home: Path) -> None:
    (home / "packs" / "root-0123").mkdir(parents=True)
    (home / "packs" / "root-0123" / "pack.json").write_text('{"pythons": [], "distributions": {}}')


@pytest.mark.parametrize("make", [_activity, _image, _pack, _remote])
def test_an_earlier_home_is_known_without_its_database(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path)
    assert adopt(tmp_path)
    assert is_home(tmp_path)


def test_a_home_that_another_process_makes_meanwhile_is_taken(tmp_path: Path) -> None:
    def made(home: Path) -> bool:
        mark_home(home)
        return False

    (tmp_path / "assay.db").touch()
    settle_home(tmp_path, made)
    assert is_home(tmp_path)


def test_another_programs_database_makes_no_home(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "assay.db") as connection:
        connection.execute("CREATE TABLE activity (id)")
    (tmp_path / "activities" / "0123abcd").mkdir(parents=True)
    (tmp_path / "activities" / "0123abcd" / "activity.json").write_text("{}")
    with pytest.raises(MissingError, match="not a home of assay's"):
        settle_home(tmp_path, adopt)


def test_where_nothing_can_be_written_whoever_writes_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    settle_home(tmp_path / "home", never)
    assert not (tmp_path / "home").exists()


def test_completion_makes_no_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    variables = {
        "ASSAY_HOME": str(home),
        "_ASSAY_COMPLETE": "bash_complete",
        "COMP_WORDS": "assay result show ",
        "COMP_CWORD": "3",
    }
    assert run(variables=variables).code == Exit.DONE
    assert not home.exists()


def test_a_marker_of_a_folder_is_none_of_a_home(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"schema": "assay.folder"}')
    assert not is_home(tmp_path)
    mark_home(tmp_path)
    assert is_home(tmp_path)
