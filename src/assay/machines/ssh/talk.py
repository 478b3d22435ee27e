"""One program on a machine behind SSH, and nothing else: no folder claimed, no file session opened."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import asyncssh

from assay.machines.ssh.background import background
from assay.machines.ssh.login import connect
from assay.machines.ssh.refused import silence
from assay.machines.ssh.stream import SshChannel, start
from assay.model.machines.machine import Machine

if TYPE_CHECKING:
    from asyncssh import SSHClientConnection

_CLOSE_S = 2.0


@contextlib.contextmanager
def talk(machine: Machine, argv: Sequence[str], *, timeout_s: float = 30.0) -> Iterator[SshChannel]:
    """Log in to a machine and start one program that answers line by line; it is ended at the end.

    Args:
        machine: How to reach it.
        argv: The program and its words.
        timeout_s: From the first packet to the program's start.

    Raises:
        UnreachableError: it cannot be reached, does not let us in, or the connection was lost.
    """
    try:
        connection, channel = background().call(_open(machine, argv, timeout_s), timeout_s=timeout_s)
    except TimeoutError as error:
        raise silence(machine, timeout_s) from error
    try:
        yield channel
    finally:
        with contextlib.suppress(TimeoutError, OSError, asyncssh.Error):
            background().call(_end(connection), timeout_s=2 * _CLOSE_S)


async def _open(
    machine: Machine, argv: Sequence[str], timeout_s: float
) -> tuple[SSHClientConnection, SshChannel]:
    connection = await connect(machine, timeout_s=timeout_s)
    try:
        return connection, await start(connection, machine.name, argv)
    except BaseException:
        connection.abort()
        raise


async def _end(connection: SSHClientConnection) -> None:
    # hung up at once: the other side's good-bye costs an emulated guest a tenth of a second
    connection.close()
    try:
        await asyncio.wait_for(connection.wait_closed(), _CLOSE_S)
    except TimeoutError:
        connection.abort()
