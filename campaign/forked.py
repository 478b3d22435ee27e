"""Work in a forked process that has limits and leaves nothing behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
"""Source: linux/prctl.h."""
TELLS = 4000
"""Most bytes that the work may tell: what a pipe takes without a reader."""
GROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Ended:
    """How the work ended.

    Attributes:
        code: What it returned; negative where a signal ended it.
        told: What it told.
        seconds: Processor time of it and of the processes that it waited for.
        late: Whether its time was over.
    """

    code: int
    told: str
    seconds: float
    late: bool


def forked(work: Callable[[Callable[[str], None]], int], *, cpu_s: float, wall_s: float) -> Ended:
    """Run ``work(tell)`` in a fork and wait for it; what it leaves running is ended."""
    reader, writer = os.pipe()
    with orphans_ended():
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _be_a_child(work, writer, cpu_s)
        os.close(writer)
        status, seconds, late = _wait(child, wall_s)
    code = os.waitstatus_to_exitcode(status)
    told = os.read(reader, TELLS).decode()
    os.close(reader)
    return Ended(code, told, seconds, late or code == -signal.SIGXCPU)


@contextlib.contextmanager
def orphans_ended() -> Iterator[None]:
    """End at its end what processes started in it leave running, also in a session of its own."""
    _adopt_orphans(1)
    spared = _children()
    try:
        yield
    finally:
        _end_orphans(spared)
        _adopt_orphans(0)


def _be_a_child(work: Callable[[Callable[[str], None]], int], writer: int, cpu_s: float) -> None:
    code = 3
    try:
        os.setsid()
        limit = int(_cpu_s(resource.RUSAGE_SELF) + cpu_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        be_silent()
        code = work(lambda text: _tell(writer, text))
    finally:
        if sys.exc_info()[0]:
            _tell(writer, traceback.format_exc()[-TELLS:])
        os._exit(code)


def be_silent() -> None:
    """Let what is printed from now on go nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)


def _tell(writer: int, text: str) -> None:
    os.write(writer, text.encode()[:TELLS])


def _wait(child: int, wall_s: float) -> tuple[int, float, bool]:
    end, late = time.monotonic() + wall_s, False
    while True:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid:
            _end_group(child)
            return status, usage.ru_utime + usage.ru_stime, late
        if time.monotonic() > end and not late:
            late = True
            _end_group(child)
        time.sleep(0.005)


def _end_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _adopt_orphans(so: int) -> None:
    """Become the parent of what children of ours leave running, so that it is found, or no longer."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, so, 0, 0, 0)


def _children() -> set[int]:
    """Return the processes that have this one as their parent."""
    me = os.getpid()
    return {int(word) for word in Path(f"/proc/{me}/task/{me}/children").read_text().split()}


def _end_orphans(spared: set[int]) -> None:
    while left := _children() - spared:
        for one in left:
            groups = _probe_groups(one)
            os.kill(one, signal.SIGKILL)
            for group in groups:
                _thaw(group)  # what a supervisor froze does not end before
            os.waitpid(one, 0)
            for group in groups:
                with contextlib.suppress(OSError):  # others are in it, or below it, yet
                    group.rmdir()


def _probe_groups(process: int) -> list[Path]:
    """Return the control groups of the probe that a process is in."""
    lines = Path(f"/proc/{process}/cgroup").read_text().splitlines()
    parts = [line.split(":", 2) for line in lines if "/assay" in line]
    unified = "unified" if (GROUPS / "unified").is_dir() else ""
    return [GROUPS / (kinds or unified).removeprefix("name=") / path.lstrip("/") for _, kinds, path in parts]


def _thaw(group: Path) -> None:
    for name, word in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
        with contextlib.suppress(OSError):
            if (group / name).exists():
                (group / name).write_text(word)


def _cpu_s(who: int) -> float:
    spent = resource.getrusage(who)
    return spent.ru_utime + spent.ru_stime


def own_cpu_s() -> float:
    """Return the processor time of this process and of those that it waited for."""
    return _cpu_s(resource.RUSAGE_SELF) + _cpu_s(resource.RUSAGE_CHILDREN)
