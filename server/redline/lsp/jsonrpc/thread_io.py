"""Reads and writes by threads, for files that an event loop cannot poll.

These are standard streams on Windows, regular files and terminals. The threads are
daemons: one that is stuck in the kernel does not keep the process alive.
"""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import Future
from queue import SimpleQueue

from redline.lsp.jsonrpc.transport import READ_BYTES, Transport


class ThreadReader:
    """Passes data to the loop, one chunk at a time."""

    def __init__(self, owner: Transport, fd: int) -> None:
        self._owner = owner
        self._fd = fd
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        threading.Thread(target=self._run, name="stdin", daemon=True).start()

    def _run(self) -> None:
        try:
            while data := os.read(self._fd, READ_BYTES):
                taken: Future[None] = Future()
                self._loop.call_soon_threadsafe(self._hand_over, data, taken)
                # Back pressure: the next chunk waits until this one has been handled.
                taken.result()
            reason = "the editor closed the stream"
        except OSError as error:
            reason = str(error)
        except RuntimeError:
            return  # The loop is closed, so the data is not needed.
        _tell_lost(self._loop, self._owner, reason)

    def _hand_over(self, data: bytes, taken: Future[None]) -> None:
        self._owner.data_received(data)
        taken.set_result(None)


class ThreadWriter:
    """Writes data of the loop, in order."""

    def __init__(self, owner: Transport, fd: int) -> None:
        self._owner = owner
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._closed = asyncio.Event()
        # Each is changed by one thread only, so they need no lock.
        self._n_taken = 0
        self._n_written = 0

    def start(self) -> None:
        threading.Thread(target=self._run, name="stdout", daemon=True).start()

    @property
    def n_unsent(self) -> int:
        """Bytes that the thread has not written yet."""
        return self._n_taken - self._n_written

    def write(self, data: bytes) -> None:
        self._n_taken += len(data)
        self._queue.put(data)

    async def aclose(self) -> None:
        """Wait until all is written."""
        self._queue.put(None)
        await self._closed.wait()

    def _run(self) -> None:
        reason = "closed by us"
        try:
            while (data := self._queue.get()) is not None:
                self._write_all(memoryview(data))
        except OSError as error:
            reason = str(error)
        try:
            self._loop.call_soon_threadsafe(self._closed.set)
        except RuntimeError:
            return  # The loop is closed, so the data is not needed.
        _tell_lost(self._loop, self._owner, reason)

    def _write_all(self, data: memoryview) -> None:
        while data:
            n = os.write(self._fd, data)
            self._n_written += n
            data = data[n:]


def _tell_lost(loop: asyncio.AbstractEventLoop, owner: Transport, reason: str) -> None:
    try:
        loop.call_soon_threadsafe(owner.lost, reason)
    except RuntimeError:
        return  # As above: the loop closed in between.
