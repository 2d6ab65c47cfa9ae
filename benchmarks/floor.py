"""Drives the floor process; see `floor_process` for what it does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from benchmarks.pipes import Pipes
from benchmarks.processes import FLOOR, running
from benchmarks.stub_model import StubModel

_LIMIT_S = 20.0


class Floor:
    """One floor process, in one of its modes."""

    def __init__(self, *, pid: int, n_in: int, n_out: int) -> None:
        self.pid = pid
        self._input = b" " * n_in
        self._n_out = n_out
        self._n_missing = 0
        self._read: asyncio.Future[float] | None = None
        self._pipes: Pipes | None = None
        self.listener: Callable[[bytes, float], None] = lambda data, at: None
        """Receives its output, with the time when it was read."""

    def attach(self, pipes: Pipes) -> None:
        """Store the pipes."""
        self._pipes = pipes

    def take(self, data: bytes, at: float) -> None:
        """Pass on its output; called by `Pipes`."""
        self.listener(data, at)
        self._n_missing -= len(data)
        if self._n_missing <= 0 and self._read is not None and not self._read.done():
            self._read.set_result(at)

    def send(self) -> float:
        """Write its input; returns the time just before."""
        assert self._pipes is not None
        self._n_missing = self._n_out
        self._read = asyncio.get_running_loop().create_future()
        at = time.monotonic()
        self._pipes.write(self._input)
        return at

    async def answered(self) -> float:
        """Wait until it has answered; returns the time."""
        assert self._read is not None
        async with asyncio.timeout(_LIMIT_S):
            return await self._read

    async def echo(self) -> float:
        """Return the seconds until it had answered on standard output."""
        sent = self.send()
        return await self.answered() - sent

    async def to_socket(self, model: StubModel) -> float:
        """Return the seconds until its message had been read from its socket."""
        seen: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        model.on_raw = seen.set_result
        sent = self.send()
        async with asyncio.timeout(_LIMIT_S):
            return await seen - sent


@asynccontextmanager
async def floor(
    mode: str, *, port: int | None = None, n_in: int = 0, n_out: int = 0
) -> AsyncIterator[Floor]:
    """Run a floor process until the block ends.

    Args:
        mode: As `floor_process` names it.
        port: Of the WebSocket server, where the mode has one.
        n_in: Size of its input.
        n_out: Size of what it answers.
    """
    numbers = (port, n_in, n_out) if n_in else (port,)
    words = [str(number) for number in numbers if number is not None]
    async with running((*FLOOR, mode, *words)) as process:
        subject = Floor(pid=process.pid, n_in=n_in, n_out=n_out)
        pipes = await Pipes.open(process, subject.take)
        subject.attach(pipes)
        try:
            yield subject
        finally:
            pipes.close()
