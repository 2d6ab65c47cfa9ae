"""What an engine is: it turns one request into pieces of an answer.

An engine knows no protocol. The gateway asks it with a prompt whose history is already
resolved, and takes the pieces one by one: an engine that is not asked for the next
piece waits (the reader is slow), and one whose iterator is closed must stop (the client
has gone).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Protocol

from redline.gateway.injected_faults import Faults
from redline.prompts.message import Prompt
from redline.prompts.task_data import GivenTask

CHARS_PER_TOKEN = 4
"""The gateway's estimate where an engine does not count: characters for a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRequest:
    """One answer to give."""

    response_id: str
    model: str
    """What the client asked for; an engine may have its own idea."""
    prompt: Prompt
    """Instructions, and the whole conversation, oldest first."""
    task: GivenTask | None = None
    """What the prompt was written from, where the client is Redline and sent it."""
    max_output_tokens: int | None = None
    """For engines that can save work; the gateway cuts the answer there anyway."""
    schema_name: str | None = None
    """What the client calls the JSON Schema that the answer should fit."""
    wants_json: bool = False
    """Whether the client reads the answer as JSON, with a schema or without."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A chunk of the answer, sent as one delta."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """A chunk of what the engine thinks before it answers."""

    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A chunk of the sentence by which the engine declines."""

    text: str


@dataclass(frozen=True, slots=True)
class NextItem:
    """The border between two output items, where a steer takes effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineUsage:
    """Token counts."""

    input_n_tokens: int
    output_n_tokens: int
    cached_n_tokens: int = 0
    reasoning_n_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How the answer ends, if not simply completed. Always the last piece."""

    incomplete_reason: str | None = None
    error_code: str | None = None
    """Set: the response fails."""
    error_message: str = ""
    usage: EngineUsage | None = None
    """None: estimated by the gateway."""


Piece = TextPiece | ReasoningPiece | Refused | NextItem | End


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineAnswer:
    """An answer that has not begun."""

    pieces: AsyncGenerator[Piece, None]
    tokens_per_s: float | None = None
    """Pace of its deltas; None: the gateway's own."""
    faults: Faults = field(default_factory=Faults)
    """What goes wrong on the way to the client; nothing, outside of tests."""


class Engine(Protocol):
    """Answers requests."""

    @property
    def models(self) -> tuple[str, ...]:
        """The names that `GET /v1/models` lists."""

    def answer(self, request: EngineRequest) -> EngineAnswer:
        """Begin an answer. Must not block; the work is in the iterator."""
