"""A part of the server that is imported and created when it is first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import ClassVar, Generic, Protocol, TypeVar

from redline.errors import OutdatedError
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.rooms.room_services import RoomServices


class _Room(Protocol):
    async def aclose(self) -> None:
        """Close it."""


_R = TypeVar("_R", bound=_Room)


class LoadedRoom(Generic[_R]):
    """The entry point of one room of one connection; subclasses serve what it does."""

    _MODULE: ClassVar[str]
    """What to import; in a thread, since on the event loop it would delay typing."""

    def __init__(
        self,
        endpoint: Endpoint,
        around: Callable[[], RoomServices],
        *,
        may_open: asyncio.Event,
    ) -> None:
        """Load nothing yet.

        Args:
            endpoint: The connection to the editor.
            around: Returns what the room is built from.
            may_open: Set while the room may be created: the settings, and with them
                the store, are known.
        """
        self.loaded: _R | None = None
        """None until something needed it."""
        self._is_closed = False
        self._endpoint = endpoint
        self._around = around
        self._may_open = may_open
        self._lock = asyncio.Lock()

    def serve(self) -> None:
        """Close the room when the connection shuts down."""
        self._endpoint.on_shutdown(self._aclose)

    async def _make(self) -> _R:
        """Create the room, after the import."""
        raise NotImplementedError

    async def _opened(self) -> _R:
        """Return the room, perhaps after loading it.

        Raises:
            OutdatedError: If the server is shutting down.
        """
        await self._may_open.wait()
        async with self._lock:
            if self.loaded is None:
                if self._is_closed:
                    raise OutdatedError("The server is shutting down.")
                await asyncio.to_thread(import_module, self._MODULE)
                self.loaded = await self._make()
            return self.loaded

    async def _aclose(self) -> None:
        """Close the room if it was loaded. Idempotent."""
        self._is_closed = True
        async with self._lock:
            if self.loaded is not None:
                await self.loaded.aclose()
