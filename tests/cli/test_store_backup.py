"""A backup holds all that cannot be made anew; a home is made of it somewhere else."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan.kept_inputs import keep_inputs, kept_inputs
from assay.activities.tuning.kept import keep_tuning
from assay.model.files.home import make_home
from assay.platforms.applied.journal import Applied, write_applied
from assay.store import readers
from assay.store.backup import backup, restore
from assay.store.own_scenes import save_scene
from assay.store.store import Store
from tests.builders import WORKLOAD, plan_of
from tests.command import run
from tests.report.tunings import tuning
from tests.results.test_outcome import PLAN
from tests.store.test_own_scenes import MINE

LISTS = (
    ("result", "list"), ("activity", "list"), ("machine", "list", "--json"), ("result", "show", "last"),
    ("scene", "versions", "mine"),
)  # fmt: skip


@pytest.fixture
def site(measured: Path, tmp_path: Path) -> Path:
    """Return a home with a result, a machine, kept facts and a scene of its own."""
    machines = tmp_path / "farm.yaml"
    machines.write_text("machines: [{name: node01, ssh: root@192.0.2.1, groups: [farm]}]\n")
    assert run("machine", "import", str(machines), home=measured).code == 0
    (measured / "machines" / "node01").mkdir(parents=True)
    (measured / "machines" / "node01" / "2026-11-28T000000Z.json").write_text("{}")
    save_scene(measured, "mine", MINE, by="anna")
    (measured / "activities" / PLAN.id / "link").symlink_to("/etc/passwd")
    return measured


def said(home: Path) -> list[str]:
    return [run(*words, home=home).out.replace(str(home), "HOME") for words in LISTS]


def test_a_home_made_of_a_backup_has_all_that_was_measured(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar.gz"
    done = run("store", "backup", str(file), "--json", home=site)
    assert done.code == 0, done.err
    assert (done.page["linked"], done.page["bytes"]) == ([], file.stat().st_size)
    assert file.stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.glob(".*")] == []
    before = said(site)
    shutil.rmtree(site)
    new = tmp_path / "new"
    done = run("store", "restore", str(file), "--json", home=new)
    assert done.code == 0, done.err
    assert (done.page["activities"], done.page["machines"], done.page["left_out"]) == ([PLAN.id], 1, [])
    assert said(new) == before
    assert (new / "machines" / "node01" / "2026-11-28T000000Z.json").read_text() == "{}"
    assert not (new / "activities" / PLAN.id / "link").exists()
    assert (new / "activities" / PLAN.id).stat().st_mode & 0o077 == 0


def test_a_backup_is_never_written_over(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar.gz"
    file.write_text("mine")
    done = run("store", "backup", str(file), home=site)
    assert (done.code, "it is there already" in done.err, file.read_text()) == (4, True, "mine")


def test_a_backup_that_cannot_be_written_leaves_nothing(site: Path) -> None:
    done = run("store", "backup", "/proc/backup.tar.gz", home=site)
    assert done.code == 4
    assert "cannot write the backup /proc/backup.tar.gz" in done.err


def test_what_is_linked_is_said_not_to_be_in_it(site: Path, tmp_path: Path) -> None:
    other, file = tmp_path / "other", tmp_path / "backup.tar.gz"
    done = run("result", "import", "--link", str(site / "activities" / PLAN.id), home=other)
    assert done.code == 0, done.err
    done = run("store", "backup", str(file), home=other)
    assert done.code == 0, done.err
    assert f"{site}/activities/{PLAN.id} is not in it: it was imported by a link" in done.err


def test_nothing_is_restored_over_what_is_there(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar.gz"
    assert run("store", "backup", str(file), home=site).code == 0
    done = run("store", "restore", str(file), home=site)
    assert done.code == 3
    assert f"cannot restore into {site}: it is not empty (activities)" in done.err


def damaged(file: Path, kind: str) -> None:
    """Make a file that is no whole backup."""
    if kind == "no gzip":
        file.write_text("hello")
    elif kind == "cut off":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif kind == "another tar":
        with tarfile.open(file, "w:gz") as tar:
            tar.addfile(tarfile.TarInfo("x"))
    elif kind == "a way out":
        changed(file, "activities/../../out")
    elif kind == "a link":
        changed(file, "activities/link", tarfile.SYMTYPE)
    else:
        changed(file, "etc/passwd")


def changed(file: Path, name: str, kind: bytes = tarfile.REGTYPE) -> None:
    data = io.BytesIO()
    with tarfile.open(file) as old, tarfile.open(fileobj=data, mode="w") as new:
        head = old.next()
        assert head is not None
        new.addfile(head, old.extractfile(head))
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        new.addfile(info)
    file.write_bytes(gzip.compress(data.getvalue()))


@pytest.mark.parametrize("kind", ["no gzip", "cut off", "another tar", "a way out", "a link", "elsewhere"])
def test_a_file_that_is_no_backup_leaves_a_home_as_it_was(site: Path, tmp_path: Path, kind: str) -> None:
    file, new = tmp_path / "backup.tar.gz", tmp_path / "new"
    assert run("store", "backup", str(file), home=site).code == 0
    damaged(file, kind)
    done = run("store", "restore", str(file), home=new)
    assert done.code in {3, 4}, done.err
    assert f"cannot restore {file}" in done.err
    assert not (new / "activities").exists()
    assert not list(new.glob(".restore*"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "rows",
    [
        {"machine": [1], "health": []},
        {"machine": [{"name": "x"}], "health": []},
        {"machine": [], "health": [{"machine": "x"}]},
        {"machine": [], "health": [{"machine": "x", "at_ns": 1}, {"machine": "x", "at_ns": 1}]},
        {"machine": {}},
        [],
    ],
    ids=str,
)
def test_rows_that_no_backup_has_leave_a_home_as_it_was(tmp_path: Path, rows: object) -> None:
    head = json.dumps({"schema": "assay.backup", "version": [1, 0], "rows": rows}).encode()
    file, new = tmp_path / "backup.tar.gz", tmp_path / "new"
    with tarfile.open(file, "w:gz") as tar:
        info = tarfile.TarInfo("assay-backup.json")
        info.size = len(head)
        tar.addfile(info, io.BytesIO(head))
    done = run("store", "restore", str(file), home=new)
    assert (done.code, f"cannot restore {file}: expected a backup of assay" in done.err) == (3, True), (
        done.err
    )
    assert not list(new.glob("act*"))


def test_inputs_come_back_as_the_activity_began_with_them(site: Path, tmp_path: Path) -> None:
    source, file, new = tmp_path / "mine", tmp_path / "assay.tar.gz", tmp_path / "new"
    (source / "cards" / "empty").mkdir(parents=True)
    for name, mode in (("job.sh", 0o755), ("cards/run", 0o711), ("cards/empty", 0o700), ("cards", 0o755)):
        if not (source / name).is_dir():
            (source / name).write_text("#!/bin/sh")
        (source / name).chmod(mode)
    work = replace(WORKLOAD, inputs=(str(source / "job.sh"), str(source / "cards")))
    keep_inputs(plan_of((), workloads=(work,)), site / "activities" / PLAN.id)
    assert run("store", "backup", str(file), home=site).code == 0
    assert run("store", "restore", str(file), home=new).code == 0
    folder = new / "activities" / PLAN.id
    assert kept_inputs(folder)[str(source / "job.sh")].stat().st_mode & 0o777 == 0o755
    assert {path.name for path in kept_inputs(folder)[str(source / "cards")].iterdir()} == {"run", "empty"}
    assert (folder / "inputs").stat().st_mode & 0o777 == 0o700
    assert (folder / "activity.json").stat().st_mode & 0o117 == 0


def test_what_is_applied_stays_its_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, new, file = tmp_path / "home", tmp_path / "new", tmp_path / "assay.tar.gz"
    monkeypatch.setattr(readers, "site_group", os.getegid)
    Store(home).close()
    keep_tuning(tuning(), home)
    write_applied(home / "tunings" / tuning().id, Applied("applied", {}, {}, "vm", "<secret/>", "", ()))
    backup(home, file)
    make_home(new)
    restore(new, file)
    folder = new / "tunings" / tuning().id
    modes = {name: (folder / name).stat().st_mode & 0o777 for name in ("applied.json", "tuning.json")}
    assert modes == {"applied.json": 0o600, "tuning.json": 0o640}


def test_a_search_of_settings_comes_back_too(tmp_path: Path) -> None:
    home, new, file = tmp_path / "home", tmp_path / "new", tmp_path / "assay.tar.gz"
    Store(home).close()
    keep_tuning(tuning(), home)
    assert run("store", "backup", str(file), home=home).code == 0
    assert run("store", "restore", str(file), home=new).code == 0
    assert run("tune", "show", "89abcdef", "--json", home=new).page["state"] == "complete"
