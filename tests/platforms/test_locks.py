"""Locks that others cannot hold, are not waited for without end, and tell who has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.model.files.marker import make_marked
from assay.platforms import locks
from assay.platforms.claims import claim
from assay.platforms.daemon import state as daemon_state
from assay.platforms.daemon.daemon import stop_idle_daemons
from assay.platforms.errors import ClaimedError
from assay.platforms.host.journal import journal_lock
from assay.platforms.images.stored import BUILDING
from assay.platforms.locks import is_locked, locked
from assay.platforms.process import process_mark, this_process
from assay.platforms.saved_states.saved_store import half_saved, remove_saved, saved_folder, saved_lock
from tests.passing import pass_by

HOLD = (
    "import fcntl, sys, time; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print('held', "
    "flush=True); time.sleep(600)"
)


@contextmanager
def foreign(path: Path) -> Iterator[int]:
    """Let a process that is none of assay's hold the lock on a file that it may read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process.pid
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "run" / "claims.lock"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_lock_is_its_user_s_alone_and_the_holder_s_name_is_everybody_s(lock: Path) -> None:
    before = os.umask(0o077)
    try:
        with locked(lock):
            assert (mode(lock), mode(lock.with_name("claims.lock.holder"))) == (0o600, 0o644)
            reported = json.loads(lock.with_name("claims.lock.holder").read_text())
            assert (reported["pid"], reported["start_ticks"]) == (os.getpid(), this_process().start_ticks)
            assert reported["command"]
    finally:
        os.umask(before)
    assert [path.name for path in lock.parent.iterdir()] == ["claims.lock"]


def test_a_lock_of_an_earlier_assay_is_closed_to_others(lock: Path) -> None:
    lock.parent.mkdir()
    lock.touch()
    lock.chmod(0o644)
    with locked(lock):
        assert mode(lock) == 0o600


def test_nobody_cannot_open_a_lock_of_root(lock: Path) -> None:
    if os.geteuid() != 0:
        pass_by("only root can run a program as another user")
    with locked(lock):
        pass
    for folder in (lock.parent, *lock.parent.parents):
        if folder.stat().st_uid == 0 and folder != Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    done = subprocess.run(
        ["cat", str(lock)], user=65534, group=65534, extra_groups=[], capture_output=True, check=False
    )
    assert b"Permission denied" in done.stderr


def test_a_lock_that_a_stranger_holds_is_given_up_in_time_and_the_message_says_so(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "OTHERS_S", 0.2)
    began = time.monotonic()
    with foreign(lock), pytest.raises(ClaimedError) as error, locked(lock):
        pass
    assert time.monotonic() - began < 30
    assert error.value.exit_code == 4
    assert f"cannot take the lock {lock}: a process that is none of assay's holds it" in error.value.message
    assert error.value.hint == f"wait for that process or end it: fuser -v {lock}"


def test_a_stranger_is_not_taken_for_the_dead_process_that_held_the_lock_before(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "OTHERS_S", 0.1)
    with foreign(lock):
        reported = {"pid": 2**22 - 1, "start_ticks": 1, "command": "assay evaluate"}
        lock.with_name("claims.lock.holder").write_text(json.dumps(reported))
        with pytest.raises(ClaimedError, match="none of assay's"), locked(lock):
            pass


def test_one_of_ours_that_holds_it_is_named_and_waited_for_longer(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "OTHERS_S", 0.1)
    with foreign(lock) as pid:
        mark = process_mark(pid)
        reported = {"pid": pid, "start_ticks": mark.start_ticks, "command": "assay evaluate quick"}
        lock.with_name("claims.lock.holder").write_text(json.dumps(reported))
        began = time.monotonic()
        said = rf"cannot take the lock .*: process {pid} \(assay evaluate quick\) holds it"
        with pytest.raises(ClaimedError, match=said), locked(lock, limit_s=0.6):
            pass
        assert time.monotonic() - began >= 0.6


def test_a_lock_that_is_let_go_is_taken(lock: Path) -> None:
    order = []

    def hold() -> None:
        with locked(lock):
            began.set()
            time.sleep(0.2)
            order.append("first")

    began = threading.Event()
    thread = threading.Thread(target=hold)
    thread.start()
    began.wait()
    assert is_locked(lock)
    with locked(lock):
        order.append("second")
    thread.join()
    assert order == ["first", "second"]
    assert not is_locked(lock)


def test_a_lock_that_cannot_be_opened_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").touch()
    (tmp_path / "link.lock").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "folder.lock").mkdir()
    for name in ("link.lock", "folder.lock"):
        with pytest.raises(MissingError, match=f"cannot lock {tmp_path}/{name}: "), locked(tmp_path / name):
            pass


def test_the_name_of_the_holder_is_not_written_through_a_link(lock: Path, tmp_path: Path) -> None:
    lock.parent.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    lock.with_name("claims.lock.holder").symlink_to(victim)
    with pytest.raises(MissingError, match=r"claims\.lock\.holder"), locked(lock):
        pass
    assert victim.read_text() == "as it was"


USERS = {
    "run/claims.lock": lambda home: claim(home, "a"),
    "machine/daemon.lock": lambda _: stop_idle_daemons(),
    "machine/host-settings.lock": lambda home: journal_lock(home).__enter__(),
    "saved/.lock": lambda home: remove_saved(home, ""),
}


@pytest.mark.parametrize("name", USERS)
def test_none_of_the_locks_stops_us_without_end(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon_state, "MACHINE", tmp_path / "machine")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(locks, "OTHERS_S", 0.1)
    with foreign(tmp_path / name), pytest.raises(ClaimedError, match=name):
        USERS[name](tmp_path)
    USERS[name](tmp_path)
    assert mode(tmp_path / name) == 0o600


def test_nothing_else_waits_for_a_lock() -> None:
    source = Path(locks.__file__).parents[1]
    users = [path.name for path in source.rglob("*.py") if "fcntl.flock" in path.read_text()]
    assert sorted(users) == ["lock.py", "locks.py", "sqlite.py"], "all give up in time"


def test_what_a_killed_saver_left_is_found_unless_another_saves_now(tmp_path: Path) -> None:
    left = saved_folder(tmp_path) / f"{BUILDING}abc"
    make_marked(left)
    assert half_saved(tmp_path) == (left,)
    with locked(saved_lock(tmp_path)):
        assert half_saved(tmp_path) == ()
