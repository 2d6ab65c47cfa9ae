"""The Interactions API of Gemini, for answers that need no connection.

An interaction with `background` continues at the provider; its events have ids, after
any of which its stream can be resumed. Field names are those of google-genai 3.4.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence, Set

import msgspec
from msgspec import Raw, Struct

from redline.errors import RemoteProtocolError
from redline.models.formats.gemini_request import (
    base_url,
    gemini_level,
    output_limit,
    refused_gemini_field,
)
from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.schema_subset import GEMINI_KEYWORDS, schema_subset
from redline.models.formats.sse_reader import END_MARK, read_counts
from redline.models.formats.stored_answers import CANCELLED, RUNNING, RetrievedResponse
from redline.models.interface import GenerationRequest
from redline.prompts.message import ChatMessage
from redline.settings.tree import ModelSettings
from redline.wire import events
from redline.wire.events import NO_RAW, ServerEvent
from redline.wire.failure import UNREADABLE, Failure

API_REVISION = "2026-05-20"

_STEPS = {"user": "user_input", "assistant": "model_output"}


class StoredInteractions:
    """The interactions of one model, as one generation sees them."""

    outlives_process = False
    """Events are numbered here, by their order, so their numbers end with a process."""
    headers: Mapping[str, str] = {"Api-Revision": API_REVISION}

    def __init__(self, settings: ModelSettings) -> None:
        self.url = f"{base_url(settings)}/interactions"
        self._settings = settings
        self._events = InteractionEvents()

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        settings, prompt = self._settings, request.prompt
        limit = output_limit(request, settings)
        config: dict[str, object] = {"max_output_tokens": limit}
        level = gemini_level(settings.effort)
        if level is not None and "effort" not in leaving_out:
            config |= {"thinking_level": level.lower(), "thinking_summaries": "auto"}
        body: dict[str, object] = {
            "model": settings.name,
            "input": [_step(each) for each in prompt.chat_messages],
            "generation_config": config,
            "stream": True,
            "background": True,
            # What is not stored cannot be fetched.
            "store": True,
        }
        if prompt.instructions:
            body["system_instruction"] = prompt.instructions
        if request.text_format is not None and "format" not in leaving_out:
            body["response_format"] = {
                "type": "text",
                "mime_type": "application/json",
                "schema": schema_subset(request.text_format.schema, GEMINI_KEYWORDS),
            }
        if settings.service_tier is not None:
            body["service_tier"] = settings.service_tier
        return HttpRequest(
            url=self.url,
            headers=self.headers,
            body=msgspec.json.encode(body),
            allowed_n_tokens=limit,
        )

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what a server refuses that the request can do without."""
        return refused_gemini_field(failure)

    def resumption_query(self, starting_after: int | None) -> Mapping[str, str]:
        """Return the query that resumes a stream after an event, by its id."""
        last_id = self._events.id_of(starting_after)
        return {"stream": "true"} | ({"last_event_id": last_id} if last_id else {})

    def read(self, body: bytes) -> RetrievedResponse:
        """Read an interaction that was fetched."""
        return read_interaction(body)

    def decode(self, data: bytes) -> Sequence[ServerEvent]:
        return self._events.decode(data)


def _step(chat_message: ChatMessage) -> dict[str, object]:
    content: list[dict[str, object]] = [
        {
            "type": "image",
            "mime_type": image.media_type,
            "data": b64encode(image.data).decode(),
        }
        for image in chat_message.images
    ]
    content.append({"type": "text", "text": chat_message.text})
    return {"type": _STEPS[chat_message.role], "content": content}


_STATUSES = {"completed": "completed", "failed": "failed"}
"""All other ends are cut answers: `incomplete`, `budget_exceeded`, `requires_action`,
`requires_continuation`, and what is not known."""


class InteractionEvents:
    """Decodes the events of one interaction, from one stream or several.

    They are translated to those of the Responses protocol, so one reader serves the
    stored answers of every provider. Events of unknown types are left out.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        """The events so far by their ids, in order, with their numbers."""

    def id_of(self, number: int | None) -> str | None:
        """Return the id of an event by its number; None: it is not known."""
        found = (name for name, each in self._numbers.items() if each == number)
        return next(found, None)

    def decode(self, data: bytes) -> tuple[ServerEvent, ...]:
        """Decode one event; empty if it says nothing about the answer.

        Raises:
            RemoteProtocolError: If it cannot be read.
        """
        if data == END_MARK:
            return ()
        try:
            event = _event.decode(data)
        except UNREADABLE as exc:
            raise RemoteProtocolError("The server sent an unreadable event.") from exc
        found = _translate(event)
        if found is None:
            return ()
        if event.event_id is not None:
            number = self._numbers.setdefault(event.event_id, len(self._numbers) + 1)
            found = msgspec.structs.replace(found, sequence_number=number)
        return (found,)


def read_interaction(body: bytes) -> RetrievedResponse:
    """Read an interaction that was fetched.

    Raises:
        RemoteProtocolError: If it is not one.
    """
    try:
        interaction = _interaction.decode(body)
    except UNREADABLE as exc:
        raise RemoteProtocolError("The server sent no interaction.") from exc
    return RetrievedResponse(
        status=_status(interaction.status), body=_response(interaction)
    )


class _Content(Struct):
    type: str | None = None
    text: str | None = None


class _Step(Struct):
    type: str = ""
    content: list[_Content] | None = None


class _Error(Struct):
    code: str | None = None
    message: str | None = None


class _Interaction(Struct):
    status: str
    id: str | None = None
    steps: list[_Step] | None = None
    errors: list[_Error] | None = None
    usage: Raw = NO_RAW


class _Delta(Struct):
    type: str = ""
    text: str | None = None
    content: _Content | None = None


class _Event(Struct):
    event_type: str = ""
    event_id: str | None = None
    index: int | None = None
    delta: _Delta | None = None
    interaction: _Interaction | None = None
    error: Raw = NO_RAW


_event = msgspec.json.Decoder(_Event)
_interaction = msgspec.json.Decoder(_Interaction)


def _translate(event: _Event) -> ServerEvent | None:
    match event.event_type:
        case "interaction.created" if event.interaction is not None:
            body = {"id": event.interaction.id, "status": "in_progress"}
            return ServerEvent(type=events.CREATED, response=_raw(body))
        case "step.delta" if event.delta is not None:
            return _delta(event.delta, event.index)
        case "interaction.completed" if event.interaction is not None:
            status = _status(event.interaction.status)
            if status == CANCELLED:
                # No event says so: the stream ends, and the answer is fetched.
                return None
            body_raw = _response(event.interaction)
            return ServerEvent(type=f"response.{status}", response=body_raw)
        case "error":
            return ServerEvent(type=events.ERROR, error=event.error)
    return None


def _delta(delta: _Delta, index: int | None) -> ServerEvent | None:
    if delta.type == "text" and delta.text:
        return ServerEvent(
            type=events.TEXT_DELTA,
            delta=delta.text,
            output_index=index or 0,
            content_index=0,
        )
    if delta.type == "thought_summary" and delta.content and delta.content.text:
        return ServerEvent(
            type=events.REASONING_SUMMARY_DELTA, delta=delta.content.text
        )
    return None


def _status(status: str) -> str:
    if status in RUNNING or status == CANCELLED:
        return status
    return _STATUSES.get(status, "incomplete")


def _response(interaction: _Interaction) -> Raw:
    status = _status(interaction.status)
    body: dict[str, object] = {"id": interaction.id, "status": status}
    if status == "incomplete":
        body["incomplete_details"] = {"reason": "max_output_tokens"}
    if status == "failed":
        error = next(iter(interaction.errors or ()), _Error())
        said = error.message or "it did not say why"
        body["error"] = {"code": error.code or "server_error", "message": said}
    if usage := _usage(read_counts(interaction.usage)):
        body["usage"] = usage
    body["output"] = [
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": content.text}
                for content in step.content or ()
                if content.text
            ],
        }
        for step in interaction.steps or ()
        if step.type == "model_output"
    ]
    return _raw(body)


def _usage(counts: Mapping[str, int]) -> dict[str, object] | None:
    if "total_input_tokens" not in counts:
        return None
    thought = counts.get("total_thought_tokens", 0)
    return {
        "input_tokens": counts["total_input_tokens"]
        + counts.get("total_tool_use_tokens", 0),
        "input_tokens_details": {"cached_tokens": counts.get("total_cached_tokens", 0)},
        "output_tokens": counts.get("total_output_tokens", 0) + thought,
        "output_tokens_details": {"reasoning_tokens": thought},
    }


def _raw(value: object) -> Raw:
    return Raw(msgspec.json.encode(value))
