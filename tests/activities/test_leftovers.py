"""What crashes left in a home: folders without a row, half copies, rows behind their records."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.activities import evaluate, leftovers, rows
from assay.activities.leftovers import clean_here
from assay.model.activity import ActivityState
from assay.model.errors import MissingError
from assay.model.files.home import make_home
from assay.model.files.marker import make_marked
from assay.platforms.claims import claim, forget_dead, release
from assay.platforms.process import process_mark
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.activities.test_conductor import PLAN, TRIALS
from tests.builders import record_of
from tests.command import run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(leftovers, "leftovers", lambda *_, **__: ())
    monkeypatch.setattr(leftovers, "clean", lambda *_, **__: ())
    make_home(tmp_path / "home")
    return tmp_path / "home"


def activity(home: Path, name: str) -> Path:
    make_marked(home / "activities" / name)
    (home / "activities" / name / "activity.json").write_text("{}")
    return home / "activities" / name


def test_an_activity_that_never_began_and_half_a_copy_go(home: Path) -> None:
    begun, copy = activity(home, "0123abcd"), home / "imported" / ".0123abcd.4194305.new"
    ours = home / "imported" / f".0123abcd.{os.getpid()}.new"
    make_marked(copy)
    make_marked(ours)
    reported = clean_here(home, dry_run=True)
    assert [(item.name, item.why, gone) for item, gone in reported] == [
        (str(begun), "an activity that never began", False),
        (str(copy), "a copy that was cut off", False),
    ]
    assert [gone for _, gone in clean_here(home, dry_run=False)] == [True, True]
    assert not begun.exists()
    assert not copy.exists()
    assert ours.exists()


def test_the_next_evaluation_removes_what_never_began_and_nothing_else(home: Path, tmp_path: Path) -> None:
    begun = activity(home, "3123abcd")
    measured, under_way, mine = (
        activity(home, "1123abcd"),
        activity(home, "2123abcd"),
        home / "activities" / "mine",
    )
    (measured / "trials" / TRIALS[0].name).mkdir(parents=True)
    (under_way / "inflight.json").write_text("{")
    mine.mkdir()
    (mine / "thesis.tex").touch()
    half = home / "activities" / "4123abcd"
    half.mkdir()
    (half / ".assay.4711.new").touch()
    store = Store(home)
    made = evaluate.create(PLAN, home=home, store=store)
    store.close()
    release(home, PLAN.id)
    assert not begun.exists()
    assert not half.exists()
    assert {path.name for path in made.parent.iterdir()} == {made.name, measured.name, under_way.name, "mine"}


def test_records_without_a_row_stay_and_are_named(home: Path) -> None:
    folder = activity(home, "0123abcd")
    (folder / "trials" / TRIALS[0].name).mkdir(parents=True)
    ((item, gone),) = clean_here(home, dry_run=False)
    assert (gone, item.removable, item.why) == (
        False, False, f"its records are in no list; assay result import {folder}",
    )  # fmt: skip


def test_folders_by_hand_with_a_row_or_in_use_are_not_looked_at(home: Path) -> None:
    store = Store(home)
    store.add_activity(PLAN, activity(home, PLAN.id))
    claim(home, "89abcdef")
    activity(home, "89abcdef")
    (home / "activities" / "mine").mkdir()
    (home / "imported" / ".mine.1.new").mkdir(parents=True)
    assert clean_here(home, dry_run=False) == []
    release(home, "89abcdef")
    store.close()
    (home / "assay.db").write_bytes(b"no database" * 100)
    assert clean_here(home, dry_run=False) == [], "without its list nothing is known to be in none"


@pytest.mark.parametrize("state", [ActivityState.RUNNING, ActivityState.INTERRUPTED])
def test_a_row_behind_its_records_is_brought_up_to_them(home: Path, state: ActivityState) -> None:
    folder = home / "activities" / PLAN.id
    make_marked(folder)
    write_activity(folder, PLAN)
    store = Store(home)
    store.add_activity(PLAN, folder)
    store.set_state(PLAN.id, state, ended_ns=None)
    for trial in TRIALS:
        (folder / "trials" / trial.name).mkdir(parents=True)
        write_trial(folder / "trials" / trial.name, record_of(trial, 1.0))
    claim(home, PLAN.id)
    rows.take_up_records(store)
    assert store.activity(PLAN.id).ended == 0, "who conducts it writes its rows"
    release(home, PLAN.id)
    rows.take_up_records(store)
    row = store.activity(PLAN.id)
    assert (row.state, row.ended) == (ActivityState.COMPLETE, len(TRIALS))
    store.close()
    assert " complete " in run("activity", "list", home=home).out


def test_an_interrupted_row_behind_some_records_is_brought_up_but_not_while_another_activity_runs(
    home: Path,
) -> None:
    folder = home / "activities" / PLAN.id
    make_marked(folder)
    write_activity(folder, PLAN)
    store = Store(home)
    store.add_activity(PLAN, folder)
    store.set_state(PLAN.id, ActivityState.INTERRUPTED, ended_ns=None)
    (folder / "trials" / TRIALS[0].name).mkdir(parents=True)
    write_trial(folder / "trials" / TRIALS[0].name, record_of(TRIALS[0], 1.0))
    with subprocess.Popen(["sleep", "60"]) as process:
        mark = process_mark(process.pid)
        assert mark is not None
        (home / "run").mkdir(exist_ok=True)
        other = home / "run" / "4123abcd.pid"
        other.write_text(json.dumps({"pid": mark.pid, "start_ticks": mark.start_ticks}))
        rows.take_up_records(store)
        assert store.activity(PLAN.id).ended == 0
        process.kill()
    rows.take_up_records(store)
    assert (store.activity(PLAN.id).ended, store.activity(PLAN.id).state) == (1, ActivityState.INTERRUPTED)
    assert not (home / "run" / f"{PLAN.id}.pid").exists()
    assert store.activities(ActivityState.RUNNING) == ()
    assert [row.id for row in store.activities(ActivityState.INTERRUPTED)] == [PLAN.id]
    store.close()


@pytest.mark.parametrize("act", [forget_dead, lambda home: claim(home, "2123abcd")])
def test_claims_of_dead_processes_and_half_written_ones_go(
    act: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    names = {"0123abcd.pid.4194305.new": False, f"0123abcd.pid.{os.getpid()}.new": True, "x.new": False}
    for name in names:
        (tmp_path / "run" / name).touch()
        os.utime(tmp_path / "run" / name, (1.7e9, 1.7e9))
    (tmp_path / "run" / "2123abce.pid.4194305.new").touch()  # a process of another machine may be writing it
    names["2123abce.pid.4194305.new"] = True
    names["1123abcd.pid"] = False
    (tmp_path / "run" / "1123abcd.pid").write_text('{"pid": 4194305, "start_ticks": 1}')
    act(tmp_path)
    assert {name: (tmp_path / "run" / name).exists() for name in names} == names


def test_an_activity_whose_input_is_gone_has_no_row(home: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    work = replace(PLAN.workloads[0], inputs=(str(tmp_path / "none"),))
    store = Store(home)
    with pytest.raises(MissingError, match="cannot read the input"):
        evaluate.create(replace(PLAN, workloads=(work,)), home=home, store=store)
    assert store.activities() == ()
