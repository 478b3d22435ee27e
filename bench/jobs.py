"""The jobs that are watched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

SLEEPERS = 200


@dataclass(frozen=True)
class Job:
    """A command that runs until it is killed, and how many processes it has once it stands."""

    name: str
    command: tuple[str, ...]
    processes: int


BUSY = Job("one busy process", ("sh", "-c", "while :; do :; done"), 1)
TREE = Job(
    "201 processes",
    ("sh", "-c", f"i=0; while [ $i -lt {SLEEPERS} ]; do sleep 1000 & i=$((i+1)); done; wait"),
    1 + SLEEPERS,
)


def mapper(resident_bytes: int, seconds: float) -> tuple[str, ...]:
    """Command of the job that maps and unmaps memory and notices when it is kept from it."""
    return (sys.executable, "-m", "bench.mapper", str(resident_bytes), str(seconds))


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a command in a session of its own; all of it is killed at the end."""
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
