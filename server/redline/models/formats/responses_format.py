"""The wire format of the Responses API over HTTP: server-sent events."""

from __future__ import annotations

from collections.abc import Set

from redline.models.failures import is_format_refusal
from redline.models.formats.answer import (
    CORRECTIONS,
    DELTA_KINDS,
    AnswerText,
    finish_reason,
    read_usage,
)
from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.model_list import OpenAiFormat, models_url
from redline.models.formats.request import http_create
from redline.models.formats.sse_reader import SseReader
from redline.models.formats.stored_responses import StoredResponses
from redline.models.formats.wire_format import Abilities, AnswerBegun, AnswerItem
from redline.models.interface import Delta, GenerationRequest
from redline.settings.tree import ModelSettings
from redline.wire import events
from redline.wire.connection import Connection
from redline.wire.events import ResponseCreate, ServerEvent
from redline.wire.failure import Failure

_N_LEAST_TOKENS = 16
"""Least `max_output_tokens` that OpenAI accepts."""

_PATH = "/responses"


class ResponsesFormat(OpenAiFormat):
    """`POST …/v1/responses`."""

    abilities = Abilities(images=True, background=True, cache=True)

    def __init__(self, settings: ModelSettings, *, url: str) -> None:
        super().__init__(settings)
        self._url = url

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        has_format = "format" not in leaving_out
        create = http_create(request, self._settings, has_format=has_format)
        return HttpRequest(url=self._url, body=events.encode(create))

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return `format` if the server refuses a format of the answer."""
        return "format" if is_format_refusal(failure) else None

    def reader(self, request: GenerationRequest) -> ResponsesReader:
        return ResponsesReader()

    def stored_answers(self) -> StoredResponses:
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
        return HttpRequest(method="GET", url=models_url(self._url, path=_PATH))


class ResponsesReader(SseReader):
    """Reads the events of one response."""

    def __init__(self) -> None:
        super().__init__()
        self._connection = Connection()
        self._exchange = self._connection.create(ResponseCreate())
        self._answer = AnswerText()

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        event = events.decode_server_event(data)
        if self._connection.server_event(event) is None:
            return
        kind = DELTA_KINDS.get(event.type)
        if kind is not None:
            if event.delta:
                kind = self._answer.add(event, kind, event.delta)
                items.append(Delta(event.delta, kind))
        elif event.type in (events.FAILED, events.ERROR):
            self._fail(events.read_failure(event), items)
        elif event.type in CORRECTIONS:
            items += self._answer.correct(event)
            if event.type in events.TERMINAL:
                self._take_terminal(event, items)
        elif event.type == events.ITEM_ADDED:
            self._answer.begin_item(event)
        elif event.type == events.CREATED and self._exchange.response_id is not None:
            items.append(AnswerBegun(response_id=self._exchange.response_id))

    def _take_terminal(self, event: ServerEvent, items: list[AnswerItem]) -> None:
        response = events.read_response(event)
        self._id, self._usage = response.id, read_usage(response)
        self._end(finish_reason(response, event.type, self._answer), items)

    def _close(self, items: list[AnswerItem]) -> None:
        """Do nothing: the last event says that it is the last."""
