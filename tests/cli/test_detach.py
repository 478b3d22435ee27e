"""Commands that return while their activity goes on in a process of its own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.activities import detached
from assay.activities.detached import LOG
from assay.design import plan_trials
from assay.model.errors import Exit
from assay.model.goal import Goal, Shape
from assay.platforms.claims import holder_pid, is_live
from assay.platforms.process import ProcessMark, ended_within, spawn
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import plan_of, record_of
from tests.command import run
from tests.results.test_outcome import PLAN
from tests.store.test_own_scenes import MINE

LONG_S = 120.0


@pytest.fixture
def between_sessions(tmp_path: Path) -> Iterator[Path]:
    """Return a home whose activity has run its first session: to go on is to wait for an hour."""
    trials = plan_trials(("spin",), blocks=4, seed=1, shape=Shape.PAIRS)
    plan = plan_of(trials, goal=Goal(shape=Shape.PAIRS, sessions=2, session_gap_s=3600.0))
    home = tmp_path / "home"
    folder = home / "activities" / plan.id
    now_ns = time.time_ns()
    for trial in trials:
        if trial.block < 2:
            place = folder / "trials" / trial.name
            place.mkdir(parents=True)
            write_trial(place, record_of(trial, 100.0, started_ns=now_ns - 10**9, ended_ns=now_ns))
    write_activity(folder, plan)
    store = Store(home)
    store.import_folder(folder)
    store.close()
    yield home
    if is_live(home, plan.id):
        run("activity", "stop", plan.id, home=home)
        until_free(home)


def until_free(home: Path) -> None:
    """Wait until no process holds the activity."""
    deadline = time.monotonic() + LONG_S
    while is_live(home, PLAN.id):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_activity_goes_on_in_a_session_of_its_own_until_it_is_stopped(between_sessions: Path) -> None:
    home = between_sessions
    done = run("activity", "resume", "last", "--detach", "--json", home=home)
    assert done.code == 0, done.err
    assert (done.page["schema"], done.page["activity"]) == ("assay.activity-detached", PLAN.id)
    pid = holder_pid(home, PLAN.id)
    assert pid not in {None, os.getpid()}
    assert os.getsid(pid or 0) == pid
    refused = run("activity", "resume", "last", "--detach", home=home)
    assert refused.code == Exit.MISSING
    assert f"error: cannot take activity {PLAN.id}: process {pid} of assay works on it" in refused.err
    assert refused.out == ""
    assert run("activity", "stop", "last", home=home).code == 0
    until_free(home)
    log = (home / "activities" / PLAN.id / LOG).read_text()
    assert "the next session begins at" in log
    assert "Traceback" not in log


def test_without_json_the_id_alone_is_the_answer(between_sessions: Path) -> None:
    done = run("activity", "resume", "last", "--detach", home=between_sessions)
    assert done.out == f"{PLAN.id}\n"
    assert f"assay activity follow {PLAN.id}" in done.err


@pytest.mark.parametrize("act", [("resume",), ("extend", "--blocks", "2")], ids=" ".join)
def test_what_fails_at_once_is_said_with_its_exit_code(act: tuple[str, ...], measured: Path) -> None:
    folder = measured / "activities" / PLAN.id
    (folder / LOG).write_text("of an earlier process\n")
    (folder / "activity.json").write_text("{")
    done = run("activity", act[0], PLAN.id, *act[1:], "--detach", "--json", home=measured)
    assert (done.code, done.out) == (Exit.INPUT, "")
    assert f"error: cannot read {folder / 'activity.json'}: " in done.err
    assert "earlier" not in done.err


def test_an_imported_activity_is_refused_before_anything_is_started(measured: Path, tmp_path: Path) -> None:
    home = tmp_path / "other"
    assert run("result", "import", str(measured / "activities" / PLAN.id), home=home).code == 0
    done = run("activity", "extend", PLAN.id, "--blocks", "2", "--detach", home=home)
    assert (done.code, "cannot extend" in done.err) == (Exit.INPUT, True)
    assert list(home.rglob(LOG)) == []


@pytest.mark.parametrize("on", [(), ("--on", "local")], ids=["here", "lanes"])
def test_an_evaluation_is_created_let_go_of_and_resumed_by_another(
    on: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, asked = tmp_path / "home", list[Any]()

    def note(words: tuple[str, ...], **of: Any) -> None:
        asked.append((words, of["activity"], of["folder"], is_live(home, of["activity"])))

    monkeypatch.setattr(detached, "detach", note)
    (tmp_path / "mine.yaml").write_text(MINE)
    words = (str(tmp_path / "mine.yaml"), *on, "--wait-quiet", "7 s", "--detach", "--json")
    done = run("evaluate", *words, home=home)
    assert done.code == 0, done.err
    activity = done.page["activity"]
    folder = home / "activities" / activity
    assert asked == [(("activity", "resume", activity, "--wait"), activity, folder, False)]
    kept = "fleet.json" if on else "activity.json"
    text = (folder / kept).read_text()
    assert ("7 s" if on else '"wait_quiet_s": 7.0') in text
    assert activity in {row["id"] for row in run("activity", "list", "--json", home=home).page["activities"]}


def test_the_exit_code_of_a_process_that_has_ended_is_known(tmp_path: Path) -> None:
    def start(*command: str) -> ProcessMark:
        return spawn(list(command), log=tmp_path / "log", variables={"MINE": "3", "PATH": "/bin"})

    assert ended_within(start("/bin/sh", "-c", "echo $PATH; exit $MINE"), LONG_S) == 3
    assert (tmp_path / "log").read_text() == "/bin\n"
    assert ended_within(start("/bin/sh", "-c", "kill -TERM $$"), LONG_S) == 143
    going = start("/bin/sleep", "60")
    assert ended_within(going, 0.0) is None
    os.kill(going.pid, 9)
    assert ended_within(going, LONG_S) == 137


def test_python_starts_the_command_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('what lies in the folder is imported')")
    command = [sys.executable, "-P", "-m", "assay", "--version"]
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        mark = spawn(command, log=tmp_path / "log", variables=dict(os.environ))
    finally:
        os.chdir(before)
    assert ended_within(mark, LONG_S) == 0
    assert (tmp_path / "log").read_text().startswith("assay, version")
