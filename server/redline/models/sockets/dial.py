"""Opens sockets: the seam between the pool and what it connects to."""

from __future__ import annotations

import asyncio
import importlib
import math
from typing import TYPE_CHECKING, Protocol

from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    ModelUnavailableError,
)
from redline.models.keys import ApiKey, CachedKey
from redline.models.model_address import ModelAddress

if TYPE_CHECKING:
    from redline.models.sockets.socket import Socket

TIMED_OUT = "timeout"
"""`ModelError.code` of an attempt that timed out."""


class Dialler(Protocol):
    """Opens sockets to one place."""

    async def dial(self) -> Socket:
        """Connect, within the connection limit. Cancelling is safe.

        Raises:
            ModelError: If the connection fails.
        """

    async def renew_key(self, since_s: float) -> bool:
        """Run a key command again, unless that was done since.

        Args:
            since_s: When the refused key was in use, on the loop's clock.

        Returns:
            Whether the key is another one now, for new sockets.

        Raises:
            KeyMissingError: If there is none where the settings say it is.
        """

    async def aclose(self) -> None:
        """Release what was opened for connecting; idempotent."""


class EndpointDialler:
    """Opens sockets to a configured model."""

    def __init__(
        self, endpoint: ModelAddress, key: CachedKey, *, model: str, connect_s: float
    ) -> None:
        self._endpoint = endpoint
        self._key = key
        self._model = model
        self._connect_s = connect_s
        self._lock = asyncio.Lock()
        self._renewed_s = -math.inf
        """When the key was last replaced by another one, on the loop's clock."""

    async def dial(self) -> Socket:
        """Connect; see `Dialler`."""
        # Outside the limit: the user may have to unlock the key store.
        key = await self._key.get()
        try:
            return await self._open(key)
        except AuthenticationError:
            if not await self._renew(key):
                raise
        return await self._open(await self._key.get())

    async def renew_key(self, since_s: float) -> bool:
        """Run a key command again; see `Dialler`."""
        async with self._lock:
            # Several answers may be refused at once.
            if self._renewed_s >= since_s:
                return True
            return await self._renew(await self._key.get())

    async def _renew(self, refused: ApiKey | None) -> bool:
        is_other = await self._key.renew(refused)
        if is_other:
            self._renewed_s = asyncio.get_running_loop().time()
        return is_other

    async def aclose(self) -> None:
        """Do nothing: sockets belong to those who dialled them."""

    async def _open(self, key: ApiKey | None) -> Socket:
        try:
            return await open_within(
                self._endpoint, key, model=self._model, limit_s=self._connect_s
            )
        except (AuthenticationError, AccessRefusedError):
            self._key.forget()
            raise


async def open_within(
    endpoint: ModelAddress, key: ApiKey | None, *, model: str, limit_s: float
) -> Socket:
    """Connect within a limit, in seconds.

    Raises:
        ModelError: If the connection fails.
    """
    # In a thread: the first import of the WebSocket library takes 0.1 s.
    module = await asyncio.to_thread(
        importlib.import_module, "redline.models.sockets.socket"
    )
    try:
        async with asyncio.timeout(limit_s):
            socket: Socket = await module.open_socket(endpoint, key, model=model)
            return socket
    except TimeoutError as exc:
        raise ModelUnavailableError(
            f"{endpoint.host} did not answer within {limit_s:g} s.",
            model=model,
            code=TIMED_OUT,
        ) from exc
