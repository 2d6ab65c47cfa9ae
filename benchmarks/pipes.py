"""The two pipes to a child, read and written by the event loop, without a task."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Callable

_READ_BYTES = 65_536


class Pipes(asyncio.Protocol):
    """Writes to a child's standard input, and passes on its output."""

    def __init__(self, take: Callable[[bytes, float], None]) -> None:
        self._take = take
        self._reading: asyncio.ReadTransport | None = None
        self._writing: asyncio.WriteTransport | None = None

    @classmethod
    async def open(
        cls, process: subprocess.Popen[bytes], take: Callable[[bytes, float], None]
    ) -> Pipes:
        """Begin to read.

        Args:
            process: Keeps its own ends, which may be closed before or after these.
            take: Gets all that comes, and when it was read (`time.monotonic`); at
                last, empty bytes.
        """
        assert process.stdin is not None
        assert process.stdout is not None
        pipes = cls(take)
        loop = asyncio.get_running_loop()
        reading = os.fdopen(os.dup(process.stdout.fileno()), "rb", buffering=0)
        writing = os.fdopen(os.dup(process.stdin.fileno()), "wb", buffering=0)
        pipes._reading, _ = await loop.connect_read_pipe(lambda: pipes, reading)
        pipes._writing, _ = await loop.connect_write_pipe(asyncio.Protocol, writing)
        if hasattr(pipes._reading, "max_size"):
            pipes._reading.max_size = _READ_BYTES
        return pipes

    def data_received(self, data: bytes) -> None:
        """Pass on bytes; called by asyncio."""
        self._take(data, time.monotonic())

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass on the end as empty bytes; called by asyncio."""
        self._take(b"", time.monotonic())

    def write(self, data: bytes) -> None:
        """Write what the pipe accepts now, and the rest later."""
        if self._writing is not None:
            self._writing.write(data)

    def close(self) -> None:
        """Close both pipes."""
        if self._reading is not None:
            self._reading.close()
        if self._writing is not None and not self._writing.is_closing():
            self._writing.abort()
