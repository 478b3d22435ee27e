"""Which folders of this machine are trusted: those that nobody but root and us can change."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.machines.local import LocalDoor
from assay.model.errors import Exit, MissingError
from assay.model.files import own
from assay.model.files.own import is_own_file, require_own
from tests.command import run
from tests.passing import pass_by

OTHER = 65534


def made(folder: Path, mode: int = 0o755, owner: int | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(mode)
    if owner is not None and os.geteuid() != 0:
        pass_by("only root gives a folder to another user")
    if owner is not None:
        os.chown(folder, owner, -1)
    return folder


def _shared(root: Path) -> Path:
    return made(made(root / "a", 0o777) / "home")


def _group(root: Path) -> Path:
    home = made(root / "home", 0o775)
    os.chown(home, -1, OTHER)  # root alone may
    return home


def _theirs(root: Path) -> Path:
    return made(root / "home", owner=OTHER)


def _below_theirs(root: Path) -> Path:
    return made(made(root / "a", owner=OTHER) / "home", 0o700)


def _trap(root: Path) -> Path:
    return made(made(root / "tmp", 0o1777) / "home", owner=OTHER)


def _linked(root: Path) -> Path:
    made(root / "b", owner=OTHER)
    (root / "c").symlink_to(made(root / "b" / "home"))
    return root / "c"


def _their_link(root: Path) -> Path:
    link = made(root / "tmp", 0o1777) / "link"
    link.symlink_to(made(root / "home"))
    os.chown(link, OTHER, -1, follow_symlinks=False)  # root alone may
    return link / "deep"


@pytest.mark.parametrize("make", [_shared, _group, _theirs, _below_theirs, _trap, _linked, _their_link])
def test_what_another_user_can_change_is_refused_with_the_part_that_is_wrong(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    home = make(tmp_path)
    for act in (
        lambda: require_own(home),
        lambda: require_own(home / "work"),
        lambda: LocalDoor("local", home),
    ):
        with pytest.raises(MissingError) as caught:
            act()
        assert caught.value.message.startswith(f"cannot use {home}")
        assert (
            "may be written to by others" in caught.value.message or "belongs to user" in caught.value.message
        )
        assert str(caught.value.hint).startswith("see who made it: ls -ld /")


def test_our_own_is_trusted_below_a_sticky_folder_and_by_our_own_link(tmp_path: Path) -> None:
    home = made(made(tmp_path / "tmp", 0o1777) / "home", 0o700)
    (tmp_path / "link").symlink_to("tmp/../tmp/home")
    for place in (home, tmp_path / "link", home / "not" / "yet", Path("/")):
        require_own(place)


def test_a_sticky_folder_of_all_is_no_home(tmp_path: Path) -> None:
    home = made(tmp_path / "tmp", 0o1777)
    (tmp_path / "link").symlink_to(home)
    for place in (home, tmp_path / "link"):
        with pytest.raises(MissingError, match=r"may be written to by others \(mode 1777\)"):
            require_own(place)
    require_own(home / "new")


def test_what_is_no_folder_and_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("link")
    for place, said in ((tmp_path / "file" / "home", "Not a directory"), (tmp_path / "link", "circle")):
        with pytest.raises(MissingError, match=said):
            require_own(place)
    with pytest.raises(MissingError, match="cannot make"):
        LocalDoor("local", tmp_path / "file")


def test_a_file_is_our_own_where_nobody_else_can_write_to_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert not is_own_file(file)
    file.write_text("x")
    for mode, trusted in ((0o644, True), (0o755, True), (0o757, False)):
        file.chmod(mode)
        assert is_own_file(file) is trusted
    file.chmod(0o644)
    (tmp_path / "link").symlink_to(file)
    assert not is_own_file(tmp_path / "link")
    assert not is_own_file(tmp_path)


@pytest.mark.parametrize("command", [("activity", "list"), ("machine", "list"), ("result", "import", "/tmp")])
def test_a_home_that_another_user_prepared_is_refused_by_every_command(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    home = _theirs(tmp_path)
    done = run(*command, home=home)
    assert (done.code, done.out) == (Exit.MISSING, "")
    assert done.err.startswith(f"error: cannot use {home}: {home} belongs to user {OTHER}, we are user 0\n")
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("members", "name", "trusted"), [([], "we", True), (["we", "x"], "we", False), ([], "g", False)]
)
def test_a_group_that_is_the_users_own_is_nobody_else(
    members: list[str], name: str, trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own._is_private.cache_clear()
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_name="we"))
    monkeypatch.setattr(grp, "getgrgid", lambda _: SimpleNamespace(gr_name=name, gr_mem=members))
    home = made(tmp_path / "home", 0o775)
    if trusted:
        require_own(home)
    else:
        with pytest.raises(MissingError, match="may be written to by others"):
            require_own(home)
    own._is_private.cache_clear()
