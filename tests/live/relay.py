"""A TCP relay that passes every byte on later: a machine that is far away."""

from __future__ import annotations

import asyncio
import sys


async def pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter, delay_s: float) -> None:
    """Pass bytes on in their order, each a while after it came."""
    loop = asyncio.get_running_loop()
    came = asyncio.Queue[tuple[float, bytes]]()

    async def read() -> None:
        while data := await source.read(1 << 16):
            came.put_nowait((loop.time() + delay_s, data))
        came.put_nowait((loop.time() + delay_s, b""))

    reading = asyncio.create_task(read())
    while True:
        at, data = await came.get()
        await asyncio.sleep(max(0.0, at - loop.time()))
        if not data:
            break
        sink.write(data)
        await sink.drain()
    sink.close()
    await reading


async def relay(port: int, address: str, to: int, delay_s: float) -> None:
    """Listen on the loopback and lead every connection to an address, with a delay each way."""

    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection(address, to)
        await asyncio.gather(
            pass_on(reader, there[1], delay_s), pass_on(there[0], writer, delay_s), return_exceptions=True
        )

    server = await asyncio.start_server(lead, "127.0.0.1", port)
    sys.stdout.write("listens\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    port, address, to, delay = sys.argv[1:]
    asyncio.run(relay(int(port), address, int(to), float(delay)))
