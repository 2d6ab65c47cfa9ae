"""Reads the server-sent events of one generation, from one connection or several.

It remembers what it has read and skips events that a server sends again, so a stream
can be resumed where it broke.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable

from redline.errors import RemoteProtocolError
from redline.models.generation import LiveGeneration
from redline.models.http_stream import DRAIN_S, drain
from redline.wire import events
from redline.wire.connection import MAX_EVENTS_ASIDE, Connection
from redline.wire.events import ResponseCreate, ResponseObject, ServerEvent
from redline.wire.sse import SseDecoder


class EventReader:
    """Feeds a generation from HTTP streams."""

    def __init__(
        self,
        generation: LiveGeneration,
        decode: Callable[[bytes], Iterable[ServerEvent]],
        *,
        starting_after: int | None = None,
        on_created: Callable[[ResponseObject], None] | None = None,
    ) -> None:
        """Begin.

        Args:
            generation: The generation to feed.
            decode: Decodes the data of an event.
            starting_after: The sequence number of the last known event.
            on_created: Called with the response when it is created.
        """
        self.number = starting_after
        """Sequence number of the last event; None: no event yet, or not numbered."""
        self.n_events = 0
        """Number of new events received."""
        self._n_aside = 0
        """Events since the last one of the answer."""
        self._generation = generation
        self._connection = Connection()
        self._decode = decode
        self._on_created = on_created
        self._exchange = self._connection.create(ResponseCreate())
        self._may_read = asyncio.Event()
        self._may_read.set()

    @property
    def response_id(self) -> str | None:
        """The server's id of the answer."""
        return self._exchange.response_id

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can come."""
        return self._exchange.has_ended

    def pause(self) -> None:
        """Stop reading; TCP flow control slows the provider down."""
        self._may_read.clear()

    def resume(self) -> None:
        """Resume reading."""
        self._may_read.set()

    async def read(
        self, chunks: AsyncIterator[bytes], *, is_enough: Callable[[], bool] = bool
    ) -> bytes:
        """Read a stream to its end, or to the end of the answer.

        Args:
            chunks: The stream.
            is_enough: Whether to stop early; called after each chunk.

        Returns:
            What was no event, if the stream has ended and the answer has not.

        Raises:
            RemoteProtocolError: If it holds something that is not an event.
        """
        stream = SseDecoder()
        async for chunk in chunks:
            for data in stream.feed(chunk):
                for event in self._decode(data):
                    self.take(event)
            if self.has_ended:
                await drain(chunks, DRAIN_S)
                return b""
            if is_enough():
                return b""
            await self._may_read.wait()
        return stream.finish()

    def take(self, event: ServerEvent) -> None:
        """Take one event.

        Raises:
            RemoteProtocolError: If the event is not allowed in the current state of the
                answer.
        """
        number = event.sequence_number
        if number is not None:
            if self.number is not None and number <= self.number:
                return
            self.number = number
        self.n_events += 1
        exchange = self._connection.server_event(event)
        if event.type == events.CREATED and self._on_created is not None:
            self._on_created(events.read_response(event))
        if exchange is not None:
            self._n_aside = 0
            self._generation.feed(event, exchange)
            return
        self._n_aside += 1
        if self._n_aside > MAX_EVENTS_ASIDE:
            raise RemoteProtocolError("The server sends events that answer nothing.")
