"""Locks between processes of assay: files that only their user can open, and never waited for without end.

Whoever may open a file may lock it (``man 2 flock``), so a lock that others can read is one that they can
hold. Beside each lock, ``NAME.holder`` tells everybody which process has it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from assay.model.errors import MissingError
from assay.platforms.durable import read_json
from assay.platforms.errors import ClaimedError
from assay.platforms.process import ProcessMark, is_alive, this_process
from assay.platforms.readers import make_missing

LIMIT_S = 120.0
"""What most locks are held for takes milliseconds, the start of libvirt's daemons some seconds."""
OTHERS_S = 30.0
"""One that no living process of assay says to hold is waited for so long."""
_FIRST_S, _MOST_S = 0.005, 0.25
_WORDS = 200


@contextlib.contextmanager
def locked(path: Path, *, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Hold an exclusive lock on a file for the duration; waits for other holders.

    The kernel lets go of it when the holder dies, so it never goes stale.

    Args:
        path: The file, made for this user alone; its folder is made too.
        limit_s: A living process of assay may hold it so long; anybody else ``OTHERS_S``.

    Raises:
        ClaimedError: another holds it for longer; the message names the holder.
        MissingError: this user may not open it.
    """
    make_missing(path.parent)
    with _opened(path) as handle:
        _take(handle, path, limit_s)
        _tell_holder(path)
        try:
            yield
        finally:
            _holder_file(path).unlink(missing_ok=True)


def is_locked(path: Path) -> bool:
    """Tell whether another process, or another part of this one, holds the lock on a file."""
    with _opened(path) as handle:
        return not _try(handle)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    handle = _open(path, os.O_RDWR, 0o600)
    try:
        if os.fstat(handle).st_mode & 0o177:  # of an earlier assay, which let others open it
            with contextlib.suppress(PermissionError):  # another user's: the limit alone helps
                os.fchmod(handle, 0o600)
        yield handle
    finally:
        os.close(handle)


def _open(path: Path, flags: int, mode: int) -> int:
    try:
        return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    except OSError as error:
        msg = f"cannot lock {path}: {error.strerror}"
        raise MissingError(msg, hint=f"ls -l {path}; each user needs a folder of state of its own") from error


def _take(handle: int, path: Path, limit_s: float) -> None:
    began = ours_at = time.monotonic()
    pause = _FIRST_S
    while not _try(handle):
        now = time.monotonic()
        holder = _holder(path)
        ours_at = now if holder is not None else ours_at
        if now - began > limit_s or now - ours_at > OTHERS_S:
            raise _held(path, holder, now - began)
        time.sleep(pause)
        pause = min(2 * pause, _MOST_S)


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _held(path: Path, holder: str | None, waited_s: float) -> ClaimedError:
    who = holder or "a process that is none of assay's"
    msg = f"cannot take the lock {path}: {who} holds it, waited {waited_s:.0f} s"
    return ClaimedError(msg, hint=f"wait for that process or end it: fuser -v {path}")


def _tell_holder(path: Path) -> None:
    reported = {**asdict(this_process()), "command": " ".join(sys.argv)[:_WORDS]}
    handle = _open(_holder_file(path), os.O_WRONLY | os.O_TRUNC, 0o644)
    with open(handle, "w", encoding="utf-8") as file:
        os.fchmod(handle, 0o644)  # whatever the umask: others are to read who it is
        json.dump(reported, file)


def _holder(path: Path) -> str | None:
    """Return the living process of assay that says to hold a lock; ``None`` where none does."""
    reported = read_json(_holder_file(path), "pid", "start_ticks", "command")
    if reported is None or not is_alive(ProcessMark(reported["pid"], reported["start_ticks"])):
        return None
    return f"process {reported['pid']} ({reported['command']})"


def _holder_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.holder")
