"""A command on another machine whose output is read up to a limit."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence

import asyncssh

from assay.machines.child import LAST_WORDS, MOST_BYTES, EndlessError, Output
from assay.machines.errors import endless

_CHUNK = 1 << 16


async def run_bounded(
    connection: asyncssh.SSHClientConnection, argv: Sequence[str], *, machine: str
) -> Output:
    """Run a command to its end; its exit code is unknown where the connection was lost.

    Raises:
        TooMuchError: It prints more than ``MOST_BYTES``; it may still run there.
    """
    process = await connection.create_process(
        shlex.join(argv), encoding=None, stdin=asyncssh.DEVNULL, request_pty=False
    )
    try:
        stdout, stderr = await asyncio.gather(_whole(process.stdout), _end_of(process.stderr))
        await process.wait_closed()
        return Output(stdout, stderr, process.returncode)
    except EndlessError as error:
        raise endless(argv, machine, MOST_BYTES) from error
    finally:
        process.close()  # a peer that never closes its side is not waited for


async def _whole(reader: asyncssh.SSHReader[bytes]) -> bytes:
    received = bytearray()
    while chunk := await reader.read(_CHUNK):
        received += chunk
        if len(received) > MOST_BYTES:
            raise EndlessError
    return bytes(received)


async def _end_of(reader: asyncssh.SSHReader[bytes]) -> bytes:
    last = b""
    while chunk := await reader.read(_CHUNK):
        last = (last + chunk)[-LAST_WORDS:]
    return last
