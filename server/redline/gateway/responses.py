"""The complete `response` object, for clients with strict types.

A reduced object is enough for us, but the official SDK's types require every field that
is not optional (openai-python 3.52 `types/responses/response.py`), so all are sent.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Raw, Struct, field

from redline.gateway.engines.engine import CHARS_PER_TOKEN, EngineUsage
from redline.wire.events import (
    NO_RAW,
    ErrorObject,
    IncompleteDetails,
    OutputTokensDetails,
    Reasoning,
    ResponseCreate,
    TextFormat,
    TextOptions,
)

_ECHOED = (
    "max_tool_calls",
    "parallel_tool_calls",
    "prompt",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
)

Status = Literal[
    "queued", "in_progress", "completed", "incomplete", "failed", "cancelled"
]


_AUTO, _NONE = Raw(b'"auto"'), Raw(b"[]")


class OutputText(Struct, kw_only=True, tag_field="type", tag="output_text"):
    """A part of a message: text of the model."""

    text: str
    annotations: list[str] = field(default_factory=list)
    logprobs: list[str] = field(default_factory=list)


class OutputRefusal(Struct, kw_only=True, tag_field="type", tag="refusal"):
    """A part of a message: the model's refusal."""

    refusal: str


class ReasoningText(Struct, kw_only=True, tag_field="type", tag="reasoning_text"):
    """A part of a reasoning item."""

    text: str


Part = OutputText | OutputRefusal | ReasoningText


class MessageItem(Struct, kw_only=True, tag_field="type", tag="message"):
    """An output item with the answer or a part of it."""

    id: str
    status: Status = "in_progress"
    role: str = "assistant"
    phase: str = "final_answer"
    content: list[Part] = field(default_factory=list)


class ReasoningItem(Struct, kw_only=True, tag_field="type", tag="reasoning"):
    """An output item with the model's reasoning."""

    id: str
    status: Status = "in_progress"
    summary: list[str] = field(default_factory=list)
    content: list[Part] = field(default_factory=list)


Item = MessageItem | ReasoningItem


class InputDetails(Struct, kw_only=True):
    """Details of the input tokens."""

    cached_tokens: int = 0
    cache_write_tokens: int = 0


class FullUsage(Struct, kw_only=True):
    """Token counts."""

    input_tokens: int
    input_tokens_details: InputDetails
    output_tokens: int
    output_tokens_details: OutputTokensDetails
    total_tokens: int


class Response(Struct, kw_only=True):
    """One response, in any state."""

    id: str
    created_at: int
    model: str
    status: Status = "in_progress"
    object_: str = field(default="response", name="object")
    background: bool = False
    completed_at: int | None = None
    error: ErrorObject | None = None
    incomplete_details: IncompleteDetails | None = None
    instructions: str | None = None
    max_output_tokens: int | None = None
    max_tool_calls: int | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    output: list[Item] = field(default_factory=list)
    parallel_tool_calls: bool = True
    previous_response_id: str | None = None
    prompt: Raw = NO_RAW
    prompt_cache_key: str | None = None
    prompt_cache_options: Raw = NO_RAW
    prompt_cache_retention: str | None = None
    reasoning: Reasoning = field(default_factory=Reasoning)
    safety_identifier: str | None = None
    service_tier: str = "default"
    store: bool = True
    temperature: float = 1.0
    text: dict[str, object]
    tool_choice: Raw = _AUTO
    tools: Raw = _NONE
    top_logprobs: int = 0
    top_p: float = 1.0
    truncation: str = "disabled"
    usage: FullUsage | None = None
    user: str | None = None

    @property
    def output_text(self) -> str:
        """The text of all messages, with refusals, for the conversation's history."""
        return "".join(
            part.refusal if isinstance(part, OutputRefusal) else part.text
            for item in self.output
            if isinstance(item, MessageItem)
            for part in item.content
        )


def new_response(
    create: ResponseCreate, *, response_id: str, previous: str | None, now: float
) -> Response:
    """Begin the response to a request.

    Args:
        create: The request.
        response_id: The id of this response.
        previous: The response it continues, or succeeds after a steer.
        now: Seconds since the epoch.
    """
    return Response(
        id=response_id,
        created_at=int(now),
        model=create.model,
        instructions=create.instructions,
        max_output_tokens=create.max_output_tokens,
        metadata=create.metadata or {},
        previous_response_id=previous,
        prompt_cache_key=create.prompt_cache_key,
        background=create.background is True,
        text=_text(create.text),
        reasoning=create.reasoning or Reasoning(),
        store=create.store is not False,
        **_echoed(create),
    )


def _echoed(create: ResponseCreate) -> dict[str, Any]:  # Of any type.
    """Return the fields that the gateway only echoes, if the client set them."""
    given = {name: getattr(create, name) for name in _ECHOED}
    unset = (None, NO_RAW)
    return {name: value for name, value in given.items() if value not in unset}


def _text(options: TextOptions | None) -> dict[str, object]:
    options = options or TextOptions()
    return {
        "format": options.format or TextFormat(type="text"),
        "verbosity": options.verbosity or "medium",
    }


def n_tokens(n_chars: int) -> int:
    """Estimate the number of tokens of a number of characters."""
    return -(-n_chars // CHARS_PER_TOKEN)


def estimated_usage(
    *, n_input_chars: int, n_said_chars: int, n_thought_chars: int
) -> EngineUsage:
    """Estimate token counts from characters.

    Args:
        n_input_chars: Characters of the prompt.
        n_said_chars: Characters of all output, reasoning included.
        n_thought_chars: Of those, the reasoning.
    """
    return EngineUsage(
        input_n_tokens=n_tokens(n_input_chars),
        output_n_tokens=n_tokens(n_said_chars),
        reasoning_n_tokens=n_tokens(n_thought_chars),
    )


def full_usage(usage: EngineUsage) -> FullUsage:
    """Convert token counts to the protocol's form."""
    return FullUsage(
        input_tokens=usage.input_n_tokens,
        input_tokens_details=InputDetails(cached_tokens=usage.cached_n_tokens),
        output_tokens=usage.output_n_tokens,
        output_tokens_details=OutputTokensDetails(
            reasoning_tokens=usage.reasoning_n_tokens
        ),
        total_tokens=usage.input_n_tokens + usage.output_n_tokens,
    )
