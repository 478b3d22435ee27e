"""A command of this machine whose output is read up to a limit."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

MOST_BYTES = 256 << 20
"""More than any command prints that is run to its end: the files of a process of 5,000 threads
take 30 MiB.
"""
LAST_WORDS = 4096
"""Of standard error: its end."""
_CHUNK = 1 << 16


class EndlessError(Exception):
    """More is printed than is read."""


@dataclass(frozen=True)
class Output:
    """What a command printed, and how it ended.

    Attributes:
        stdout: All of its standard output.
        stderr: The end of its standard error.
        returncode: Its exit code, the negative number of a signal that ended it; ``None`` where that is not
            known.
    """

    stdout: bytes
    stderr: bytes
    returncode: int | None


def run_child(argv: Sequence[str], *, timeout_s: float) -> Output:
    """Run a command to its end; one that does not come to it is killed.

    Args:
        argv: Program and arguments.
        timeout_s: From its start to the end of its output.

    Raises:
        OSError: It cannot be started.
        EndlessError: It prints more than ``MOST_BYTES``.
        subprocess.TimeoutExpired: It did not end in time.
    """
    deadline, pipe = time.monotonic() + timeout_s, subprocess.PIPE
    with subprocess.Popen(list(argv), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as process:
        try:
            stdout, stderr = _hear(process, deadline, timeout_s)
            code = process.wait(max(0.0, deadline - time.monotonic()))
        except BaseException:
            process.kill()
            raise
    return Output(stdout, stderr, code)


def _hear(process: subprocess.Popen[bytes], deadline: float, timeout_s: float) -> tuple[bytes, bytes]:
    """Return what is printed until both streams are closed: all of the one, the end of the other."""
    stdout, stderr = bytearray(), b""
    with selectors.DefaultSelector() as watch:
        for stream in filter(None, (process.stdout, process.stderr)):
            watch.register(stream, selectors.EVENT_READ)
        while watch.get_map():
            if (left := deadline - time.monotonic()) <= 0:
                raise subprocess.TimeoutExpired(process.args, timeout_s)
            for key, _ in watch.select(left):
                if not (chunk := os.read(key.fd, _CHUNK)):
                    watch.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    stderr = (stderr + chunk)[-LAST_WORDS:]
                else:
                    stdout += chunk
                    if len(stdout) > MOST_BYTES:
                        raise EndlessError
    return bytes(stdout), stderr
