"""One background generation, which continues at its provider without a connection.

Theory of operation. A POST with `background` and `stream` creates the response and
streams its events, which are numbered. When that stream breaks, the response is fetched
by its id. If it has ended, its body holds the rest of the answer. If it is running, the
stream is resumed after the last event received. If the server cannot resume or does not
number its events, the response is polled until its end, and the whole answer comes at
once. A response of an earlier process starts with the fetch.

The generation's own time limits bound the waiting. This module gives up only when
waiting cannot help: on a refusal, a lost response or a server that stays unreachable.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from redline.errors import (
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    ModelStalledError,
    ModelUnavailableError,
    RateLimitedError,
    RemoteProtocolError,
)
from redline.models.backoff import backoff_s
from redline.models.failures import (
    cut_error,
    failure_error,
    unreadable_error,
)
from redline.models.formats.http_request import OptionalField
from redline.models.formats.sse_reader import read_stray
from redline.models.formats.stored_answers import (
    CANCELLED,
    ENDED,
    RUNNING,
    StoredAnswers,
)
from redline.models.generations.generation import LiveGeneration
from redline.models.http.http_failure import read_refusal
from redline.models.http.http_session import Session
from redline.models.http.http_stream import DRAIN_S, OK, drain
from redline.models.http.response_retrieval import BackgroundCalls, ResponseRetrieval
from redline.prompts.task_data import GivenTask
from redline.wire import events
from redline.wire.connection import MAX_EVENTS_ASIDE, Connection
from redline.wire.events import CREATED, ResponseCreate, ResponseObject, ServerEvent
from redline.wire.failure import Failure
from redline.wire.sse import SseDecoder

if TYPE_CHECKING:
    from redline.models.http.http_client import HttpClient

_SILENCE_S = 60.0
"""Longest silence on a stream before the response is polled: a connection may be lost
without notice, and a model may think for longer than this."""

_POLL_S = 2.0
"""Pause between two polls (background guide)."""

_MAX_FAILURES = 8
"""Failures in a row after which a server counts as gone: 30 to 40 s of trying."""

_UNWANTED_S = 30.0
"""Longest wait for the id of a response that is only to be discarded."""

_MAX_SKIPPED = 200_000
"""Most events in a row that were read before; an answer of 100,000 tokens has fewer."""

_PASSING = (
    ModelCutError,
    ModelServerError,
    ModelStalledError,
    ModelUnavailableError,
    RateLimitedError,
)
"""Failures that do not imply a failure of the response."""


class EventReader:
    """Feeds a generation from the server-sent events of one connection or several.

    It remembers what it has read and skips events that a server sends again, so a
    stream can be resumed where it broke.
    """

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
        self._n_aside = 0
        """Events since the last one of the answer."""
        self._n_skipped = 0
        """Events since the last new one."""
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
                self._skip(self.number)
                return
            self.number = number
            self._n_skipped = 0
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

    def _skip(self, last: int) -> None:
        self._n_skipped += 1
        # A server that resumes from the start repeats what was read, once.
        if self._n_skipped > min(last + MAX_EVENTS_ASIDE, _MAX_SKIPPED):
            raise RemoteProtocolError("The server repeats events without end.")


class BackgroundStream:
    """Carries one generation."""

    def __init__(
        self,
        generation: LiveGeneration,
        stored: StoredAnswers,
        *,
        model: str,
        on_answer: Callable[[], None],
        on_created: Callable[[ResponseObject], bool],
        calls: BackgroundCalls,
    ) -> None:
        """Begin.

        Args:
            generation: The generation to carry; one that resumes is fetched by its id.
            stored: Writes the request and reads the answer.
            model: The model's name in the settings.
            on_answer: Called whenever the server has answered.
            on_created: Called with the response when it is created; returns whether
                the server keeps background responses.
            calls: Discards a response at the provider.
        """
        self.task: asyncio.Task[None] | None = None
        """The task that executes `run`; set by the caller that starts it."""
        self.failure: Failure | None = None
        """Why the request was refused, in the server's words."""
        resumption = generation.resumption
        self._generation = generation
        self._model = model
        self._on_answer = on_answer
        self._on_created = on_created
        self._calls = calls
        self._resumed_id = resumption.response_id if resumption else None
        self._stored = stored
        self._reader = EventReader(
            generation,
            stored.decode,
            starting_after=resumption.starting_after if resumption else None,
            on_created=self._note_created,
        )
        self._can_stream = True
        """Whether the server can resume a stream, as far as is known."""
        self._n_answers = 0
        self._is_unclaimed = False
        """Whether the server may have stored a response that no caller will delete,
        since it does not work in the background."""
        self._is_left = False
        self._unwanted: asyncio.TimerHandle | None = None
        """Set while the response is to be discarded as soon as its id is known."""

    @property
    def response_id(self) -> str | None:
        """The server's id of the response, once known."""
        if self._resumed_id is not None:
            return self._resumed_id
        return self._reader.response_id

    @property
    def refused_field(self) -> OptionalField | None:
        """What the server refused, if the request can do without it."""
        failure = self.failure
        return None if failure is None else self._stored.refused_field(failure)

    async def run(self, connect: Callable[[], Awaitable[Session]]) -> None:
        """Feed the generation until the response has ended.

        Raises:
            ModelError: If the request was refused or could not be made, the response is
                lost, or the server stays away.
        """
        try:
            await self._attend_to_the_end(connect)
        except RemoteProtocolError as exc:
            raise unreadable_error(model=self._model) from exc
        finally:
            self.task = None
            if self._unwanted is not None:
                self._unwanted.cancel()
            if self._is_unclaimed:
                self._discard(may_run=not self._reader.has_ended)

    def leave(self) -> None:
        """Do not cancel the response when this is dropped."""
        self._is_left = True

    # Called by the generation.

    def drop(self) -> None:
        """Release the connection, and discard the response if it was stopped.

        After a failure, or when it was left, the response continues, so that the caller
        can resume or cancel it by its id.
        """
        if self.task is None or self._reader.has_ended or self._unwanted is not None:
            return
        if self.response_id is not None:
            self.task.cancel()
            if self._generation.is_stopped and not self._is_left:
                self._discard()
        elif self._generation.timing.sent is None:
            self.task.cancel()
        else:
            # The request was sent, and nobody knows the id, which it takes to discard
            # the response.
            loop = asyncio.get_running_loop()
            self._unwanted = loop.call_later(_UNWANTED_S, self.task.cancel)
            self._calls.await_id(self.task)

    def pause(self) -> None:
        """Stop reading; the provider stores the answer."""
        self._reader.pause()

    def resume(self) -> None:
        self._reader.resume()

    def steer(
        self, previous_response_id: str, text: str, task: GivenTask | None
    ) -> bool:
        """Return false: the protocol cannot send on a running stream."""
        return False

    # The response.

    async def _attend_to_the_end(
        self, connect: Callable[[], Awaitable[Session]]
    ) -> None:
        n_failures = 0
        while not self._is_over:
            n_deltas, n_answers = self._generation.timing.n_deltas, self._n_answers
            try:
                await self._attend(*await connect())
                error: ModelError = cut_error("the stream ended", model=self._model)
            except _PASSING as caught:
                error = caught
            if self._is_over:
                return
            if self.response_id is None or error.may_retry is False:
                raise error
            self._generation.trouble = error
            n_failures = 1 if self._n_answers > n_answers else n_failures + 1
            if n_failures >= _MAX_FAILURES:
                raise error
            # Other events, such as a state sent with each new stream, are no progress.
            if self._generation.timing.n_deltas == n_deltas:
                pause_s = backoff_s(n_failures, random=random.random)
                await asyncio.sleep(max(pause_s, error.retry_after_s or 0.0))

    @property
    def _is_over(self) -> bool:
        return self._reader.has_ended or self._generation.has_finished

    async def _attend(self, client: HttpClient, headers: Mapping[str, str]) -> None:
        """Read as much as one connection delivers."""
        if self.response_id is None:
            await self._create(client, headers)
            return
        retrieval = ResponseRetrieval(client, headers, self._stored, model=self._model)
        while not await self._has_ended_there(retrieval, self.response_id):
            if self._can_stream and self._is_resumable:
                await self._take_up(retrieval, self.response_id)
                return
            await asyncio.sleep(_POLL_S)

    async def _create(self, client: HttpClient, headers: Mapping[str, str]) -> None:
        generation = self._generation
        request = self._stored.write(
            generation.request, leaving_out=generation.leaving_out
        )
        async with client.send(
            request,
            headers,
            on_sent=generation.mark_sent,
            read_s=self._silence_s,
        ) as answer:
            if answer.status != OK:
                self.failure = await read_refusal(answer)
                raise failure_error(self.failure, model=self._model)
            self._note_answer()
            stray = await self._reader.read(
                answer.chunks, is_enough=lambda: self._is_to_be_discarded
            )
        if stray:
            self._take_stray(stray)
        if self._is_to_be_discarded:
            self._discard()

    async def _has_ended_there(
        self, retrieval: ResponseRetrieval, response_id: str
    ) -> bool:
        """Fetch the response; take its final event if it has ended."""
        response = await retrieval.fetch(response_id)
        self._note_answer()
        if self._generation.timing.sent is None:
            self._generation.mark_sent()
        if response.status in ENDED:
            self._reader.take(response.end_event())
        elif response.status == CANCELLED:
            self._generation.leave()
        elif response.status not in RUNNING:
            raise RemoteProtocolError("The server named an unknown state.")
        return response.status not in RUNNING

    async def _take_up(self, retrieval: ResponseRetrieval, response_id: str) -> None:
        number = self._reader.number
        try:
            async with retrieval.stream(
                response_id, starting_after=number, read_s=self._silence_s
            ) as chunks:
                stray = await self._reader.read(chunks)
        except ModelRejectedError:
            self._can_stream = False
            return
        if stray:
            # The server knows only polling, and ignores the question for a stream.
            self._can_stream = False
            self._take_stray(stray)

    def _take_stray(self, stray: bytes) -> None:
        """Take an answer that is no stream: a failure, or the response itself.

        Raises:
            ModelError: If it is a failure.
            RemoteProtocolError: If it is neither.
        """
        if (failure := read_stray(stray)) is not None:
            self.failure = failure
            raise failure_error(failure, model=self._model)
        response = self._stored.read(stray)
        if response.status in ENDED:
            self._reader.take(response.end_event())
        elif response.status in RUNNING:
            self._reader.take(ServerEvent(type=CREATED, response=response.body))
        else:
            raise RemoteProtocolError("The server named an unknown state.")

    def _note_created(self, response: ResponseObject) -> None:
        self._is_unclaimed = not self._on_created(response)

    def _discard(self, *, may_run: bool = True) -> None:
        self._is_unclaimed = False
        if self.response_id is not None:
            self._calls.discard_soon(self.response_id, may_run=may_run)

    def _note_answer(self) -> None:
        self._n_answers += 1
        self._generation.trouble = None
        self._on_answer()

    @property
    def _is_to_be_discarded(self) -> bool:
        """Whether it was given up before it had the id that it has now."""
        return self._unwanted is not None and self.response_id is not None

    @property
    def _is_resumable(self) -> bool:
        """Whether the event to resume a stream after is known."""
        is_at_start = self._generation.timing.n_deltas == 0
        return self._reader.number is not None or is_at_start

    @property
    def _silence_s(self) -> float:
        limits = self._generation.limits
        return min(_SILENCE_S, max(limits.first_delta_s, limits.stall_s))
