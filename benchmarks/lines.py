"""A child process that answers each line of JSON with one line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any  # JSON whose shape the caller knows.

import msgspec

from benchmarks.figures import NotRunError
from benchmarks.pipes import Pipes
from benchmarks.processes import running

_LIMIT_S = 30.0


class LineProcess:
    """The child, while it runs."""

    def __init__(self) -> None:
        self.pid = 0
        self._read = asyncio.Event()
        self._buffer = b""
        self._has_ended = False
        self._pipes: Pipes | None = None

    def attach(self, pipes: Pipes, pid: int) -> None:
        """Store the pipes."""
        self._pipes = pipes
        self.pid = pid

    def take(self, data: bytes, at: float) -> None:
        """Buffer its output; called by `Pipes`."""
        self._has_ended = not data
        self._buffer += data
        self._read.set()

    async def ask(self, what: object) -> Any:
        """Write a line, and read one."""
        assert self._pipes is not None
        self._pipes.write(msgspec.json.encode(what) + b"\n")
        return await self.read()

    async def read(self) -> Any:
        """Read a line.

        Raises:
            NotRunError: If the child reports a failure, or does not answer.
        """
        try:
            async with asyncio.timeout(_LIMIT_S):
                while b"\n" not in self._buffer:
                    if self._has_ended:
                        raise NotRunError(
                            "A child process of the benchmark has failed."
                        )
                    self._read.clear()
                    await self._read.wait()
        except TimeoutError as exc:
            raise NotRunError(
                "A child process of the benchmark does not answer."
            ) from exc
        line, _, self._buffer = self._buffer.partition(b"\n")
        said = msgspec.json.decode(line)
        if isinstance(said, dict) and "problem" in said:
            raise NotRunError(said["problem"])
        return said


@asynccontextmanager
async def line_process(
    command: Sequence[str], environ: Mapping[str, str] | None = None
) -> AsyncIterator[LineProcess]:
    """Run a child until the block ends; the end of its input ends it."""
    async with running(command, environ, shows_errors=True) as process:
        child = LineProcess()
        pipes = await Pipes.open(process, child.take)
        child.attach(pipes, process.pid)
        try:
            yield child
        finally:
            pipes.close()
