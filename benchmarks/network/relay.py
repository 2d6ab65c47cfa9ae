"""A relay that delays bytes, for machines without network namespaces.

It delays what TCP delivers, not its packets. So it shows the round trips of a protocol,
but none that TCP adds by its windows, slow start, or pauses.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_READ_BYTES = 65_536


@asynccontextmanager
async def relay(port: int, delay_s: float) -> AsyncIterator[int]:
    """Relay connections to a port of this machine; yields the port to connect to."""
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()

    async def carry(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first_s: float
    ) -> None:
        """Relay one direction; `call_later` keeps the order of writes."""
        wait_s = first_s
        while data := await reader.read(_READ_BYTES):
            loop.call_later(wait_s, writer.write, data)
            wait_s = delay_s
        loop.call_later(delay_s, writer.close)

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        # The first bytes are delayed for TCP's handshake, too, which was not.
        there = loop.create_task(carry(reader, far_writer, 3 * delay_s))
        back = loop.create_task(carry(far_reader, writer, delay_s))
        for task in (there, back):
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
