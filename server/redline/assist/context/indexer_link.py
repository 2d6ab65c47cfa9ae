"""The indexer's process from outside: starts it, exchanges messages, ends it."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence

import msgspec

from redline.assist.context.messages import (
    HEAD,
    MAX_MESSAGE_BYTES,
    FromIndexer,
    ReadingFile,
    ToIndexer,
    encode,
)
from redline.child_environment import child_environment
from redline.supervisor import Supervisor

logger = logging.getLogger(__name__)

COMMAND = (
    sys.executable,
    # Otherwise a `redline` in the editor's working directory, which may be an
    # untrusted workspace, would run instead.
    "-P",
    *("-m", "redline.assist.context.indexer_process"),
)

_MOST_STARTS = 3
"""A process that has ended this often is not started again: prompts do without it."""

_END_LIMIT_S = 1.0


class IndexerLink:
    """The indexer's process, which `start` starts."""

    def __init__(
        self,
        *,
        on_message: Callable[[FromIndexer], None],
        on_start: Callable[[], None],
        on_end: Callable[[], None],
        command: Sequence[str] = COMMAND,
    ) -> None:
        """Create a link; no process is started yet.

        Args:
            on_message: Called with each message of the indexer.
            on_start: Called when a new indexer, with an empty index, is running.
            on_end: Called when it has ended unexpectedly.
            command: The command that starts it. An indexer that takes too long for a
                file ends, and another one is started that skips the file.
        """
        self.endless: frozenset[str] = frozenset()
        """URIs of files that took longer, or more memory than the process may use."""
        self._reading: str | None = None
        """URI of the file that the process announced last."""
        self._on_message = on_message
        self._on_start = on_start
        self._on_end = on_end
        self._command = command
        self._decoder = msgspec.msgpack.Decoder(FromIndexer)
        self._supervisor = Supervisor()
        self._process: Process | None = None
        self._running: asyncio.Task[None] | None = None
        self._n_starts = 0
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The process id while there is a process."""
        return None if self._process is None else self._process.pid

    @property
    def is_gone(self) -> bool:
        """Whether there is no process, and none will be started."""
        has_failed = self._n_starts >= _MOST_STARTS and self._running is None
        return self._is_closed or has_failed

    def start(self) -> bool:
        """Start it, unless it runs or has failed too often; returns whether it did."""
        if self._running is not None or self.is_gone:
            return False
        self._n_starts += 1
        self._running = self._supervisor.start(self._run(), name="indexer")
        return True

    def say(self, message: ToIndexer) -> None:
        """Send a message; without a process it is dropped."""
        process = self._process
        if process is None or process.stdin is None or process.stdin.is_closing():
            return
        process.stdin.write(encode(message))

    async def aclose(self) -> None:
        """End the process; idempotent and bounded."""
        self._is_closed = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        await self._supervisor.wait(limit_s=_END_LIMIT_S)
        if self._process is not None:
            self._process.kill()
        await self._supervisor.aclose(limit_s=_END_LIMIT_S)

    async def _run(self) -> None:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env=child_environment(os.environ),
                # Ctrl-C in the terminal is meant for the server; the child ends with
                # it.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as exc:
            logger.warning("the indexer cannot be run: %s", exc)
            self._running = None
            self._on_end()
            return
        logger.info("indexer started, process %d", self._process.pid)
        n_endless = len(self.endless)
        try:
            # The link may have been closed while the process started.
            if not self._is_closed:
                self._on_start()
                await self._listen(self._process)
        finally:
            await self._end(self._process, n_endless)

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                head = await process.stdout.readexactly(HEAD.size)
                (n_bytes,) = HEAD.unpack(head)
                if n_bytes > MAX_MESSAGE_BYTES:
                    return
                body = await process.stdout.readexactly(n_bytes)
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            self._reading = None
            message = self._decoder.decode(body)
            if isinstance(message, ReadingFile):
                self._reading = message.uri
            else:
                self._on_message(message)

    async def _end(self, process: Process, n_endless: int) -> None:
        """Wait for the end; replace a process that a file has ended at once."""
        try:
            async with asyncio.timeout(_END_LIMIT_S):
                code = await process.wait()
        except TimeoutError:
            process.kill()
            code = await process.wait()
        self._process = self._running = None
        if self._is_closed:
            return
        logger.warning("the indexer has ended with %d", code)
        if self._reading is not None:
            # It exceeded its limit of time or memory on the file.
            logger.warning("%s is left out of the index", self._reading)
            self.endless |= {self._reading}
            self._reading = None
        if len(self.endless) == n_endless or not self.start():
            self._on_end()
