"""One generation over HTTP: a POST whose answer is a stream, in any wire format.

Dropping it closes the connection, which is the documented way to cancel. A stream that
ends normally is read to its end, so that its connection is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from redline.errors import ModelCutError, ModelError, RemoteProtocolError
from redline.models.failures import (
    cut_error,
    failure_error,
    flood_error,
    unreadable_error,
)
from redline.models.formats.http_request import HttpRequest, OptionalField
from redline.models.formats.wire_format import (
    AnswerEnd,
    AnswerItem,
    AnswerPart,
    AnswerReader,
    WireFormat,
)
from redline.models.generations.generation import MAX_IDLE_EVENTS, LiveGeneration
from redline.models.http.http_failure import read_refusal
from redline.models.proxy_signs import BREAK_S, Arrival, ProxySigns
from redline.prompts.task_data import GivenTask
from redline.wire.failure import Failure
from redline.wire.sse import MAX_EVENT_BYTES

if TYPE_CHECKING:
    from redline.models.http.http_client import HttpClient

OK = 200

DRAIN_S = 1.0
"""Longest wait for the end of a stream after its last item, to keep the connection."""

_DRAIN_FAILED_S = 0.05
"""The same after a failure, which the user is waiting for."""

_MAX_IDLE_BYTES = 2 * MAX_EVENT_BYTES
"""Most bytes in a row that add nothing to the answer: one event may have half."""

_MAX_PARTS = 16
"""Most requests for one answer: each one reads the prompt again, and is paid."""

_MAX_IDLE_LINES = 3 * MAX_IDLE_EVENTS
"""The same in lines: an event has two or three in most formats."""


class HttpStream:
    """Carries one generation."""

    def __init__(
        self,
        generation: LiveGeneration,
        wire: WireFormat,
        *,
        model: str,
        allowed_n_tokens: int,
        on_answer: Callable[[], None],
        signs: ProxySigns,
    ) -> None:
        """Begin.

        Args:
            generation: The generation to carry.
            wire: Writes the request and reads the answer.
            model: The model, for messages.
            allowed_n_tokens: An answer of as many tokens was cut, whatever its end
                says.
            on_answer: Called when the server has begun to answer.
            signs: Takes how the answer arrived.
        """
        self.task: asyncio.Task[None] | None = None
        """The task that executes `run`; set by the caller that starts it."""
        self.failure: Failure | None = None
        """Why the request was refused, in the server's words."""
        self._generation = generation
        self._wire = wire
        self._model = model
        self._allowed_n_tokens = allowed_n_tokens
        self._on_answer = on_answer
        self._signs = signs
        self._has_ended = False
        self._part: AnswerPart | None = None
        """The part of the answer that was read last, if there is another one."""
        self._may_read = asyncio.Event()
        self._may_read.set()

    async def run(self, client: HttpClient, headers: Mapping[str, str]) -> None:
        """Send the request and feed its generation until the stream ends.

        Raises:
            ModelError: If the request was refused, could not be made, or was cut.
        """
        try:
            await self._exchange(client, headers)
        except ModelError:
            # After the last item, an error of the connection has no effect.
            if not self._has_ended:
                raise
        except RemoteProtocolError as exc:
            raise unreadable_error(model=self._model) from exc
        finally:
            self.task = None
        if not self._has_ended:
            raise cut_error("the stream ended", model=self._model)

    @property
    def refused_field(self) -> OptionalField | None:
        """What the server refused, if the request can do without it."""
        return None if self.failure is None else self._wire.refused_field(self.failure)

    # Called by the generation.

    def drop(self) -> None:
        """Close the connection, unless the answer has ended."""
        if self.task is not None and not self._has_ended:
            self.task.cancel()

    def pause(self) -> None:
        """Stop reading; TCP flow control slows the provider down."""
        self._may_read.clear()

    def resume(self) -> None:
        self._may_read.set()

    def steer(
        self, previous_response_id: str, text: str, task: GivenTask | None
    ) -> bool:
        """Return false: HTTP cannot send on a running stream."""
        return False

    async def _exchange(self, client: HttpClient, headers: Mapping[str, str]) -> None:
        generation = self._generation
        request = self._wire.write(
            generation.request, leaving_out=generation.leaving_out
        )
        self._allowed_n_tokens = request.allowed_n_tokens or self._allowed_n_tokens
        await self._send(client, headers, request, on_sent=generation.mark_sent)
        for _ in range(_MAX_PARTS - 1):
            if self._part is None:
                return
            request, self._part = _next_request(request, self._part), None
            await self._send(client, headers, request)
        if self._part is not None:
            self._take([AnswerEnd(reason="length")])

    async def _send(
        self,
        client: HttpClient,
        headers: Mapping[str, str],
        request: HttpRequest,
        *,
        on_sent: Callable[[], None] | None = None,
    ) -> None:
        generation = self._generation
        limits, clock = generation.limits, _ArrivalClock()
        async with client.send(
            request,
            # The key's headers last: nothing may replace them.
            {**generation.request.headers, **headers},
            on_sent=on_sent,
            read_s=max(limits.first_delta_s, limits.stall_s),
        ) as answer:
            if answer.status == OK:
                self._on_answer()
                reader = self._wire.reader(generation.request)
                await self._read(reader, answer.chunks, clock)
            else:
                self.failure = await read_refusal(answer)
        if self.failure is not None:
            raise failure_error(self.failure, model=self._model)

    async def _read(
        self, reader: AnswerReader, chunks: AsyncIterator[bytes], clock: _ArrivalClock
    ) -> None:
        try:
            await self._read_all(reader, chunks, clock)
        except ModelCutError:
            # The answer may be whole although its end mark is missing.
            self._take(reader.finish())
            if not self._is_read and self.failure is None:
                raise

    async def _read_all(
        self, reader: AnswerReader, chunks: AsyncIterator[bytes], clock: _ArrivalClock
    ) -> None:
        n_bytes = n_lines = 0
        async for chunk in chunks:
            clock.take(chunk)
            items = reader.feed(chunk)
            n_bytes, n_lines = n_bytes + len(chunk), n_lines + chunk.count(b"\n")
            if items:
                n_bytes = n_lines = 0
            if n_bytes > _MAX_IDLE_BYTES or n_lines > _MAX_IDLE_LINES:
                raise flood_error(model=self._model)
            self._take(items)
            if self._is_read or self.failure:
                if self._is_read:
                    self._signs.note_answer(clock.arrival())
                await drain(chunks, DRAIN_S if self._is_read else _DRAIN_FAILED_S)
                return
            if not self._may_read.is_set():
                await self._may_read.wait()
                clock.pause()
        self._take(reader.finish())

    @property
    def _is_read(self) -> bool:
        """Whether the server has sent all that it will for the current request."""
        return self._has_ended or self._part is not None

    def _take(self, items: Iterable[AnswerItem]) -> None:
        """Take what one read has brought."""
        for item in items:
            if isinstance(item, AnswerPart):
                self._part = item
                self._generation.count_paid(item.usage)
                break
            if isinstance(item, AnswerEnd):
                if item.failure is not None:
                    self.failure = item.failure
                    self._generation.count_paid(item.usage)
                    break
                self._has_ended = True
                item = self._judged(item)
            self._generation.take(item)
        self._generation.deliver()

    def _judged(self, end: AnswerEnd) -> AnswerEnd:
        """Correct an end that calls an answer whole although it reached the limit."""
        is_at_limit = (
            end.usage is not None
            and end.usage.output_n_tokens >= self._allowed_n_tokens
        )
        if end.reason == "completed" and is_at_limit:
            return replace(end, reason="length")
        return end


class _ArrivalClock:
    """Notes when the bytes of an answer come."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._began = self._last = self._loop.time()
        self._first: float | None = None
        self._is_in_line = False
        self._n_bytes = self._n_breaks = 0

    def take(self, chunk: bytes) -> None:
        """Note bytes that have come."""
        now = self._loop.time()
        if self._first is None:
            self._first = now
        self._n_breaks += self._is_in_line and now - self._last >= BREAK_S
        self._is_in_line = not chunk.endswith(b"\n")
        self._n_bytes += len(chunk)
        self._last = now

    def pause(self) -> None:
        """Note a pause of the reader, which is no matter of the way."""
        self._is_in_line = False

    def arrival(self) -> Arrival:
        """Return how all of them came."""
        first = self._last if self._first is None else self._first
        return Arrival(
            wait_s=first - self._began,
            spread_s=self._last - first,
            n_bytes=self._n_bytes,
            n_breaks=self._n_breaks,
        )


def _next_request(request: HttpRequest, part: AnswerPart) -> HttpRequest:
    """Write the request for what follows a part."""
    fields = msgspec.json.decode(request.body or b"{}", type=dict[str, msgspec.Raw])
    return replace(request, body=msgspec.json.encode({**fields, **part.more}))


async def drain(chunks: AsyncIterator[bytes], limit_s: float) -> None:
    """Read the rest of a stream whose answer is complete, within limits."""
    try:
        async with asyncio.timeout(limit_s):
            async for _ in chunks:
                continue
    except TimeoutError:
        # The connection is closed instead of kept.
        return
