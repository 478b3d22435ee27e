"""Records are read by whom they concern alone, whatever the caller's umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.fleet.conduct import create_fleet
from assay.activities.plan.kept_inputs import keep_inputs, kept_inputs
from assay.activities.trials.trial import settle
from assay.activities.tuning.kept import keep_tuning
from assay.platforms.applied.journal import Applied, write_applied
from assay.platforms.claims import release
from assay.store import imports, readers
from assay.store.imports import Import, copied
from assay.store.record import DamagedError, replace_file, set_aside, write_activity
from assay.store.store import Store
from tests.builders import WORKLOAD, plan_of
from tests.report.tunings import tuning
from tests.store.test_fleet import FLEET

SITE = 4711 if os.geteuid() == 0 else os.getegid()


@pytest.fixture(autouse=True, params=[0o000, 0o077], ids=["umask 000", "umask 077"])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.fixture(params=[None, SITE], ids=["no group", "group assay"])
def group(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int | None:
    monkeypatch.setattr(readers, "site_group", lambda: request.param)
    return request.param


def seen(path: Path) -> str:
    return f"{path.stat().st_mode & 0o777:o}"


def test_a_record_is_its_owners_and_the_sites(tmp_path: Path, group: int | None) -> None:
    folder = tmp_path / "0123abcd"
    folder.mkdir()
    write_activity(folder, plan_of(()))
    fetched = folder / "trials" / ".t0.new"
    (fetched / "files").mkdir(parents=True)
    for file in (fetched / "stdout", fetched / "files" / "out.root"):
        file.write_bytes(b"x")
        file.chmod(0o666)
    settle(fetched, folder / "trials" / "t0")
    kept = folder / "trials" / "t0"
    folders, files = ("700", "600") if group is None else ("750", "640")
    assert {seen(path) for path in (folder, kept.parent, kept, kept / "files")} == {folders}
    assert {seen(path) for path in (folder / "activity.json", kept / "stdout", kept / "files/out.root")} == {
        files
    }
    if group is not None:
        assert {path.stat().st_gid for path in (folder, kept, kept / "stdout")} == {group}


def test_a_copy_of_anothers_record_is_as_closed(tmp_path: Path, group: int | None) -> None:
    other, home = tmp_path / "other", tmp_path / "home"
    other.mkdir()
    home.mkdir()
    write_activity(other, plan_of(()))
    with copied(other, home, "0123abcd") as copy:
        place = imports.settle(copy, home, "0123abcd", Import(str(other), 1))
    assert seen(place) == ("700" if group is None else "750")
    assert {seen(path) for path in place.iterdir()} == {"600" if group is None else "640"}


def test_a_file_that_is_replaced_is_closed_before_anything_is_in_it(
    tmp_path: Path, group: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[str] = []
    sync = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (modes.append(f"{os.fstat(handle).st_mode & 0o777:o}"), sync(handle))
    )
    (tmp_path / "page.html").write_text("old, and open")
    (tmp_path / "page.html").chmod(0o666)
    replace_file(tmp_path / "page.html", b"new")
    assert seen(tmp_path / "page.html") == modes[0] == ("600" if group is None else "640")


def test_what_is_damaged_is_set_aside_as_closed_as_it_was(tmp_path: Path, group: int | None) -> None:
    (tmp_path / "note").write_text("{")
    set_aside(tmp_path, tmp_path / "note", DamagedError("cannot read it"))
    assert seen(tmp_path / "damaged") == ("700" if group is None else "750")


def test_a_user_who_is_not_in_the_group_keeps_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(readers, "site_group", lambda: 4711)
    monkeypatch.setattr(os, "chown", refuse)
    replace_file(tmp_path / "page.html", b"")
    readers.keep_folder(tmp_path)
    assert (seen(tmp_path / "page.html"), seen(tmp_path)) == ("600", "700")


def test_a_search_and_the_lanes_of_a_fleet_are_the_sites_too(tmp_path: Path, group: int | None) -> None:
    keep_tuning(tuning(), tmp_path)
    store = Store(tmp_path)
    folder = create_fleet(FLEET, home=tmp_path, store=store)
    release(tmp_path, FLEET.id)
    store.close()
    for place in (next((tmp_path / "tunings").iterdir()), folder, folder / "lanes"):
        assert seen(place) == ("700" if group is None else "750"), place


def test_inputs_stay_what_the_activity_began_with(tmp_path: Path, group: int | None) -> None:
    source, folder = tmp_path / "mine", tmp_path / "activity"
    for name, mode in (("open", 0o755), ("closed", 0o700)):
        (source / name).mkdir(parents=True)
        (source / name / "job.sh").write_text("#!/bin/sh")
        (source / name / "job.sh").chmod(mode)
        (source / name).chmod(mode)
    paths = tuple(str(source / name) for name in ("open", "closed", "open/job.sh"))
    folder.mkdir()
    keep_inputs(plan_of((), workloads=(replace(WORKLOAD, inputs=paths),)), folder)
    before = {path: seen(path) for path in kept_inputs(folder).values()}
    (folder / "inputs").chmod(0o755)
    readers.keep_tree(folder)
    assert {path: seen(path) for path in kept_inputs(folder).values()} == before
    assert seen(folder / "inputs") == "700", "and are nobody else's"
    assert seen(folder / "inputs.json") == ("600" if group is None else "640")


def test_what_is_applied_is_never_opened(tmp_path: Path, group: int | None) -> None:
    keep_tuning(tuning(), tmp_path)
    (folder,) = (tmp_path / "tunings").iterdir()
    write_applied(folder, Applied("applied", {}, {}, "vm", "<secret/>", "", ()))
    for file in (folder / "applied.json", folder / "applied.json.7.new"):
        file.touch()
        file.chmod(0o644)
    readers.keep_tree(tmp_path)
    assert {seen(path) for path in folder.glob("applied.json*")} == {"600"}
    assert seen(folder / "tuning.json") == ("600" if group is None else "640")
    (folder / "applied.json").chmod(0o640)
    readers.close_again(tmp_path)
    assert seen(folder / "applied.json") == "600"


def test_a_site_without_the_group_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "GROUP", "no-such-group")
    readers.site_group.cache_clear()
    assert readers.site_group() is None
    readers.site_group.cache_clear()
