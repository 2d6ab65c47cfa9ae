"""A part of the server that is imported and created when it is first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Generic, Protocol, TypeVar

from redline.errors import OutdatedError


class _Room(Protocol):
    async def aclose(self) -> None:
        """Close it."""


_R = TypeVar("_R", bound=_Room)


class LoadedRoom(Generic[_R]):
    """One room of one connection."""

    def __init__(
        self,
        module: str,
        make: Callable[[], Awaitable[_R]],
        *,
        may_open: asyncio.Event | None = None,
    ) -> None:
        """Load nothing yet.

        Args:
            module: What to import; in a thread, since on the event loop it would delay
                typing.
            make: Creates the room, after the import.
            may_open: Set while the room may be created; None: always.
        """
        self._module = module
        self._make = make
        self._may_open = may_open
        self._lock = asyncio.Lock()
        self.loaded: _R | None = None
        """None until something needed it."""
        self.is_closed = False

    async def opened(self) -> _R:
        """Return the room, perhaps after loading it.

        Raises:
            OutdatedError: If the server is shutting down.
        """
        if self._may_open is not None:
            await self._may_open.wait()
        async with self._lock:
            if self.loaded is None:
                if self.is_closed:
                    raise OutdatedError("The server is shutting down.")
                await asyncio.to_thread(import_module, self._module)
                self.loaded = await self._make()
            return self.loaded

    async def aclose(self) -> None:
        """Close the room if it was loaded. Idempotent."""
        self.is_closed = True
        async with self._lock:
            if self.loaded is not None:
                await self.loaded.aclose()
