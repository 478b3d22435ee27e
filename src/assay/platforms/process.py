"""Processes by pid *and* start time, so that a reused pid is never mistaken for one of ours.

Source: ``man 5 proc``, ``/proc/PID/stat``, fields 3 (state), 14, 15 (CPU ticks) and 22 (start time);
``hidepid`` 1 (another user's files are refused), 2 and 4 (its folder is not there); ``man 2 kill``.
Limits: Of a process that ``hidepid`` hides only its number is known. One that was given the same number later
is taken for it, as is a zombie.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
"""Where programs of the system are looked up: a user's PATH may lack the folders of root's."""
_PROC = Path("/proc")


@dataclass(frozen=True)
class ProcessMark:
    """One process of this boot of the machine.

    Attributes:
        pid: Its number.
        start_ticks: Clock ticks from the machine's boot to its start.
    """

    pid: int
    start_ticks: int


def stat_fields(text: str) -> list[str]:
    """Return the fields of a ``stat`` line from the state on; the name before it may hold anything."""
    return text.rsplit(")", 1)[1].split()


def process_mark(pid: int) -> ProcessMark | None:
    """Return the mark of a running process; ``None`` where there is none or only a zombie.

    Raises:
        PermissionError: It is another user's, and ``/proc`` has ``hidepid=1``.
    """
    try:
        fields = stat_fields((_PROC / str(pid) / "stat").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else ProcessMark(pid, int(fields[19]))


def this_process() -> ProcessMark:
    """Return the mark of the calling process."""
    return ProcessMark(os.getpid(), int(stat_fields((_PROC / "self" / "stat").read_text())[19]))


def is_alive(mark: ProcessMark) -> bool:
    """Tell whether that very process still runs; where ``/proc`` hides it, whether one of its number does."""
    try:
        seen = process_mark(mark.pid)
    except PermissionError:  # hidepid=1: it is there, and not ours to look at
        return True
    if seen is not None or (_PROC / str(mark.pid)).exists():
        return seen == mark
    return _is_hidden(mark.pid)


def _is_hidden(pid: int) -> bool:
    """Tell whether a process that ``/proc`` does not show is there (hidepid=2); a number of none is not."""
    if pid < 1:  # kill takes these for groups of processes
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def spent_cpu_s(mark: ProcessMark) -> float | None:
    """Return the CPU seconds that a process has had so far, all of its threads; ``None`` where it is gone or
    hidden.
    """
    if not is_alive(mark):
        return None
    try:
        fields = stat_fields((_PROC / str(mark.pid) / "stat").read_text())
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spawn(
    command: list[str],
    *,
    log: Path,
    keep: Sequence[str] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> ProcessMark:
    """Start a process in a session of its own that may outlive the caller; its output is appended to a log.

    It gets no other file that the caller holds open: a lock of somebody's would be held as long as it lives.

    Args:
        command: The program's absolute path and its arguments.
        log: Its folder must be there.
        keep: Variables of this process's environment that it gets, beside a ``PATH`` and ``LC_ALL`` of ours.
        variables: Further ones, which may be these two as well.
    """
    # posix_spawn: no Popen object that would have to outlive a process which outlives us
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
        *((os.POSIX_SPAWN_CLOSE, number) for number in _inherited()),
    ]
    kept = {name: os.environ[name] for name in keep if name in os.environ}
    environment = {**kept, "PATH": PATH, "LC_ALL": "C.UTF-8", **variables}
    pid = os.posix_spawn(command[0], command, environment, file_actions=actions, setsid=True)
    return ProcessMark(pid, int(stat_fields((_PROC / str(pid) / "stat").read_text())[19]))


def _inherited() -> list[int]:
    """Return the open files, beside the standard streams, that a child would get."""
    descriptors = []
    for number in map(int, os.listdir(_PROC / "self/fd")):
        with contextlib.suppress(OSError):  # that of the listing itself is closed again
            if number > 2 and os.get_inheritable(number):
                descriptors.append(number)
    return descriptors


def wait_end(mark: ProcessMark) -> None:
    """Sleep until a process has ended, and reap it if it is a child of the caller."""
    try:
        handle = os.pidfd_open(mark.pid)
    except ProcessLookupError:
        return
    try:
        if is_alive(mark):
            select.select([handle], [], [])
    finally:
        os.close(handle)
    _reap(mark.pid)


def ended_within(mark: ProcessMark, seconds: float) -> int | None:
    """Wait so long for the end of a child of the caller.

    Returns:
        Its exit code, 128 and the signal's number where one killed it; ``None`` where it still runs.
    """
    if not gone_within(mark, seconds):
        return None
    _, status = os.waitpid(mark.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def stop_process(mark: ProcessMark, *, grace_s: float = 10.0) -> None:
    """End a process by SIGTERM, after ``grace_s`` seconds by SIGKILL; one that is gone is no error.

    A child of the caller is reaped. Returns when it is gone, at the latest 5 s after the SIGKILL.
    """
    for number, patience_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, 5.0)):
        if _send(mark, number) and gone_within(mark, patience_s):
            break
    _reap(mark.pid)


def kill_process(mark: ProcessMark) -> bool:
    """End a process by SIGKILL at once, and wait 5 s at most until it is gone.

    Returns:
        Whether it was there to be killed.

    Raises:
        PermissionError: It is another user's.
    """
    try:
        handle = os.pidfd_open(mark.pid)
    except ProcessLookupError:
        return False
    try:
        if not is_alive(mark):
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    finally:
        os.close(handle)
    gone_within(mark, 5.0)
    _reap(mark.pid)
    return True


def children(pid: int) -> list[int]:
    """Return the pids of a process's children, of all its threads; empty where it is gone."""
    pids: list[int] = []
    for file in (_PROC / str(pid) / "task").glob("*/children"):
        try:
            pids += [int(word) for word in file.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
    return pids


def _send(mark: ProcessMark, number: signal.Signals) -> bool:
    if is_alive(mark):
        os.kill(mark.pid, number)
    return True


def gone_within(mark: ProcessMark, seconds: float) -> bool:
    """Wait so long for the end of a process; tell whether it has ended."""
    deadline = time.monotonic() + seconds
    while is_alive(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
