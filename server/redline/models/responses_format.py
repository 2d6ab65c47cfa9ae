"""The wire format of the Responses API over HTTP: server-sent events."""

from __future__ import annotations

from collections.abc import Set

from redline.models.answer import (
    CORRECTIONS,
    DELTA_KINDS,
    AnswerText,
    finish_reason,
    read_usage,
)
from redline.models.failures import is_format_refusal
from redline.models.interface import Delta, GenerationRequest
from redline.models.model_list import OpenAiFormat, models_url
from redline.models.request import http_create
from redline.models.sse_reader import END_MARK, read_stray
from redline.models.stored_answers import StoredResponses
from redline.models.wire_format import (
    NOTHING,
    Abilities,
    AnswerBegun,
    AnswerEnd,
    AnswerItem,
    HttpRequest,
    OptionalField,
)
from redline.settings.tree import ModelSettings
from redline.wire import events
from redline.wire.connection import Connection
from redline.wire.events import ResponseCreate, ServerEvent
from redline.wire.failure import Failure
from redline.wire.sse import SseDecoder

_N_LEAST_TOKENS = 16
"""Least `max_output_tokens` that OpenAI accepts."""

_PATH = "/responses"


class ResponsesFormat(OpenAiFormat):
    """`POST …/v1/responses`."""

    abilities = Abilities(images=True, background=True, cache=True)

    def __init__(self, settings: ModelSettings, *, url: str) -> None:
        """Begin.

        Args:
            settings: The model's own settings.
            url: The endpoint, by HTTP.
        """
        super().__init__(settings)
        self._url = url

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write a streamed request; see `WireFormat.write`."""
        has_format = "format" not in leaving_out
        create = http_create(request, self._settings, has_format=has_format)
        return HttpRequest(url=self._url, body=events.encode(create))

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return `format` if the server refuses a format of the answer."""
        return "format" if is_format_refusal(failure) else None

    def reader(self) -> ResponsesReader:
        """Return a reader of one answer."""
        return ResponsesReader()

    def stored_answers(self) -> StoredResponses:
        """Return the background responses."""
        return StoredResponses(self._settings, url=self._url)

    def trial(self) -> HttpRequest:
        """Write a request that servers refuse, because it has no input."""
        create = ResponseCreate(
            model=self._settings.name,
            max_output_tokens=_N_LEAST_TOKENS,
            store=False,
            stream=True,
        )
        return HttpRequest(url=self._url, body=events.encode(create))

    def warm_up(self) -> HttpRequest:
        """Return the request for the list of models."""
        return self.list_models()

    def list_models(self) -> HttpRequest:
        """Write the request for the list of models."""
        return HttpRequest(method="GET", url=models_url(self._url, path=_PATH))


class ResponsesReader:
    """Reads the events of one response."""

    def __init__(self) -> None:
        self._events = SseDecoder()
        self._connection = Connection()
        self._exchange = self._connection.create(ResponseCreate())
        self._answer = AnswerText()
        self._has_ended = False

    def feed(self, chunk: bytes) -> list[AnswerItem]:
        """Take bytes; see `AnswerReader.feed`."""
        found: list[AnswerItem] = []
        for data in self._events.feed(chunk):
            if data != END_MARK and not self._has_ended:
                self._take(events.decode_server_event(data), found)
        return found

    def finish(self) -> list[AnswerItem]:
        """Take the end; see `AnswerReader.finish`."""
        if self._has_ended:
            return []
        failure = read_stray(self._events.finish())
        return [] if failure is None else [AnswerEnd(reason="failed", failure=failure)]

    def _take(self, event: ServerEvent, found: list[AnswerItem]) -> None:
        if self._connection.server_event(event) is None:
            return
        kind = DELTA_KINDS.get(event.type)
        if kind is not None:
            if event.delta:
                kind = self._answer.add(event, kind, event.delta)
                found.append(Delta(event.delta, kind))
        elif event.type in (events.FAILED, events.ERROR):
            self._end(found, self._failed(event))
        elif event.type in CORRECTIONS:
            found += self._answer.correct(event)
            if event.type in events.TERMINAL:
                self._end(found, self._ended(event))
        elif event.type == events.ITEM_ADDED:
            self._answer.begin_item(event)
        elif event.type == events.CREATED and self._exchange.response_id is not None:
            found.append(AnswerBegun(response_id=self._exchange.response_id))

    def _end(self, found: list[AnswerItem], end: AnswerEnd) -> None:
        self._has_ended = True
        found.append(end)

    def _failed(self, event: ServerEvent) -> AnswerEnd:
        return AnswerEnd(reason="failed", failure=events.read_failure(event))

    def _ended(self, event: ServerEvent) -> AnswerEnd:
        response = events.read_response(event)
        return AnswerEnd(
            reason=finish_reason(response, event.type, self._answer),
            usage=read_usage(response),
            response_id=response.id,
        )
