"""The door to a machine by SSH: one connection, one SFTP session where it is needed, a channel a program."""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
import re
import socket
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import asyncssh

from assay.machines.errors import CommandError, TimedOutError, TransferError, UnreachableError
from assay.machines.ssh.background import background
from assay.machines.ssh.banner import greets
from assay.machines.ssh.bounded import run_bounded
from assay.machines.ssh.claim import claim_folder, folder_of
from assay.machines.ssh.login import connect
from assay.machines.ssh.own import began, command_of
from assay.machines.ssh.refused import silence
from assay.machines.ssh.sftp import STEP_S, digest_of, get_tree, is_own_file, put_tree, size_of
from assay.machines.ssh.stream import SshChannel, start
from assay.machines.tree import walk
from assay.model.errors import MissingError
from assay.model.machines.machine import Machine

T = TypeVar("T")

_DIGEST = re.compile(rb"[0-9a-f]{64}\s")
"""What ``sha256sum`` prints first; a name with a backslash has one before it."""

_CLOSE_S = 5.0
_DAY_S = 86400.0
"""Copies are bounded file by file; this only ends what escapes that."""


class Closable(Protocol):
    """Something that is closed once."""

    def close(self) -> None:
        """Close it; never raises."""


class SshDoor:
    """Another machine; the treaty is ``probe.Door``'s.

    Args:
        machine: How to reach it.
        connect_timeout_s: From the first packet to the end of the login.
        through: Open door of a machine from which this one is reached; ``None`` reaches it from here.
        over: Socket at whose other end its sshd is; ``None`` connects to its port.

    Attributes:
        name: Name of the machine.
        folder: Our folder there, ``/var/tmp/assay-<user>``; by the first file or program of it that is asked
            for it is there, and ours alone.

        batch_job: The batch system and the id of the job that holds it; ``None`` where none does.

    Raises:
        UnreachableError: It cannot be reached, or does not let us in.
    """

    def __init__(
        self,
        machine: Machine,
        *,
        connect_timeout_s: float,
        through: SshDoor | None = None,
        over: socket.socket | None = None,
    ) -> None:
        self.name = machine.name
        self._machine = machine
        self._connection: asyncssh.SSHClientConnection
        self._channels: list[SshChannel] = []
        self._between: list[Closable] = []
        self._closed, self._over = False, over
        self.batch_job: str | None = None
        try:
            by = None if through is None else through._connection  # noqa: SLF001 - of our own kind
            work = connect(machine, timeout_s=connect_timeout_s, through=by, over=over)
            self._connection = background().call(work, timeout_s=connect_timeout_s)
        except TimeoutError as error:
            raise silence(machine, connect_timeout_s) from error
        self.folder = folder_of(str(self._connection.get_extra_info("username")))
        self._files: asyncssh.SFTPClient | None = None
        self._claimed = False

    @property
    def _sftp(self) -> asyncssh.SFTPClient:
        """Return the SFTP session, opened when it is first needed; by then our folder is there.

        Raises:
            MissingError: The machine has no SFTP, or the folder is not ours alone.
            NoRoomError: Its disk is full.
        """
        if self._files is None:
            self._files = self._wait("open SFTP", _open_sftp(self._connection))
        if not self._claimed:
            self._wait(f"make {self.folder}", claim_folder(self._files, self.folder, self.name))
            self._claimed = True
        return self._files

    def size(self, there: str) -> int | None:
        """Return the bytes of a file, or ``None`` if there is no such file."""
        return self._wait(f"look at {there}", size_of(self._sftp, self._path(there)))

    def digest(self, there: str) -> str | None:
        """Return the SHA-256 of a file that nobody else can write to, or ``None`` if there is none.

        It is computed there, where there is a program for it.
        """
        path, what = self._path(there), f"look at {there}"
        if not self._wait(what, is_own_file(self._sftp, path, self.folder)):
            return None
        try:
            output = self.run(["sha256sum", path], timeout_s=STEP_S)
        except (MissingError, CommandError):
            output = b""
        if _DIGEST.match(output) is None:
            return self._wait(what, digest_of(self._sftp, path), timeout_s=_DAY_S)
        return output[:64].decode()

    def put(self, here: Path, there: str, *, executable: bool = False) -> None:
        """Copy a file (whole or not at all) or a folder.

        Raises:
            TransferError: A part cannot be read or written.
            NoRoomError: The disk that it comes to has too little room.
            UnreachableError: The machine was lost.
        """
        what = f"put {here} as {there}"
        try:
            entries = list(walk(here, follow=True))
        except OSError as error:
            msg = f"cannot {what} on {self.name}: {error.strerror}: {error.filename}"
            raise TransferError(msg) from error
        if not entries:
            msg = f"cannot {what} on {self.name}: no file or folder"
            raise TransferError(msg)
        work = put_tree(self._sftp, entries, self._path(there), executable=executable, machine=self.name)
        self._wait(what, _in_turn(work), timeout_s=_DAY_S)

    def get(self, there: str, here: Path) -> None:
        """Copy a file or folder back; symbolic links are left out.

        Raises:
            TransferError: It is absent, or a part cannot be read or written.
            NoRoomError: The disk that it comes to has too little room.
            UnreachableError: The machine was lost.
        """
        work = get_tree(self._sftp, self._path(there), here)
        self._wait(f"get {there}", _in_turn(work), timeout_s=_DAY_S)

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        """Run a command to its end and return its standard output.

        Raises:
            MissingError: No such program.
            CommandError: Another exit code than 0.
            TimedOutError: It did not end in time; it may still run there.
            TooMuchError: It prints without end.
            UnreachableError: The machine was lost.
        """
        work = run_bounded(self._connection, argv, machine=self.name)
        done = self._wait(f"run '{argv[0]}'", work, timeout_s=timeout_s)
        if done.returncode is None:
            msg = f"cannot run '{argv[0]}' on {self.name}: the connection was lost"
            raise UnreachableError(msg, machine=self.name)
        if done.returncode == 127:  # the shell's word for "not found"
            msg = f"cannot run '{argv[0]}' on {self.name}: no such program"
            raise MissingError(msg)
        if done.returncode:
            code = done.returncode if done.returncode > 0 else 128 - done.returncode
            raise CommandError(self.name, argv, exit_code=code, stderr=done.stderr.decode(errors="replace"))
        return done.stdout

    def open(self, argv: Sequence[str]) -> SshChannel:
        """Start a program and talk with it line by line.

        Raises:
            UnreachableError: The machine was lost. A program that cannot be executed is told by the channel.
        """
        return self._open(argv[0], argv)

    def open_own(self, there: str, sha256: str, words: Sequence[str]) -> SshChannel | None:
        """Start a program of our folder if it is this very one; ``None`` where it is not, or cannot be
        looked at.

        That the folder is ours alone is seen there as well, and needs not be seen again.
        """
        path = self._path(there)
        channel = self._open(path, command_of(self.folder, path, sha256, words))
        if began(channel):
            self._claimed = True
            return channel
        self._channels.remove(channel)
        channel.close()
        return None

    def _open(self, program: str, argv: Sequence[str]) -> SshChannel:
        work = start(self._connection, self.name, argv, name=program)
        channel = self._wait(f"start '{program}'", work)
        self._channels.append(channel)
        return channel

    def greets(self, port: int, patience_s: float) -> bool:
        """Tell whether an SSH server's banner comes from a port on its 127.0.0.1 in time.

        Raises:
            MissingError: Its sshd forwards no connections.
            UnreachableError: The machine was lost.
        """
        return self._wait(f"look at port {port}", greets(self._connection, port, patience_s))

    def login(self) -> Machine:
        """Return how it was reached: host, port and user as they were resolved, and the host key
        it proved.

        Raises:
            MissingError: It has no port that another program could connect to.
        """
        if self._over is not None:
            msg = (
                f"cannot reach {self.name} but by the batch system that gives it: no guests can be made there"
            )
            raise MissingError(msg, hint="add it as a machine by SSH: assay machine add")
        seen, key = self._connection.get_extra_info, self._connection.get_server_host_key()
        return replace(
            self._machine,
            host=str(seen("host")),
            port=int(seen("port")),
            user=str(seen("username")),
            host_key=None if key is None else key.export_public_key().decode().strip(),
        )

    def closes(self, between: Closable) -> None:
        """Take over what this one was opened through: it is closed after it."""
        self._between.append(between)

    def close(self) -> None:
        """Close all channels and the connection; closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        while self._channels:
            self._channels.pop().close()
        with contextlib.suppress(TimeoutError, OSError, asyncssh.Error):
            background().call(_hang_up(self._connection), timeout_s=2 * _CLOSE_S)
        while self._between:
            self._between.pop().close()

    def _path(self, there: str) -> str:
        return posixpath.join(self.folder, there)

    def _wait(self, what: str, work: Coroutine[Any, Any, T], *, timeout_s: float = STEP_S) -> T:
        try:
            return background().call(work, timeout_s=timeout_s)
        except (TimeoutError, asyncssh.Error, OSError) as error:
            raise self._explain(what, error, timeout_s) from error

    def _explain(
        self, what: str, error: Exception, timeout_s: float
    ) -> UnreachableError | TransferError | MissingError:
        msg = f"cannot {what} on {self.name}: "
        if isinstance(error, TimeoutError):
            within = f"no end within {timeout_s:g} s" if timeout_s < _DAY_S else "it got stuck"
            return TimedOutError(msg + within, machine=self.name)
        if isinstance(error, (asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection)):
            return UnreachableError(msg + "the connection was lost", machine=self.name)
        if isinstance(error, asyncssh.SFTPError):
            return TransferError(f"{msg}{error.reason.lower()}", hint="is it there, is there space?")
        if isinstance(error, asyncssh.ChannelOpenError) and not _is_lost(self._connection):
            return _closed(msg, error)
        if isinstance(error, OSError) and not isinstance(error, ConnectionError):
            return TransferError(f"{msg}{error.strerror or error}")
        return UnreachableError(f"{msg}the connection was lost ({error})", machine=self.name)


def _closed(msg: str, error: asyncssh.ChannelOpenError) -> MissingError:
    if error.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED:
        return MissingError(
            f"{msg}its sshd forwards no connections", hint="AllowTcpForwarding yes in its sshd_config"
        )
    return MissingError(f"{msg}refused: {error.reason}", hint="does its sshd offer SFTP?")


def _is_lost(connection: asyncssh.SSHClientConnection) -> bool:
    return bool(connection.is_closed())


async def _in_turn(copy: Coroutine[Any, Any, None]) -> None:
    """Copy as one of a few at a time."""
    try:
        async with background().transfers:
            await copy
    finally:
        copy.close()


async def _open_sftp(connection: asyncssh.SSHClientConnection) -> asyncssh.SFTPClient:
    return await connection.start_sftp_client()


async def _hang_up(connection: asyncssh.SSHClientConnection) -> None:
    connection.close()
    try:
        await asyncio.wait_for(connection.wait_closed(), _CLOSE_S)
    except TimeoutError:
        connection.abort()
