"""A program on another machine as a channel of lines."""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
import queue
import shlex
from collections.abc import Sequence

import asyncssh

from assay.machines.errors import TooMuchError, UnreachableError, silent
from assay.machines.pipe import MOST_BYTES
from assay.machines.ssh.background import background

CLOSE_S = 5.0
"""A program whose input has ended has this long to end by itself."""
_LAST_WORDS = 2048
_LINE_BYTES = 64
"""What an empty line takes in memory while it waits to be heard."""


class SshChannel:
    """A program over there that answers line by line; the treaty is ``probe.Channel``'s."""

    def __init__(self, machine: str, name: str, session: _Lines) -> None:
        self._machine, self._name, self._session = machine, name, session
        self._closed = False
        self._waiting: tuple[bytes | None, ...] = ()

    def send(self, line: bytes) -> None:
        """Send one line; the newline is added."""
        if self._closed or self._session.ended.is_set():
            raise self._gone()
        background().soon(self._session.write, line + b"\n")

    def receive(self, timeout_s: float) -> bytes:
        """Return the next line without its newline."""
        if not self.hears(timeout_s):
            raise silent(self._name, self._machine, timeout_s)
        (line,), self._waiting = self._waiting, ()
        if line is None:
            self._session.lines.put(None)  # the end stays the end
            raise self._gone()
        self._session.heard(line)
        return line

    def hears(self, timeout_s: float) -> bool:
        """Tell as soon as a line has arrived or the program has ended, or after that time."""
        if not self._waiting:
            with contextlib.suppress(queue.Empty):
                self._waiting = (self._session.lines.get(timeout=timeout_s),)
        return bool(self._waiting)

    @property
    def exit_code(self) -> int | None:
        """Return what the program has ended with; ``None`` while it runs, and where that was not heard."""
        return self._session.exit_code()

    def close(self) -> None:
        """End the program's input and see the program end; closing again does nothing."""
        if not self._closed:
            self._closed = True
            with contextlib.suppress(TimeoutError, OSError, asyncssh.Error):
                background().call(self._session.finish(), timeout_s=2 * CLOSE_S)

    def _gone(self) -> UnreachableError:
        if self._session.endless:
            reason = f"it says more than {MOST_BYTES >> 20} MiB that were not asked"
            return TooMuchError(
                f"cannot hear {self._name} on {self._machine}: {reason}", machine=self._machine
            )
        msg = f"cannot talk with {self._name} on {self._machine}: {self._session.why_ended()}"
        return UnreachableError(msg, machine=self._machine)


class _Lines(asyncssh.SSHClientSession[bytes]):
    """Cuts what arrives into lines, on the loop's thread; the queue carries them to the caller's."""

    def __init__(self) -> None:
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.ended = asyncio.Event()
        self.endless = False
        self._partial = bytearray()
        self._arrived = self._heard = 0
        self._stderr = b""
        self._lost: Exception | None = None
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self._channel = chan

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        if datatype == asyncssh.EXTENDED_DATA_STDERR:
            self._stderr = (self._stderr + data)[-_LAST_WORDS:]
            return
        if self.endless:
            return
        self._arrived += len(data) + _LINE_BYTES * data.count(b"\n")
        if self._arrived - self._heard > MOST_BYTES:
            self._stop_listening()
            return
        end, *begins = data.split(b"\n")
        self._partial += end
        for begin in begins:
            self.lines.put(bytes(self._partial))
            self._partial = bytearray(begin)

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = exc
        self.ended.set()
        self.lines.put(None)

    def heard(self, line: bytes) -> None:
        """Note that a line waits no more, on the caller's thread, which alone writes this count."""
        self._heard += len(line) + 1 + _LINE_BYTES

    def _stop_listening(self) -> None:
        self.endless = True
        self._partial.clear()
        if self._channel is not None:
            self._channel.abort()

    def write(self, data: bytes) -> None:
        if self._channel is not None:
            with contextlib.suppress(OSError):  # the reader learns of the end
                self._channel.write(data)

    async def finish(self) -> None:
        if self._channel is None or self.ended.is_set():
            return
        self._channel.write_eof()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.ended.wait(), CLOSE_S)
        self._channel.abort()

    def exit_code(self) -> int | None:
        return self._channel.get_exit_status() if self._channel else None

    def why_ended(self) -> str:
        lines = self._stderr.decode(errors="replace").strip().splitlines()
        code = self.exit_code()
        if self._lost is not None or code is None:
            return f"the connection was lost{f': {self._lost}' if self._lost else ''}"
        return f"it has ended with exit code {code}{f': {lines[-1]}' if lines else ''}"


async def start(
    connection: asyncssh.SSHClientConnection, machine: str, argv: Sequence[str], *, name: str | None = None
) -> SshChannel:
    """Start a program; the argument list is quoted word by word for the shell that sshd puts between.

    Args:
        connection: To the machine.
        machine: Its name, for messages.
        argv: The argument list.
        name: The program, for messages; ``None`` is the first word.
    """
    _, session = await connection.create_session(
        _Lines, shlex.join(argv), encoding=None, request_pty=False, x11_forwarding=False
    )
    if not isinstance(session, _Lines):
        msg = f"BUG: asyncssh made another session than asked: {session}"
        raise TypeError(msg)
    return SshChannel(machine, posixpath.basename(name or argv[0]), session)
