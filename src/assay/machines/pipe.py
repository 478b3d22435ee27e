"""A child process as a channel of lines."""

from __future__ import annotations

import os
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import IO

from assay.machines.errors import TooMuchError, UnreachableError, silent

CLOSE_S = 5.0
"""A process whose input has ended has this long to end by itself."""
MOST_BYTES = 16 << 20
"""A line is shorter: the facts of a machine of 768 processors take 1 MiB."""
_CHUNK = 1 << 16
_LAST_WORDS = 2048
_LAST_WORDS_S = 1.0
"""A child of the process may hold its standard error open: no longer than this is waited for its end."""


class PipeChannel:
    """A child process that answers line by line; the treaty is ``probe.Channel``'s.

    The child is the leader of a session of its own, so that Ctrl-C at the terminal does not reach it.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, machine: str, argv: Sequence[str]) -> None:
        self._machine, self._name = machine, os.path.basename(argv[0])
        self._process = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        if self._process.stdin is None or self._process.stdout is None or self._process.stderr is None:
            msg = "BUG: a child with pipes has none"
            raise RuntimeError(msg)
        self._in, self._out = self._process.stdin, self._process.stdout
        self._errors = _LastWords(self._process.stderr)
        self._buffer = bytearray()
        self._closed = self._over = False

    def send(self, line: bytes) -> None:
        """Send one line; the newline is added."""
        try:
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[os.write(self._in.fileno(), rest) :]
        except (OSError, ValueError) as error:
            raise self._ended() from error

    def receive(self, timeout_s: float) -> bytes:
        """Return the next line without its newline."""
        if not self.hears(timeout_s):
            raise silent(self._name, self._machine, timeout_s)
        if (end := self._buffer.find(b"\n")) < 0:
            self._refuse_endless()
            raise self._ended()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def hears(self, timeout_s: float) -> bool:
        """Tell as soon as a line has come or none will come any more, or after that time."""
        deadline = time.monotonic() + timeout_s
        searched = 0
        while self._buffer.find(b"\n", searched) < 0 and not self._over and len(self._buffer) <= MOST_BYTES:
            searched = len(self._buffer)
            if not self._fill(max(0.0, deadline - time.monotonic())):
                return False
        return True

    def close(self) -> None:
        """End the program's input and see the program end; closing again does nothing."""
        if self._closed:
            return
        self._closed = self._over = True
        self._in.close()
        self._out.close()
        try:
            self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _fill(self, wait_s: float) -> bool:
        """Take what was said; tell whether anything was, its end too."""
        watch = select.poll()
        watch.register(self._out, select.POLLIN)
        if not watch.poll(wait_s * 1000):
            return False
        chunk = os.read(self._out.fileno(), _CHUNK)
        self._over = not chunk
        self._buffer += chunk
        return True

    def _refuse_endless(self) -> None:
        if len(self._buffer) > MOST_BYTES:
            self.close()
            msg = f"cannot hear {self._name} on {self._machine}: a line of more than {MOST_BYTES >> 20} MiB"
            raise TooMuchError(msg, machine=self._machine)

    def _ended(self) -> UnreachableError:
        words = self._last_words()
        msg = f"cannot talk with {self._name} on {self._machine}: it has ended{words}"
        return UnreachableError(msg, machine=self._machine)

    def _last_words(self) -> str:
        lines = "" if self._closed else self._errors.line()
        return f": {lines}" if lines else ""


class _LastWords:
    """The end of what a process writes to its standard error; the rest is read, so that it never waits, and
    dropped.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._kept = stream, b""
        self._thread = threading.Thread(target=self._drain, name="assay-stderr", daemon=True)
        self._thread.start()

    def line(self) -> str:
        """Return the last line, empty where there is none; a process that has ended has been read
        to its end.
        """
        self._thread.join(_LAST_WORDS_S)
        lines = self._kept.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def _drain(self) -> None:
        with self._stream:
            while chunk := self._stream.read(_CHUNK):
                self._kept = (self._kept + chunk)[-_LAST_WORDS:]
