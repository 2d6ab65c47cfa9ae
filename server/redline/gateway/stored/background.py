"""Background responses, which continue without a connected client.

Each stores the events it has sent, so that any number of clients can follow it, from
the start or from any event, while it runs and for a while after. Their number, size and
lifetime are bounded (background guide: about ten minutes if nothing is stored
permanently).
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable

import msgspec
from msgspec import Struct

from redline.gateway.config import GatewayConfig
from redline.gateway.outlet import Sent
from redline.gateway.refusals import (
    Refusal,
    RefusedError,
    rate_limited,
    stream_event,
    too_long,
)
from redline.gateway.responses import Response
from redline.gateway.stored.fair_eviction import oldest_of_largest
from redline.supervisor import Supervisor
from redline.wire import events
from redline.wire.events import ErrorObject

_RETRY_S = 5.0
"""The `retry-after` that clients get while too many responses are running."""


class _Numbered(msgspec.Struct):
    sequence_number: int = -1


_numbered = msgspec.json.Decoder(_Numbered)


class StoredEvent(Struct, frozen=True):
    """A stored event, or a break that affects only the current clients."""

    number: int
    """Its sequence number; if it has none, that of the event before it."""
    sent: Sent | None
    victims: frozenset[object] = frozenset()


class BackgroundResponse:
    """One response, which is also the outlet of its run."""

    is_kept = True
    direct = None

    def __init__(
        self, response_id: str, *, owner: str, is_streamed: bool, max_bytes: int
    ) -> None:
        self.response_id = response_id
        self.owner = owner
        """The name of the user whose it is."""
        self.is_streamed = is_streamed
        """Whether the create asked for a stream; only then can it be streamed again."""
        self.begun = asyncio.Event()
        """Set when the response exists or was refused."""
        self.refusal: Refusal | None = None
        """Why the response was refused."""
        self.response: Response | None = None
        self.ended_at: float | None = None
        """When it ended, by the clock of the registry."""
        self.n_bytes = 0
        self.task: asyncio.Task[None] | None = None
        self.is_deleted = False
        self._max_bytes = max_bytes
        self._events: list[StoredEvent] = []
        self._followers: set[object] = set()
        self._news = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether no more events will follow."""
        return self.ended_at is not None

    # For clients.

    async def follow(
        self, follower: object, *, after: int
    ) -> AsyncGenerator[Sent, None]:
        """Yield all events after a sequence number, until the response ends.

        Raises:
            ConnectionAbortedError: If a fault breaks the connection here.
        """
        at = bisect_right(self._events, after, key=lambda stored: stored.number)
        self._followers.add(follower)
        try:
            while True:
                for stored in self._events[at:]:
                    at += 1
                    if stored.sent is not None:
                        yield stored.sent
                    elif follower in stored.victims:
                        raise ConnectionAbortedError
                if at == len(self._events):
                    if self.has_ended:
                        return
                    await self._news.wait()
        finally:
            self._followers.discard(follower)

    # For copies of it.

    @property
    def last_number(self) -> int:
        """The sequence number of the last event; -1: there is none."""
        return self._events[-1].number if self._events else -1

    def events_from(self, place: int) -> list[StoredEvent]:
        return self._events[place:]

    async def changed(self, n_events: int) -> None:
        """Wait until there are more events, or the end."""
        while len(self._events) == n_events and not self.has_ended:
            await self._news.wait()

    # For the run.

    async def send(self, events: list[Sent]) -> None:
        """Store events.

        Raises:
            RefusedError: If there are too many.
        """
        if self.n_bytes > self._max_bytes:
            raise RefusedError(too_long(self._max_bytes))
        for sent in events:
            self._tell(sent, _numbered.decode(sent.data).sequence_number)

    async def refuse(self, refusal: Refusal) -> None:
        """Store why there is no answer, or no complete one."""
        if not self._events:
            self.refusal = refusal
            self.begun.set()
            return
        number = self.last_number + 1
        data = stream_event(refusal, sequence_number=number)
        if self.response is not None:
            self.response.status = "failed"
            self.response.error = ErrorObject(
                code=refusal.code or "server_error", message=refusal.message
            )
        self._tell(Sent(events.ERROR, data), number)

    async def send_raw(self, data: bytes) -> None:
        """Store data that need not be an event."""
        self._tell(Sent("", data), self.last_number)

    async def close(self, code: int, reason: str) -> None:
        """Close the connections of all followers."""
        self.abort()

    def abort(self) -> None:
        """Drop the connections of all followers; the response continues."""
        victims = frozenset(self._followers)
        self._keep(StoredEvent(self.last_number, None, victims))

    def mark_deleted(self) -> None:
        """Record that nobody may read it any more."""
        self.is_deleted = True

    def end(self, now: float) -> None:
        self.ended_at = now
        self.begun.set()
        self._wake()

    def _tell(self, sent: Sent, number: int) -> None:
        self.n_bytes += len(sent.data)
        self._keep(StoredEvent(number, sent))
        self.begun.set()

    def _keep(self, stored: StoredEvent) -> None:
        self._events.append(stored)
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


class BackgroundResponses:
    """All background responses of one gateway."""

    def __init__(self, config: GatewayConfig, *, now: Callable[[], float]) -> None:
        """Begin."""
        self.turn = asyncio.Semaphore(config.max_background_running)
        """Held while a response runs; others are queued."""
        self._config = config
        self._now = now
        self._responses: OrderedDict[str, BackgroundResponse] = OrderedDict()
        self._supervisor = Supervisor()

    def new(
        self, response_id: str, *, owner: str, is_streamed: bool
    ) -> BackgroundResponse:
        """Register a response, evicting old ones if necessary.

        Raises:
            RefusedError: If all registered responses are still running.
        """
        self._evict(n_more=1)
        if len(self._responses) >= self._config.max_background:
            raise RefusedError(rate_limited(_RETRY_S))
        response = BackgroundResponse(
            response_id,
            owner=owner,
            is_streamed=is_streamed,
            max_bytes=self._config.max_background_bytes,
        )
        self._responses[response_id] = response
        return response

    async def start(
        self, response: BackgroundResponse, answer: Callable[[], Awaitable[None]]
    ) -> None:
        """Start a response; return when it exists or was refused.

        Args:
            response: What `new` returned.
            answer: Answers the request completely, into `response`.
        """
        response.task = self._supervisor.start(
            self._work(response, answer), name="answer in the background"
        )
        await response.begun.wait()
        if response.refusal is not None:
            self._responses.pop(response.response_id, None)

    def get(self, response_id: str, *, owner: str) -> BackgroundResponse | None:
        """Return a response of a user if it is still stored."""
        self._evict()
        response = self._responses.get(response_id)
        return response if response is not None and response.owner == owner else None

    def by_id(self, response_id: str) -> BackgroundResponse | None:
        """Return a response of any user if it is still stored."""
        return self._responses.get(response_id)

    async def cancel(self, response: BackgroundResponse) -> None:
        """End a response as cancelled, unless it has ended."""
        if response.task is not None and not response.has_ended:
            response.task.cancel()
            await asyncio.wait([response.task])

    async def delete(self, response: BackgroundResponse) -> None:
        """Delete a response in any state."""
        response.mark_deleted()
        await self.cancel(response)
        self._responses.pop(response.response_id, None)

    async def aclose(self) -> None:
        """End all work."""
        await self._supervisor.aclose()

    async def _work(
        self, response: BackgroundResponse, answer: Callable[[], Awaitable[None]]
    ) -> None:
        try:
            await answer()
        except asyncio.CancelledError:
            if response.response is not None:
                response.response.status = "cancelled"
            raise
        except Exception:
            # Else a client would poll for its end for ever.
            if response.response is not None:
                response.response.status = "failed"
            raise
        finally:
            response.end(self._now())
            # Not only when the next one comes: these may be the last.
            self._evict()
            asyncio.get_running_loop().call_later(
                self._config.background_kept_s, self._evict
            )

    def _evict(self, *, n_more: int = 0) -> None:
        """Remove expired responses, and the oldest ones of the user who has the most to
        make room."""
        config = self._config
        since = self._now() - config.background_kept_s
        for key, one in list(self._responses.items()):
            if one.ended_at is not None and one.ended_at <= since:
                del self._responses[key]
        while self._responses:
            ended = {k: v for k, v in self._responses.items() if v.ended_at is not None}
            is_many = len(self._responses) + n_more > config.max_background
            sizes = {key: one.n_bytes for key, one in self._responses.items()}
            is_large = sum(sizes.values()) > config.max_stored_chars
            if not ended or not (is_many or is_large):
                break
            weights = sizes if is_large else dict.fromkeys(sizes, 1)
            del self._responses[oldest_of_largest(ended, weights)]
