import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.platforms.process import (
    ProcessMark,
    children,
    is_alive,
    kill_process,
    process_mark,
    spawn,
    spent_cpu_s,
    stat_fields,
    stop_process,
    this_process,
    wait_end,
)
from tests.plain_user import plain_user

HIDDEN = """
import sys
from assay.platforms.process import ProcessMark, is_alive, spent_cpu_s
mark = ProcessMark(int(sys.argv[1]), int(sys.argv[2]))
print(is_alive(mark), spent_cpu_s(mark))
"""


def said(log: Path) -> str:
    """Return the first line of a process, once it is there."""
    deadline = time.monotonic() + 60
    while not (text := log.read_text()).endswith("\n") and time.monotonic() < deadline:
        time.sleep(0.01)
    return text


def test_a_name_with_blanks_and_brackets_does_not_shift_the_fields() -> None:
    assert stat_fields("12 (a) b (c)) S 1 12")[:2] == ["S", "1"]


def test_a_reused_pid_is_another_process() -> None:
    me = this_process()
    assert is_alive(me)
    assert not is_alive(ProcessMark(me.pid, me.start_ticks - 1))


@pytest.mark.parametrize("pid", [0, -1, 2**22 - 1, 2**40])
def test_a_number_of_no_process_is_not_alive(pid: int) -> None:
    assert not is_alive(ProcessMark(pid, 1))
    assert spent_cpu_s(ProcessMark(pid, 1)) is None


@pytest.mark.parametrize("hidepid", [1, 2])
def test_a_process_of_roots_is_alive_for_a_user_from_whom_it_is_hidden(hidepid: int) -> None:
    other = subprocess.Popen(["/bin/sleep", "60"])
    try:
        mark = process_mark(other.pid)
        assert mark is not None
        assert seen_under(hidepid, mark) == "True None"
    finally:
        other.kill()
        other.wait()
    assert seen_under(hidepid, mark) == "False None"


def seen_under(hidepid: int, mark: ProcessMark) -> str:
    """Return what a plain user is told of a process on a ``/proc`` with that option."""
    hide = f'mount -t proc -o hidepid={hidepid} proc /proc && exec "$@"'
    with plain_user() as user:
        words = user.wrap([sys.executable, "-c", HIDDEN, str(mark.pid), str(mark.start_ticks)])
        command = ["unshare", "--mount", "--propagation=private", "sh", "-c", hide, "sh", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_zombie_is_not_alive() -> None:
    child = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process_mark(child.pid) is None
    child.wait()


def test_a_spawned_process_holds_nothing_that_the_caller_holds(tmp_path: Path) -> None:
    with (tmp_path / "a lock of somebody").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)  # noqa: FBT003
        mark = spawn(["/bin/sh", "-c", "ls -l /proc/self/fd/"], log=tmp_path / "log")
        wait_end(mark)
    held = (tmp_path / "log").read_text()
    assert "/dev/null" in held
    assert "lock of somebody" not in held


def test_a_spawned_process_has_its_own_session_and_a_log(tmp_path: Path) -> None:
    mark = spawn(["/bin/sh", "-c", "echo said; exec sleep 60"], log=tmp_path / "log")
    try:
        assert os.getsid(mark.pid) == mark.pid
        assert mark.pid in children(os.getpid())
        assert said(tmp_path / "log") == "said\n"
    finally:
        stop_process(mark)
    assert not is_alive(mark)
    assert mark.pid not in children(os.getpid())


def test_a_process_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    mark = spawn(
        ["/bin/sh", "-c", "trap '' TERM; echo on; while :; do sleep 0.1; done"], log=tmp_path / "log"
    )
    assert said(tmp_path / "log") == "on\n"
    stop_process(mark, grace_s=0.3)
    assert not is_alive(mark)


def test_a_process_is_killed_at_once_and_once(tmp_path: Path) -> None:
    mark = spawn(["/bin/sh", "-c", "trap '' TERM; sleep 60"], log=tmp_path / "log")
    reused = ProcessMark(mark.pid, mark.start_ticks - 1)
    assert not kill_process(reused)
    assert is_alive(mark)
    assert kill_process(mark)
    assert not is_alive(mark)
    assert not kill_process(mark)


def test_waiting_for_the_end_returns_at_once_for_one_that_is_gone(tmp_path: Path) -> None:
    mark = spawn(["/bin/sleep", "60"], log=tmp_path / "log")
    os.kill(mark.pid, signal.SIGKILL)
    wait_end(mark)
    wait_end(mark)
    assert not is_alive(mark)
