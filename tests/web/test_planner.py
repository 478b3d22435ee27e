"""Plans by a process that has read its modules beforehand: as the command, and nothing of it is left."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from assay.model.files.home import mark_home
from assay.web.acts import planner as module
from assay.web.acts.planner import Planner

LIST = ("scene", "list", "--json")


@pytest.fixture
def planner(tmp_path: Path) -> Iterator[Planner]:
    mark_home(tmp_path)
    made = Planner({**os.environ, "ASSAY_HOME": str(tmp_path)})
    yield made
    made.close()


def _waiting() -> list[int]:
    """Process ids of this process's children that run the planner; children of other tests may have ended."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.ZombieProcess, psutil.NoSuchProcess):
            if "assay.cli.ahead" in child.cmdline():
                found.append(child.pid)
    return found


def test_each_answers_as_the_command_does_and_one_waits(planner: Planner, tmp_path: Path) -> None:
    env = {**os.environ, "ASSAY_HOME": str(tmp_path)}
    command = subprocess.run([sys.executable, "-m", "assay", *LIST], env=env, capture_output=True, check=True)
    for _ in range(3):
        ended = planner.run(LIST, timeout_s=60)
        assert (ended.code, ended.stdout) == (0, command.stdout)
        assert len(_waiting()) == 1
    planner.close()
    assert _waiting() == []


def test_a_command_that_fails_says_why_with_its_code(planner: Planner) -> None:
    ended = planner.run(("evaluate", "--dry-run", "--", "quik"), timeout_s=60)
    assert ended.code == 3
    assert "unknown scene 'quik'; nearest: 'quick'" in ended.stderr
    assert ended.stdout == b""


def test_what_changed_since_it_began_to_wait_is_seen(planner: Planner, tmp_path: Path) -> None:
    planner.run(LIST, timeout_s=60)
    env = {**os.environ, "ASSAY_HOME": str(tmp_path)}
    save = [sys.executable, "-m", "assay", "scene", "save", "badly", "examples/badly.yaml"]
    subprocess.run(save, env=env, capture_output=True, check=True)
    names = [scene["name"] for scene in json.loads(planner.run(LIST, timeout_s=60).stdout)["own"]]
    assert "badly" in names


def test_several_at_a_time_each_get_their_own_answer(planner: Planner) -> None:
    names = [f"no-such-{number}" for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(planner.run, ("scene", "show", one), timeout_s=60) for one in names]
        said = [one.result(120).stderr for one in asked]
    assert all(f"'{name}'" in words for name, words in zip(names, said, strict=True))
    assert len(_waiting()) == 1


def test_one_that_does_not_end_in_time_is_killed(planner: Planner) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        planner.run(LIST, timeout_s=0.01)
    assert _waiting() == []


def test_one_that_has_ended_meanwhile_is_not_asked(planner: Planner) -> None:
    planner.run(LIST, timeout_s=60)
    (pid,) = _waiting()
    os.kill(pid, 9)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert planner.run(LIST, timeout_s=60).code == 0


def test_who_waits_too_long_is_ended(planner: Planner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDLE_S", 0.0)
    planner.run(LIST, timeout_s=60)
    timer = planner._timer
    assert timer is not None
    timer.join(60)
    assert _waiting() == []


def test_it_ends_with_the_process_that_had_it(tmp_path: Path) -> None:
    mark_home(tmp_path)
    program = (
        "import os, sys; from assay.web.acts.planner import Planner; planner = Planner(os.environ);"
        f"planner.run({LIST!r}, timeout_s=60); print(planner._waiting.pid, flush=True); os._exit(0)"
    )
    env = {**os.environ, "ASSAY_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, check=True)
    with suppress(ProcessLookupError):
        waiting = os.pidfd_open(int(done.stdout))
        with open(waiting, "rb"):
            assert select.select([waiting], [], [], 60)[0], "it goes on"
