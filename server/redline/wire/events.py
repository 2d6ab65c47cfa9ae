"""The events of the Responses protocol, typed and tolerant.

One flat struct for everything the server sends, and one for each of the two things a
client sends. Unknown fields are ignored, missing optional ones are None, both shapes of
the error event are read, and an event of an unknown type is still an event, which its
receiver ignores. Nested objects stay raw bytes until they are read, so that a delta
costs one small decode.

Field names and event types are those of the OpenAI Responses API (the `responses`
types of openai-python 3.52 and the WebSocket mode guide).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from redline.errors import RemoteProtocolError
from redline.wire.failure import (
    UNREADABLE,
    Failure,
    read_error,
    retry_after_s,
    try_decode,
)

CREATED = "response.created"
QUEUED = "response.queued"
IN_PROGRESS = "response.in_progress"
TEXT_DELTA = "response.output_text.delta"
REFUSAL_DELTA = "response.refusal.delta"
REASONING_DELTA = "response.reasoning_text.delta"
REASONING_SUMMARY_DELTA = "response.reasoning_summary_text.delta"
TEXT_DONE = "response.output_text.done"
REFUSAL_DONE = "response.refusal.done"
ITEM_ADDED = "response.output_item.added"
ITEM_DONE = "response.output_item.done"
COMPLETED = "response.completed"
INCOMPLETE = "response.incomplete"
FAILED = "response.failed"
ERROR = "error"
STEER_ACCEPTED = "response.steer.accepted"
STEER_PENDING = "response.steer.pending"
STEER_FAILED = "response.steer.failed"

DELTAS = frozenset({TEXT_DELTA, REFUSAL_DELTA, REASONING_DELTA})
TERMINAL = frozenset({COMPLETED, INCOMPLETE, FAILED})
"""The events that end a response; an `error` bound to its lane ends it as well."""

STEERING_HEADER = "redline-steering"
"""Redline's own: in the answer to an upgrade, announces support of steers."""

TaskKind = Literal["edit", "completion", "review"]
"""What a request is for, the most urgent first."""

TASK_KIND = "kind"
"""Redline's own: the key of the `TaskKind` in a request's `metadata`."""

MAX_DELTA_BYTES = 1024 * 1024
"""Largest accepted increment, over ten times the longest requested answer: each layer
above copies it."""

STEER_EVENTS = frozenset({STEER_ACCEPTED, STEER_PENDING, STEER_FAILED})

NO_RAW = Raw(b"null")


class ServerEvent(Struct, omit_defaults=True, kw_only=True):
    type: str
    sequence_number: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    """Limited to what can be stored."""
    stream_id: str | None = None
    item_id: str | None = None
    output_index: int | None = None
    content_index: int | None = None
    delta: str | None = None
    text: str | None = None
    refusal: str | None = None
    response: Raw = NO_RAW
    """A `ResponseObject`; decode with `read_response`."""
    item: Raw = NO_RAW
    """An `OutputItem`; decode with `read_item`."""
    part: Raw = NO_RAW
    steer: Raw = NO_RAW
    """A `SteerObject`."""
    error: Raw = NO_RAW
    """The nested error shape; `code`, `message` and `param` are the flat one."""
    code: str | None = None
    message: str | None = None
    param: str | None = None
    status: int | None = None
    status_code: int | None = None
    headers: Raw = NO_RAW


class ErrorObject(Struct, omit_defaults=True, kw_only=True):
    """An error as a server writes it; `read_failure` also reads any other shape."""

    type: str | None = None
    code: str | int | None = None
    message: str | None = None
    param: str | None = None


class IncompleteDetails(Struct, kw_only=True):
    """Why a response is incomplete."""

    reason: str | None = None


TokenCount = Annotated[int, Meta(ge=0, le=2**40)]
"""More than any response has, and small enough that sums fit everywhere."""


class InputTokensDetails(Struct, kw_only=True):
    """How many of the input tokens came from the cache."""

    cached_tokens: TokenCount | None = 0


class OutputTokensDetails(Struct, kw_only=True):
    """How many of the output tokens were reasoning."""

    reasoning_tokens: TokenCount | None = 0


class UsageObject(Struct, kw_only=True):
    """Token counts, as the provider reports them."""

    input_tokens: TokenCount = 0
    output_tokens: TokenCount = 0
    input_tokens_details: InputTokensDetails | None = None
    output_tokens_details: OutputTokensDetails | None = None


class ContentPart(Struct, kw_only=True):
    """A part of a message item."""

    type: str = ""
    text: str | None = None
    refusal: str | None = None


class OutputItem(Struct, kw_only=True):
    """An item of a response's output."""

    id: str | None = None
    type: str = ""
    phase: str | None = None
    """`commentary` or `final_answer`, on models that comment while they work."""
    content: list[ContentPart] | None = None


class ResponseObject(Struct, kw_only=True):
    """The parts of a `response` object that Redline reads."""

    id: str | None = None
    status: str | None = None
    model: str | None = None
    error: ErrorObject | None = None
    incomplete_details: IncompleteDetails | None = None
    background: bool | None = None
    """Whether it continues without a connection; None: the server does not say."""
    usage: Raw = NO_RAW
    """See `read_usage`: invalid counts must not invalidate the rest."""
    output: list[OutputItem] | None = None

    @property
    def text(self) -> str:
        """All output text, in order."""
        return "".join(
            part.text or ""
            for item in self.output or ()
            if item.type == "message"
            for part in item.content or ()
            if part.type == "output_text"
        )


class SteerObject(Struct, kw_only=True):
    """The steer of a `response.steer.*` event."""

    previous_response_id: str
    id: str | None = None
    input: Any = None  # A string or a list of messages, as the client sent it.


class InputContent(Struct, omit_defaults=True, kw_only=True):
    """One block of an input message."""

    type: str
    text: str = ""
    image_url: str = ""


class InputMessage(Struct, kw_only=True):
    """One input item. Items of other types are passed on unread."""

    role: str = ""
    content: str | list[InputContent] | None = None
    type: str = "message"
    encrypted_content: str | UnsetType = UNSET
    """In a `compaction`: the conversation that it replaces."""

    @property
    def text(self) -> str:
        """Its text, in either form of the content."""
        if isinstance(self.content, str):
            return self.content
        return "".join(block.text for block in self.content or ())


class Reasoning(Struct, omit_defaults=True, kw_only=True):
    """How much a model thinks, and how much of that it shows."""

    effort: str | None = None
    summary: str | None = None
    generate_summary: str | None = None
    context: str | None = None
    mode: str | None = None


class TextFormat(Struct, omit_defaults=True, kw_only=True):
    """The required form of an answer."""

    type: str | UnsetType = UNSET
    """`text`, `json_object` or `json_schema`; the other fields are for the last."""
    name: str | None = None
    description: str | None = None
    schema: Mapping[str, Any] | None = None  # A JSON Schema: any JSON.
    strict: bool | None = None


class TextOptions(Struct, omit_defaults=True, kw_only=True):
    format: TextFormat | None = None
    verbosity: str | None = None


class StreamOptions(Struct, omit_defaults=True, kw_only=True):
    include_obfuscation: bool | None = None
    """Whether deltas carry padding; None: the server's default, which is yes."""


class ResponseCreate(Struct, omit_defaults=True, kw_only=True):
    """The client's `response.create`; over HTTP the same without `type`."""

    type: Literal["response.create"] | UnsetType = UNSET
    model: str = ""
    input: str | list[InputMessage] = ""
    stream_id: str | None = None
    instructions: str | None = None
    previous_response_id: str | None = None
    store: bool | None = None
    generate: bool | None = None
    stream: bool | None = None
    background: bool | None = None
    reasoning: Reasoning | None = None
    max_output_tokens: int | None = None
    service_tier: str | None = None
    prompt_cache_key: str | None = None
    stream_options: StreamOptions | None = None
    text: TextOptions | None = None
    metadata: dict[str, str] | None = None
    redline_task: Raw | UnsetType = UNSET
    """The task as data, for Redline's own rules engine; not part of the protocol."""
    # The following fields are not read, only returned in the response.
    max_tool_calls: int | None = None
    parallel_tool_calls: bool | None = None
    prompt: Raw = NO_RAW
    prompt_cache_options: Raw = NO_RAW
    prompt_cache_retention: str | None = None
    safety_identifier: str | None = None
    temperature: float | None = None
    tool_choice: Raw = NO_RAW
    tools: Raw = NO_RAW
    top_logprobs: int | None = None
    top_p: float | None = None
    truncation: str | None = None
    user: str | None = None


class ResponseSteer(Struct, kw_only=True):
    """The client's `response.steer`."""

    previous_response_id: str
    input: str | list[InputMessage]
    type: Literal["response.steer"] = "response.steer"
    redline_task: Raw | UnsetType = UNSET
    """As in `ResponseCreate`: the current task."""


class _ClientHead(Struct):
    type: str = ""
    response: Raw = NO_RAW


_server_event = msgspec.json.Decoder(ServerEvent)
_raw_object = msgspec.json.Decoder(dict[str, Raw])
_client_head = msgspec.json.Decoder(_ClientHead)
_create = msgspec.json.Decoder(ResponseCreate)
_steer = msgspec.json.Decoder(ResponseSteer)
_response = msgspec.json.Decoder(ResponseObject)
_usage = msgspec.json.Decoder(UsageObject)
_item = msgspec.json.Decoder(OutputItem)
_steer_object = msgspec.json.Decoder(SteerObject)
_text = msgspec.json.Decoder(str)
_any_object = msgspec.json.Decoder(dict[str, Any])
_encoder = msgspec.json.Encoder()


def encode(event: Struct) -> bytes:
    """Encode an event of either side as JSON."""
    return _encoder.encode(event)


def decode_server_event(data: bytes | str) -> ServerEvent:
    """Decode an event from the server.

    Fields of an unexpected type are dropped, not fatal: an unknown event may use any
    name for anything.

    Raises:
        RemoteProtocolError: If the data is not a JSON object with a `type`, in UTF-8,
            or an increment of more than `MAX_DELTA_BYTES`.
    """
    try:
        if isinstance(data, bytes):
            # The decoder does not look into fields that are read later.
            data.decode()
        event = _server_event.decode(data)
    except UnicodeDecodeError as exc:
        return _error_in_other_encoding(data, exc)
    except UNREADABLE:
        return _decode_loosely(data)
    if len(data) > MAX_DELTA_BYTES and event.delta:
        raise RemoteProtocolError("The server sent an increment that is too large.")
    return event


def _error_in_other_encoding(
    data: bytes | str, error: UnicodeDecodeError
) -> ServerEvent:
    """Read an error event that is not UTF-8; any other event would lose text."""
    assert isinstance(data, bytes)
    event = _decode_loosely(data.decode("utf-8", "replace"))
    if event.type not in (ERROR, FAILED):
        raise RemoteProtocolError("The server sent something unreadable.") from error
    return event


@cache
def _field_decoders() -> Mapping[str, msgspec.json.Decoder[Any]]:
    hints = get_type_hints(ServerEvent)
    return {name: msgspec.json.Decoder(kind) for name, kind in hints.items()}


def _decode_loosely(data: bytes | str) -> ServerEvent:
    fields = _field_decoders()
    try:
        raw = _raw_object.decode(data)
        event = ServerEvent(type=fields["type"].decode(raw["type"]))
    except (*UNREADABLE, KeyError) as exc:
        raise RemoteProtocolError("The server sent something unreadable.") from exc
    for name in raw.keys() & fields.keys():
        with suppress(*UNREADABLE):
            setattr(event, name, fields[name].decode(raw[name]))
    return event


def decode_client_event(data: bytes | str) -> ResponseCreate | ResponseSteer:
    """Decode an event from a client, flat or nested under `response`.

    Raises:
        RemoteProtocolError: If it is not JSON, of an unknown type, or lacks a field;
            the message can be sent to the client.
    """
    try:
        head = _client_head.decode(data)
        if head.type == "response.steer":
            return _steer.decode(data)
        if head.type == "response.create":
            nested = bytes(head.response)
            return _create.decode(nested if nested != b"null" else data)
    except UNREADABLE as exc:
        raise RemoteProtocolError(f"Invalid event: {exc}") from exc
    raise RemoteProtocolError(f"Unknown event type: {head.type[:64]!r}")


def decode_create(data: bytes) -> ResponseCreate:
    """Decode the body of an HTTP request.

    Raises:
        RemoteProtocolError: If it is invalid; the message can be sent to the client.
    """
    try:
        # JSON is UTF-8 (RFC 8259 section 8.1), also in fields that are not read.
        return _create.decode(data.decode())
    except UNREADABLE as exc:
        raise RemoteProtocolError(f"Invalid request: {exc}") from exc


def read_response(event: ServerEvent) -> ResponseObject:
    """Read an event's `response`; an empty object if it has no readable one."""
    return try_decode(_response, event.response) or ResponseObject()


def read_usage(response: ResponseObject) -> UsageObject | None:
    """Read the token counts; None if they are absent or invalid."""
    return try_decode(_usage, response.usage)


def decode_response(data: bytes) -> ResponseObject:
    """Decode a `response` object outside of an event.

    Raises:
        RemoteProtocolError: If it is not one.
    """
    try:
        return _response.decode(data)
    except UNREADABLE as exc:
        raise RemoteProtocolError("The server sent something unreadable.") from exc


def read_item(event: ServerEvent) -> OutputItem:
    """Read an event's `item`; an empty object if it has no readable one."""
    return try_decode(_item, event.item) or OutputItem()


def read_steer(event: ServerEvent) -> SteerObject | None:
    """Read an event's `steer`; None if it has no readable one."""
    return try_decode(_steer_object, event.steer)


def read_failure(event: ServerEvent) -> Failure:
    """Read the failure in an `error`, `response.failed` or `response.steer.failed`."""
    headers = _object(event.headers)
    status = event.status or event.status_code
    error = _response_error(event) if event.type == FAILED else event.error
    if bytes(error) != NO_RAW and _object(error):
        return read_error(error, status=status, headers=headers)
    return Failure(
        message=event.message or _string(error),
        code=event.code,
        param=event.param,
        status=status,
        retry_after_s=retry_after_s(headers),
    )


def _response_error(event: ServerEvent) -> Raw:
    return (try_decode(_raw_object, event.response) or {}).get("error", NO_RAW)


def _string(raw: Raw) -> str:
    return try_decode(_text, raw) or ""


def _object(raw: Raw) -> dict[str, Any]:
    return try_decode(_any_object, raw) or {}
