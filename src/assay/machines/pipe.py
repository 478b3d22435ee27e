"""A child process as a channel of lines."""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Sequence

from assay.machines.errors import TimedOutError, TooMuchError, UnreachableError

CLOSE_S = 5.0
"""A process whose input has ended has this long to end by itself."""
MOST_BYTES = 16 << 20
"""A line is shorter: the facts of a machine of 768 processors take 1 MiB."""
_CHUNK = 1 << 16
_LAST_WORDS = 2048


class PipeChannel:
    """A child process that answers line by line; the treaty is ``probe.Channel``'s.

    The child is the leader of a session of its own, so that Ctrl-C at the terminal does not reach it.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, machine: str, argv: Sequence[str]) -> None:
        self._machine, self._name = machine, os.path.basename(argv[0])
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        try:
            self._process = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                bufsize=0,
                start_new_session=True,
            )
        except OSError:
            self._said.close()
            raise
        if self._process.stdin is None or self._process.stdout is None:
            msg = "BUG: a child with pipes has none"
            raise RuntimeError(msg)
        self._in, self._out = self._process.stdin, self._process.stdout
        self._buffer = bytearray()
        self._closed = False

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
        deadline = time.monotonic() + timeout_s
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            self._refuse_endless()
            self._fill(max(0.0, deadline - time.monotonic()), timeout_s)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def close(self) -> None:
        """End the program's input and see the program end; closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._in.close()
        self._out.close()
        try:
            self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()

    def _fill(self, wait_s: float, timeout_s: float) -> None:
        if self._closed:
            raise self._ended()
        watch = select.poll()
        watch.register(self._out, select.POLLIN)
        if not watch.poll(wait_s * 1000):
            msg = f"cannot hear {self._name} on {self._machine}: no answer within {timeout_s:g} s"
            raise TimedOutError(msg, machine=self._machine)
        chunk = os.read(self._out.fileno(), _CHUNK)
        if not chunk:
            raise self._ended()
        self._buffer += chunk

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
        if self._closed:
            return ""
        self._said.seek(max(0, self._said.seek(0, os.SEEK_END) - _LAST_WORDS))
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""
