"""What the parent of several workers and a worker send each other, one JSON a line."""

from __future__ import annotations

import asyncio
import socket

import msgspec
from msgspec import Struct

from redline.gateway.metrics import MetricCounts
from redline.gateway.processes.shared_usage import Usage

_MAX_LINE_BYTES = 1 << 26
"""Longest message: the counts of many users, or a large configuration."""


class ServedConfiguration(Struct, frozen=True, tag=True):
    """To a worker: what to serve, first and whenever it changes."""

    content: bytes
    n_workers: int
    begun_with: bytes
    """What the gateway began with; some tables change with its restart only."""


class CountsWanted(Struct, frozen=True, tag=True):
    """To a worker: send the counts."""


class OthersUsage(Struct, frozen=True, tag=True):
    """To a worker: what users have used in the others."""

    usage: Usage


class WorkerListens(Struct, frozen=True, tag=True):
    """From a worker: it accepts connections."""


class WorkerCounts(Struct, frozen=True, tag=True):
    """From a worker: what it has counted up to now."""

    counts: MetricCounts


class WorkerUsage(Struct, frozen=True, tag=True):
    """From a worker: what users have used in it."""

    usage: Usage


ToWorker = ServedConfiguration | CountsWanted | OthersUsage
FromWorker = WorkerListens | WorkerCounts | WorkerUsage

_from_parent = msgspec.json.Decoder(ToWorker)
_from_worker = msgspec.json.Decoder(FromWorker)


class Channel:
    """One end of the connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def of(cls, end: socket.socket) -> Channel:
        """Use one end of a pair of sockets, which the channel closes."""
        reader, writer = await asyncio.open_connection(sock=end, limit=_MAX_LINE_BYTES)
        return cls(reader, writer)

    def send(self, message: ToWorker | FromWorker) -> None:
        """Send a message; if the other end is gone, nothing happens."""
        if not self._writer.is_closing():
            self._writer.write(msgspec.json.encode(message) + b"\n")

    async def from_parent(self) -> ToWorker | None:
        """Receive a message; None: the parent is gone."""
        line = await self._line()
        return _from_parent.decode(line) if line else None

    async def from_worker(self) -> FromWorker | None:
        """Receive a message; None: the worker is gone."""
        line = await self._line()
        return _from_worker.decode(line) if line else None

    async def aclose(self) -> None:
        """Send what is left, and close the connection; idempotent."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except ConnectionError:
            return

    async def _line(self) -> bytes:
        try:
            line = await self._reader.readline()
        except ConnectionError:
            return b""
        # The last one is cut if the other end was killed while it wrote.
        return line if line.endswith(b"\n") else b""
