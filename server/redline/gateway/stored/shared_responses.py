"""Stored responses that every worker can read."""

from __future__ import annotations

import logging

import msgspec

from redline.errors import StoreUnavailableError
from redline.gateway.refusals import RefusedError, store_unavailable
from redline.gateway.stored.conversations import MemoryStore, StoredResponse
from redline.gateway.stored.shared_store import SharedStore, decoded

logger = logging.getLogger(__name__)

_decoder = msgspec.msgpack.Decoder(StoredResponse)


class SharedResponses:
    """Responses in the shared store.

    A response that the shared store does not take, because it is gone or full, is held
    by this process: its answer was written, and must not fail for that.
    """

    def __init__(self, store: SharedStore, local: MemoryStore) -> None:
        self._store = store
        self._local = local

    async def put(self, response_id: str, stored: StoredResponse) -> None:
        data = msgspec.msgpack.encode(stored)
        try:
            await self._store.ask(
                "SET", _key(response_id), data, "PX", round(self._store.kept_s * 1000)
            )
        except StoreUnavailableError:
            logger.warning("a response is stored by this worker only")
            await self._local.put(response_id, stored)

    async def get(self, response_id: str, *, owner: str) -> StoredResponse | None:
        """Return a response of a user if it is still stored.

        Raises:
            RefusedError: If the store is gone.
        """
        local = await self._local.get(response_id, owner=owner)
        if local is not None:
            return local
        try:
            data = await self._store.ask("GET", _key(response_id))
        except StoreUnavailableError as exc:
            raise RefusedError(store_unavailable()) from exc
        if data is None:
            return None
        stored = decoded(_decoder, data)
        return stored if stored is not None and stored.owner == owner else None

    async def delete(self, response_id: str, *, owner: str) -> bool:
        """Delete a response of a user; return whether it was stored.

        Raises:
            RefusedError: If the store is gone.
        """
        if await self._local.delete(response_id, owner=owner):
            return True
        if await self.get(response_id, owner=owner) is None:
            return False
        try:
            await self._store.ask("DEL", _key(response_id))
        except StoreUnavailableError as exc:
            raise RefusedError(store_unavailable()) from exc
        return True


def _key(response_id: str) -> str:
    return f"redline:response:{response_id}"
