"""The connections and the key of one model that is asked over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    ModelError,
    ModelUnavailableError,
)
from redline.models.formats.wire_format import WireFormat
from redline.models.keys import ApiKey, CachedKey
from redline.models.model_address import ModelAddress
from redline.settings.tree import LimitSettings

if TYPE_CHECKING:
    from redline.models.http.http_client import HttpClient

_WARM_S = 10.0
"""Longest wait for the answer of a request that only opens a connection."""

Session = tuple["HttpClient", Mapping[str, str]]
"""The client of the server and the headers that authenticate us."""


class HttpSession:
    """Makes the client when it is first needed, and one for all requests: connections
    are kept, and the certificates are read once."""

    def __init__(
        self,
        endpoint: ModelAddress,
        key: CachedKey,
        wire: WireFormat,
        limits: LimitSettings,
        *,
        title: str,
    ) -> None:
        self._endpoint = endpoint
        self._key = key
        self._wire = wire
        self._limits = limits
        self._title = title
        self._client: HttpClient | None = None
        self._lock = asyncio.Lock()
        self._is_closed = False

    async def connect(self) -> Session:
        """Return the client and the headers with the key.

        Raises:
            ModelError: If the key is missing, the proxy is of an unknown kind, or the
                session is closed.
        """
        return await self.connect_with(await self.key())

    async def connect_with(self, key: ApiKey | None) -> Session:
        """Return the client and the headers with a key; see `connect`."""
        headers = self._wire.key_headers(key.reveal()) if key else {}
        return await self.client(), headers

    async def key(self) -> ApiKey | None:
        """Return the key.

        Raises:
            KeyMissingError: If there is none where the settings say it is.
        """
        return await self._key.get()

    async def renew_key(self, refused: ApiKey | None) -> bool:
        return await self._key.renew(refused)

    async def client(self) -> HttpClient:
        """Return the client.

        Raises:
            ModelError: If the proxy is of an unknown kind, or the session is closed.
        """
        async with self._lock:
            if self._is_closed:
                raise ModelUnavailableError.closed(self._title)
            if self._client is None:
                self._client = await asyncio.to_thread(self._new_client)
            return self._client

    async def warm(self) -> None:
        """Open a connection that the next request can use, or load the model.

        A failure is not reported: the next request meets it again.
        """
        request = self._wire.warm_up()
        limit_s = request.silence_s if request else None
        with suppress(ModelError, TimeoutError):
            async with asyncio.timeout(_WARM_S if limit_s is None else limit_s):
                if request is None:
                    await self.client()
                    return
                client, headers = await self.connect()
                await client.ask(request, headers)

    def note_error(self, error: ModelError) -> None:
        """Read the key again next time if the provider refused it."""
        if isinstance(error, AuthenticationError | AccessRefusedError):
            self._key.forget()

    async def aclose(self) -> None:
        """Close every connection; idempotent."""
        # Under the lock: a client that is being made is closed too.
        async with self._lock:
            self._is_closed = True
            client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _new_client(self) -> HttpClient:
        """Make the client; call it in a thread, as loading the library takes 150 ms."""
        from redline.models.http.http_client import HttpClient, load

        load()
        return HttpClient(self._endpoint, self._limits, model=self._title)
