"""A wide area link for one connection after another: delay and rate, between two network namespaces.

    python wide_area_link.py outside SOCKET PORT DELAY RATE    here: Unix socket -> 127.0.0.1:PORT, slowed
    python wide_area_link.py inside SOCKET PORT                in the namespace: 127.0.0.1:PORT -> Unix socket

A party that is started in a namespace of its own has no network but this link. Bytes leave `DELAY` seconds
after they came, no faster than `RATE` bits a second in each direction. It stands in for `tc netem` where the
kernel lacks that: TCP ends at both sides of the link, so its slow start is not part of it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio import StreamReader, StreamWriter

BURST = 0.05  # seconds of the rate that may be made up for, when this process was late


class Direction:
    """One direction of the link, shared by all connections on it."""

    def __init__(self, delay: float, rate: float) -> None:
        self.delay, self.rate, self.free_at = delay, rate, 0.0

    async def carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        loop, waiting = asyncio.get_running_loop(), asyncio.Queue[tuple[float, bytes]](2000)

        async def deliver() -> None:
            while True:
                due, content = await waiting.get()
                await asyncio.sleep(max(0.0, due - loop.time()))
                if not content:
                    break
                writer.write(content)
                await writer.drain()
            writer.close()

        delivery = asyncio.create_task(deliver())
        while content := await reader.read(16384):
            self.free_at = max(self.free_at, loop.time() - BURST) + 8 * len(content) / self.rate
            await waiting.put((self.free_at + self.delay, content))
            await asyncio.sleep(max(0.0, self.free_at - loop.time()))
        await waiting.put((loop.time() + self.delay, b""))
        await delivery


async def outside(path: str, port: int, delay: float, rate: float) -> None:
    up, down = Direction(delay, rate), Direction(delay, rate)

    async def connect(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(up.carry(reader, there[1]), down.carry(there[0], writer), return_exceptions=True)

    server = await asyncio.start_unix_server(connect, path)
    await server.serve_forever()


async def inside(path: str, port: int) -> None:
    fast = 1e12

    async def connect(reader: StreamReader, writer: StreamWriter) -> None:
        there = await asyncio.open_unix_connection(path)
        await asyncio.gather(
            Direction(0, fast).carry(reader, there[1]),
            Direction(0, fast).carry(there[0], writer),
            return_exceptions=True,
        )

    server, parent = await asyncio.start_server(connect, "127.0.0.1", port), os.getppid()
    async with server:
        while os.getppid() == parent:  # it ends with the party that it serves
            await asyncio.sleep(0.5)


if __name__ == "__main__":
    side, socket_path, number, *others = sys.argv[1:]
    if side == "outside":
        asyncio.run(outside(socket_path, int(number), *map(float, others)))
    else:
        asyncio.run(inside(socket_path, int(number)))
