"""A command on another machine whose output is read up to a limit."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import asyncssh

from assay.machines.errors import TooMuchError

MOST_BYTES = 256 << 20
"""More than any command prints that is run to its end: the files of a process of 5,000 threads take 30 MiB."""
_LAST_WORDS = 4096
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Output:
    """What a command printed, and how it ended.

    Attributes:
        stdout: All of its standard output.
        stderr: The end of its standard error.
        returncode: As asyncssh gives it; ``None`` where the connection was lost.
    """

    stdout: bytes
    stderr: bytes
    returncode: int | None


async def run_bounded(
    connection: asyncssh.SSHClientConnection, argv: Sequence[str], *, machine: str
) -> Output:
    """Run a command to its end.

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
    except _EndlessError as error:
        msg = f"cannot run '{argv[0]}' on {machine}: it prints more than {MOST_BYTES >> 20} MiB"
        raise TooMuchError(msg, machine=machine) from error
    finally:
        process.close()  # a peer that never closes its side is not waited for


class _EndlessError(Exception):
    """More is printed than is read."""


async def _whole(reader: asyncssh.SSHReader[bytes]) -> bytes:
    found = bytearray()
    while chunk := await reader.read(_CHUNK):
        found += chunk
        if len(found) > MOST_BYTES:
            raise _EndlessError
    return bytes(found)


async def _end_of(reader: asyncssh.SSHReader[bytes]) -> bytes:
    last = b""
    while chunk := await reader.read(_CHUNK):
        last = (last + chunk)[-_LAST_WORDS:]
    return last
