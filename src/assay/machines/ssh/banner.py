"""A look at a port of a machine from that machine itself: does an SSH server answer there?"""

from __future__ import annotations

import asyncio

import asyncssh

_OPEN_S = 10.0


async def greets(connection: asyncssh.SSHClientConnection, port: int, patience_s: float) -> bool:
    """Tell whether an SSH server's banner comes from a port on 127.0.0.1 over there in time.

    Raises:
        asyncssh.ChannelOpenError: The machine may not open connections for us.
    """
    try:
        reader, writer = await asyncio.wait_for(connection.open_connection("127.0.0.1", port), _OPEN_S)
    except asyncssh.ChannelOpenError as error:
        if error.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED:
            raise
        return False  # nothing listens there yet
    except TimeoutError:
        return False
    try:
        return bytes(await asyncio.wait_for(reader.read(64), patience_s)).startswith(b"SSH-")
    except (TimeoutError, asyncssh.Error, OSError):
        return False
    finally:
        writer.close()
