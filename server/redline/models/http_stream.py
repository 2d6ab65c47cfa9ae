"""One generation over HTTP: a POST whose answer is a stream of server-sent events.

Dropping it closes the connection, which is the protocol's documented way to cancel. A
stream that ends in good order is read to its end, so that its connection is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING

from redline.errors import ModelError, RemoteProtocolError
from redline.models.failures import cut_error, failure_error, unreadable_error
from redline.models.generation import LiveGeneration
from redline.models.http_failure import MAX_BODY_BYTES, read_http_failure
from redline.wire import events
from redline.wire.connection import Connection
from redline.wire.events import ResponseCreate
from redline.wire.sse import SseDecoder

if TYPE_CHECKING:
    from redline.models.http_client import HttpAnswer, HttpClient

_OK = 200
_DRAIN_S = 1.0
"""Longest wait for the end of a stream after its last event, to keep the connection."""

_END_MARK = b"[DONE]"
"""What some servers end any stream with, as in chat completions."""


class HttpStream:
    """Carries one generation."""

    def __init__(
        self,
        generation: LiveGeneration,
        create: ResponseCreate,
        *,
        model: str,
        on_answer: Callable[[], None],
    ) -> None:
        self.task: asyncio.Task[None] | None = None
        """What runs `run`, while it runs; set by whoever starts it."""
        self._generation = generation
        self._model = model
        self._on_answer = on_answer
        self._connection = Connection()
        self._exchange = self._connection.create(create)
        self._may_read = asyncio.Event()
        self._may_read.set()

    async def run(self, client: HttpClient, headers: Mapping[str, str]) -> None:
        """Send the request and feed its generation until the stream ends.

        Raises:
            ModelError: If the request was refused, could not be made, or was cut.
        """
        body = events.encode(self._exchange.create)
        sent = self._generation.mark_sent
        try:
            async with client.post(body, headers, on_sent=sent) as answer:
                if answer.status != _OK:
                    raise await self._refusal(answer)
                self._on_answer()
                await self._read(answer.chunks)
        except ModelError:
            # What happens to the connection after the last event is nobody's trouble.
            if not self._exchange.has_ended:
                raise
        except RemoteProtocolError as exc:
            raise unreadable_error(model=self._model) from exc
        finally:
            self.task = None
        if not self._exchange.has_ended:
            raise cut_error("the stream ended", model=self._model)

    # Called by the generation.

    def drop(self) -> None:
        """Close the connection, if there is still something to come on it."""
        if self.task is not None and not self._exchange.has_ended:
            self.task.cancel()

    def pause(self) -> None:
        """Stop reading; the provider feels it through TCP."""
        self._may_read.clear()

    def resume(self) -> None:
        """Read on."""
        self._may_read.set()

    def steer(self, previous_response_id: str, text: str) -> bool:
        """Refuse: there is no way to say anything on a running stream."""
        return False

    # The stream.

    async def _read(self, chunks: AsyncIterator[bytes]) -> None:
        decoder = SseDecoder()
        async for chunk in chunks:
            for data in decoder.feed(chunk):
                self._take(data)
            if self._exchange.has_ended:
                await _drain(chunks)
                return
            await self._may_read.wait()

    def _take(self, data: bytes) -> None:
        if data == _END_MARK:
            return
        event = events.decode_server_event(data)
        exchange = self._connection.server_event(event)
        if exchange is not None:
            self._generation.feed(event, exchange)

    async def _refusal(self, answer: HttpAnswer) -> ModelError:
        body = bytearray()
        async for chunk in answer.chunks:
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                break
        failure = read_http_failure(answer.status, bytes(body), answer.headers)
        return failure_error(failure, model=self._model)


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read the end of a stream whose events are complete; bounded."""
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in chunks:
                continue
    except TimeoutError:
        # The connection is then closed instead of kept.
        return
