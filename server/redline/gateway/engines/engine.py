"""The interface of engines, which turn a request into pieces of an answer.

An engine knows no protocol. The gateway passes it a prompt with its history resolved,
and takes the pieces one by one. If the reader is slow, the gateway does not ask for the
next piece. If the client has disconnected, the gateway closes the iterator, and the
engine must stop.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Literal, Protocol

from msgspec import Struct, field

from redline.gateway.injected_faults import Faults
from redline.prompts.message import JsonSchema, Prompt
from redline.prompts.task_data import GivenTask
from redline.wire.events import TaskKind

CHARS_PER_TOKEN = 4
"""Characters per token, to estimate usage if an engine does not count."""


class EngineRequest(Struct, frozen=True, kw_only=True):
    """One request for an answer."""

    response_id: str
    model: str
    """The model that the client named; an engine may ignore it."""
    prompt: Prompt
    """Instructions, and the whole conversation, oldest first."""
    task: GivenTask | None = None
    """The task behind the prompt, if the client is Redline and sent it."""
    max_output_tokens: int | None = None
    """Lets engines save work; the gateway cuts the answer of an engine that does not
    count tokens there anyway."""
    text_format: JsonSchema | None = None
    """The form of the answer, if the client reads it as JSON."""
    cache_key: str | None = None
    """The client's key for the prompt cache: the same for one workspace."""
    cache_salt: str | None = None
    """Whose prompts may share a prompt cache."""
    kind: TaskKind = "edit"
    trace: str | None = None
    """The client's `traceparent` (W3C Trace Context), valid."""
    taker: PieceTaker | None = None
    """Takes pieces that come while the reader waits, in its place: to wake the reader
    costs more than a delta. An engine need not use it."""


class PieceTaker(Protocol):
    """Takes some pieces of an answer in the place of its reader, in their order."""

    @property
    def is_ready(self) -> bool:
        """Whether it takes a piece now; else the reader gets it, as always the first
        text."""

    def take(self, piece: TextPiece | Correction) -> None:
        """Take a piece."""


PieceKind = Literal["text", "reasoning", "refusal"]


class TextPiece(Struct, frozen=True):
    """A chunk of the answer, of its reasoning or of a refusal, sent as one delta."""

    text: str
    kind: PieceKind = "text"


class Correction(Struct, frozen=True):
    """The text of the answer so far is void: it is now `text`, and continues there."""

    text: str


class NextItem(Struct, frozen=True):
    """The border between two output items, where a steer takes effect."""


class EngineUsage(Struct, frozen=True, kw_only=True):
    """Token counts."""

    input_n_tokens: int
    output_n_tokens: int
    cached_n_tokens: int = 0
    reasoning_n_tokens: int = 0


class End(Struct, frozen=True, kw_only=True):
    """The end of the answer, if it does not simply complete. Always the last piece."""

    incomplete_reason: str | None = None
    error_code: str | None = None
    """Set: the response fails."""
    error_message: str = ""
    error_status: int | None = None
    """Set: a failure before any output refuses the request with this HTTP status."""
    retry_after_s: float | None = None
    """When the client may send a failed request again, if the engine knows."""
    usage: EngineUsage | None = None
    """The token counts; None: the gateway estimates them."""


Piece = TextPiece | Correction | NextItem | End


class EngineAnswer(Struct, frozen=True, kw_only=True):
    """An answer that has not started."""

    pieces: AsyncGenerator[Piece, None]
    tokens_per_s: float | None = None
    """Pace of its deltas; None: the gateway's own."""
    counts_tokens: bool = False
    """Whether the engine itself ends the answer at `max_output_tokens`."""
    has_own_pace: bool = False
    """Whether the pieces come from elsewhere, so that each one is waited for."""
    faults: Faults = field(default_factory=Faults)
    """Faults to inject on the way to the client; empty except in tests."""


class Engine(Protocol):
    """Answers requests."""

    @property
    def models(self) -> tuple[str, ...]:
        """The names that `GET /v1/models` lists."""

    def answer(self, request: EngineRequest) -> EngineAnswer:
        """Begin an answer. Must not block: the work happens in the iterator."""
