"""Background responses that every worker can read, follow and cancel.

The worker that answers holds the response in its memory, and copies it to the shared
store: a description, which names the worker, and a stream of its events, whose ids are
made of their sequence numbers. Each worker renews a key that expires within seconds;
without it, its unfinished responses have failed. What others want of a response is put
into a list of the worker that answers it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any

import msgspec
from msgspec import Struct

from redline.errors import StoreUnavailableError
from redline.gateway.drain import Drain
from redline.gateway.outlet import Sent
from redline.gateway.refusals import (
    RefusedError,
    response_not_found,
    store_unavailable,
    stream_event,
    worker_ended,
)
from redline.gateway.stored.background import BackgroundResponse, BackgroundResponses
from redline.gateway.stored.shared_store import SharedStore, decoded
from redline.supervisor import Supervisor
from redline.wire import events

logger = logging.getLogger(__name__)

_LEASE_S = 10
"""How long a worker counts as alive after it has renewed its key."""

_ORDERS_S = 2
"""Longest wait for an order before the key is renewed."""

_ORDER_KEPT_S = 60
"""After that time, an order that nobody takes is forgotten."""

_RETRY_S = 1.0

_NEWS_MS = 1_000
"""How long a follower waits for events before it looks whether the worker lives."""

_SECOND_LOOK_S = 1.5
"""When the store comes back, living workers have renewed their keys by then."""

_CANCEL_S = 10.0
"""Longest wait for another worker to cancel a response."""

_CLOSE_S = 2.0
"""Longest wait at the end for the last events to be copied."""

_LAST = 18_446_744_073_709_551_615
"""The largest number in the id of a stream's entry."""


class _Description(Struct, frozen=True, kw_only=True):
    owner: str
    worker: str
    is_streamed: bool
    has_ended: bool
    body: bytes
    """The whole `response` object as JSON, as of the last change of its status."""


class _Batch(Struct, frozen=True, array_like=True):
    """Events that were copied at once."""

    events: list[tuple[int, str, bytes]]
    """With their sequence numbers and types."""
    is_last: bool = False


class _Order(Struct, frozen=True, array_like=True):
    response_id: str
    number: str
    deletes: bool


_descriptions = msgspec.msgpack.Decoder(_Description)
_batches = msgspec.msgpack.Decoder(_Batch)
_orders = msgspec.msgpack.Decoder(_Order)
_body = msgspec.json.Decoder(dict[str, object])


class RemoteResponse:
    """A background response that another worker answers, or has answered."""

    def __init__(
        self, store: SharedStore, response_id: str, description: _Description
    ) -> None:
        self._store = store
        self._id = response_id
        self._description = description

    @property
    def is_streamed(self) -> bool:
        """Whether it can be streamed again."""
        return self._description.is_streamed

    async def body(self) -> bytes:
        """Return the response; as failed if its worker has ended before it.

        Raises:
            RefusedError: If the store is gone, or the response has expired.
        """
        await self._update()
        if await self._is_lost():
            error = {"code": "server_error", "message": worker_ended().message}
            failed = _body.decode(self._description.body)
            return msgspec.json.encode(failed | {"status": "failed", "error": error})
        return self._description.body

    async def follow(
        self, follower: object, *, after: int
    ) -> AsyncGenerator[Sent, None]:
        """Yield all events after a sequence number, until the response ends.

        Raises:
            ConnectionAbortedError: If the store is gone; the client can continue later.
        """
        try:
            async with aclosing(self._events(after)) as found:
                async for sent in found:
                    yield sent
        except (StoreUnavailableError, RefusedError) as exc:
            raise ConnectionAbortedError from exc

    async def cancel(self) -> None:
        """Let its worker end it, and wait until it has ended.

        Raises:
            RefusedError: If the store is gone.
        """
        if self._description.has_ended or await self._is_lost():
            return
        await self._order(deletes=False)
        try:
            async with asyncio.timeout(_CANCEL_S):
                async with aclosing(self._events(-1)) as found:
                    async for _ in found:
                        continue
        except TimeoutError:
            logger.warning("a worker did not cancel a response in time")
        except StoreUnavailableError as exc:
            raise RefusedError(store_unavailable()) from exc

    async def delete(self) -> None:
        """Let its worker delete it, in any state, and delete the copy.

        Raises:
            RefusedError: If the store is gone.
        """
        if await self._is_worker_alive():
            await self._order(deletes=True)
        await _asked(self._store, "DEL", *_keys(self._id))

    async def _order(self, *, deletes: bool) -> None:
        """Give an order, and wait until the worker has carried it out."""
        orders = _orders_key(self._description.worker)
        order = _Order(self._id, secrets.token_hex(8), deletes)
        await _asked(self._store, "RPUSH", orders, msgspec.msgpack.encode(order))
        await _asked(self._store, "EXPIRE", orders, _ORDER_KEPT_S)
        if not await _asked(self._store, "BLPOP", _done_key(order), _ORDERS_S):
            logger.warning("a worker did not carry out an order in time")

    async def _events(self, after: int) -> AsyncGenerator[Sent, None]:
        # All entries whose last event the client has are before this one.
        place = f"{after + 1}-{_LAST}"
        number = after
        while True:
            found = await self._store.ask(
                *("XREAD", "COUNT", 64, "BLOCK", _NEWS_MS),
                *("STREAMS", _events_key(self._id), place),
            )
            entries = found[0][1] if found else []
            for entry_id, fields in entries:
                place = entry_id.decode()
                batch = _batches.decode(fields[b"batch"])
                for number, kind, data in batch.events:
                    if number > after:
                        yield Sent(kind, data)
                # After an error of the store, all is written once more from the start.
                after = max(after, number)
                if batch.is_last:
                    return
            if not entries:
                await self._update()
                if await self._is_lost():
                    refusal = worker_ended()
                    data = stream_event(refusal, sequence_number=number + 1)
                    yield Sent(events.ERROR, data)
                    return

    async def _update(self) -> None:
        found = await _description(self._store, self._id)
        if found is None:
            raise RefusedError(response_not_found(self._id))
        self._description = found

    async def _is_lost(self) -> bool:
        """Whether it will never end, because its worker has ended."""
        if self._description.has_ended or await self._is_worker_alive():
            return False
        await asyncio.sleep(_SECOND_LOOK_S)
        await self._update()
        return not self._description.has_ended and not await self._is_worker_alive()

    async def _is_worker_alive(self) -> bool:
        lease = _lease_key(self._description.worker)
        return bool(await _asked(self._store, "EXISTS", lease))


class SharedBackground:
    """Copies this worker's background responses, and finds those of others."""

    def __init__(
        self, store: SharedStore, local: BackgroundResponses, drain: Drain
    ) -> None:
        self._store = store
        self._local = local
        self._drain = drain
        self._worker = secrets.token_hex(8)
        self._supervisor = Supervisor()
        self._copying = Supervisor()

    def begin(self) -> None:
        """Renew the key of this worker and take orders, until `aclose`."""
        self._supervisor.start(self._take_orders(), name="orders of other workers")

    async def check(self) -> None:
        """Do nothing if the store can be written.

        Raises:
            RefusedError: If it is gone or full.
        """
        try:
            await self._renew()
        except StoreUnavailableError as exc:
            raise RefusedError(store_unavailable()) from exc

    async def share(self, response: BackgroundResponse) -> None:
        """Copy a response, now and whenever it changes.

        Raises:
            RefusedError: If the store is gone; then it is not copied at all.
        """
        copy = _Copy(self._store, response, worker=self._worker)
        try:
            await copy.write()
        except StoreUnavailableError as exc:
            raise RefusedError(store_unavailable()) from exc
        self._copying.start(self._follow(copy), name="copy a background response")

    async def find(self, response_id: str, *, owner: str) -> RemoteResponse | None:
        """Return a response of a user that another worker answers.

        Raises:
            RefusedError: If the store is gone.
        """
        found = await _description(self._store, response_id)
        if found is None or found.owner != owner:
            return None
        return RemoteResponse(self._store, response_id, found)

    async def forget(self, response_id: str) -> None:
        """Delete the copy of a response.

        Raises:
            RefusedError: If the store is gone.
        """
        await _asked(self._store, "DEL", *_keys(response_id))

    async def aclose(self) -> None:
        """Copy what is left for a moment, and end."""
        await self._copying.wait(limit_s=_CLOSE_S)
        await self._copying.aclose()
        await self._supervisor.aclose()

    async def _follow(self, copy: _Copy) -> None:
        # A drain waits for it: clients read it from other workers.
        with self._drain.connection():
            while not copy.is_complete:
                await copy.wait()
                try:
                    await copy.write()
                except StoreUnavailableError:
                    await asyncio.sleep(_RETRY_S)

    async def _take_orders(self) -> None:
        orders = _orders_key(self._worker)
        while True:
            try:
                await self._renew()
                found = await self._store.ask("BLPOP", orders, _ORDERS_S)
            except StoreUnavailableError:
                await asyncio.sleep(_RETRY_S)
                continue
            if found:
                order = _orders.decode(found[1])
                self._supervisor.start(self._obey(order), name="cancel a response")

    async def _obey(self, order: _Order) -> None:
        response = self._local.by_id(order.response_id)
        if response is not None and order.deletes:
            await self._local.delete(response)
        elif response is not None:
            await self._local.cancel(response)
        with suppress(StoreUnavailableError):
            await self._store.ask("RPUSH", _done_key(order), 1)
            await self._store.ask("EXPIRE", _done_key(order), _ORDER_KEPT_S)

    async def _renew(self) -> None:
        await self._store.ask("SET", _lease_key(self._worker), 1, "EX", _LEASE_S)


class _Copy:
    """What the store has of one response of this worker."""

    def __init__(
        self, store: SharedStore, response: BackgroundResponse, *, worker: str
    ) -> None:
        self._store = store
        self._response = response
        self._worker = worker
        self._n_copied: int | None = None
        """Number of its events in the store; None: nothing, or it is not known."""
        self._n_batches = 0
        self._status: str | None = None
        self.is_complete = False

    async def wait(self) -> None:
        """Wait until there is something to copy."""
        if self._n_copied is not None:
            await self._response.changed(self._n_copied)

    async def write(self) -> None:
        """Copy what is new, or everything if the store has lost it.

        Raises:
            StoreUnavailableError: If the store is gone or full.
        """
        if self._response.is_deleted:
            await self._forget()
            return
        try:
            if self._n_copied is not None and not await self._renew():
                self._n_copied = None
            if self._n_copied is None:
                await self._store.ask("DEL", *_keys(self._response.response_id))
                self._n_copied, self._status = 0, None
            await self._write_new(self._n_copied)
        except StoreUnavailableError:
            self._n_copied = None
            raise
        if self._response.is_deleted:
            # Meanwhile: what was written must not come back.
            await self._forget()

    async def _forget(self) -> None:
        await self._store.ask("DEL", *_keys(self._response.response_id))
        self.is_complete = True

    async def _write_new(self, n_copied: int) -> None:
        response = self._response
        has_ended, new = response.has_ended, response.events_from(n_copied)
        status = response.response.status if response.response else None
        if has_ended or status != self._status:
            await self._describe(has_ended=has_ended)
            self._status = status
        if new or has_ended:
            number = response.last_number + (2 if has_ended else 1)
            batch = _Batch(
                [
                    (each.number, each.sent.kind, each.sent.data)
                    for each in new
                    if each.sent is not None
                ],
                is_last=has_ended,
            )
            self._n_batches += 1
            await self._store.ask(
                *("XADD", _events_key(response.response_id)),
                *(
                    f"{number}-{self._n_batches}",
                    "batch",
                    msgspec.msgpack.encode(batch),
                ),
            )
        self._n_copied = n_copied + len(new)
        await self._renew()
        self.is_complete = has_ended

    async def _describe(self, *, has_ended: bool) -> None:
        response = self._response
        assert response.response is not None
        description = _Description(
            owner=response.owner,
            worker=self._worker,
            is_streamed=response.is_streamed,
            has_ended=has_ended,
            body=events.encode(response.response),
        )
        await self._store.ask(
            "SET",
            _description_key(response.response_id),
            msgspec.msgpack.encode(description),
        )

    async def _renew(self) -> bool:
        """Let the copy expire later; return false if the store has lost it."""
        n_keys = 0
        for key in _keys(self._response.response_id):
            n_keys += await self._store.ask(
                "PEXPIRE", key, round(self._store.kept_s * 1000)
            )
        return n_keys == len(_keys(self._response.response_id))


async def _description(store: SharedStore, response_id: str) -> _Description | None:
    data = await _asked(store, "GET", _description_key(response_id))
    return None if data is None else decoded(_descriptions, data)


async def _asked(
    store: SharedStore, *words: object
) -> Any:  # Replies of commands have many shapes.
    try:
        return await store.ask(*words)
    except StoreUnavailableError as exc:
        raise RefusedError(store_unavailable()) from exc


def _keys(response_id: str) -> tuple[str, str]:
    return _description_key(response_id), _events_key(response_id)


def _description_key(response_id: str) -> str:
    return f"redline:background:{response_id}"


def _events_key(response_id: str) -> str:
    return f"redline:events:{response_id}"


def _lease_key(worker: str) -> str:
    return f"redline:worker:{worker}"


def _done_key(order: _Order) -> str:
    return f"redline:done:{order.number}"


def _orders_key(worker: str) -> str:
    return f"redline:orders:{worker}"
