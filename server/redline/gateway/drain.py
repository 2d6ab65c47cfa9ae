"""Ends a gateway without losing an answer that runs.

Once the drain has begun, nothing new is admitted. A WebSocket without requests is
closed with the error on which clients open another; one with requests is closed after
the last of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class Drain:
    """The requests and connections that a gateway has open."""

    def __init__(self) -> None:
        self.has_begun = False
        self.n_open = 0
        """Number of WebSockets and of HTTP requests that are open."""
        self._on_begin: set[Callable[[], None]] = set()
        self._emptied = asyncio.Event()

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Count a WebSocket or an HTTP request."""
        self.n_open += 1
        try:
            yield
        finally:
            self.n_open -= 1
            if self.n_open == 0 and self.has_begun:
                self._emptied.set()

    @contextmanager
    def session(self, on_begin: Callable[[], None]) -> Iterator[None]:
        """Call `on_begin` if the drain begins during the context."""
        self._on_begin.add(on_begin)
        try:
            yield
        finally:
            self._on_begin.discard(on_begin)

    def begin(self) -> None:
        """Admit nothing more."""
        self.has_begun = True
        if self.n_open == 0:
            self._emptied.set()
        for on_begin in tuple(self._on_begin):
            on_begin()

    async def wait(self, *, limit_s: float) -> bool:
        """Wait until all connections have ended; return whether they have in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._emptied.wait()
        return self.n_open == 0
