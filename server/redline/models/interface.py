"""The one interface behind which every provider sits.

A `Model` starts generations; a `Generation` streams what one of them writes. Nothing
here knows a wire format: provider modules translate both ways.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from redline.errors import ModelError
from redline.prompts.message import JsonSchema, Prompt

if TYPE_CHECKING:
    from redline.prompts.task_data import GivenTask

FinishReason = Literal["completed", "length", "filtered", "stopped", "failed"]
DeltaKind = Literal["text", "reasoning", "refusal"]
ConnectionState = Literal["cold", "connecting", "ready", "fallback", "down"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """One generation to start."""

    prompt: Prompt
    """All that the model is told, also when `previous` is set: the model module sends
    the increment where it can and the whole where it must, unseen by the caller."""

    previous: str | None = None
    """`Finish.response_id` of the generation this one follows inside one session: its
    prompt is that generation's prompt, its answer, and further chat messages."""

    task: GivenTask | None = None
    """The same as data, sent only to a server that is set to take it: Redline's own
    rules engine. Its secrets are as hidden as the prompt's."""

    n_previous_messages: int = 0
    """How many leading chat messages of `prompt` the server already has when it still
    knows `previous`; the rest is the increment."""

    gap_s: float = 0.0
    """Least time between two deltas to the reader; what comes sooner is merged. The
    first one comes at once, and so does the finish."""

    max_output_tokens: int | None = None
    cache_key: str | None = None
    """Routing key for the provider's prompt cache; the same for one workspace."""

    text_format: JsonSchema | None = None
    """The form that the answer should have. Left out, unseen, for a server that refuses
    it: whoever reads must cope with any text."""

    background: bool = False
    """Whether the provider should work on without us, and keep the answer: see
    `Model.resume`. A model that does not keep it generates as always."""

    first_delta_s: float | None = None
    """Longest wait for the first delta; None: as in the settings. A model that thinks
    for long before it answers needs minutes."""

    stall_s: float | None = None
    """Longest silence after that; None: as in the settings."""

    on_begun: Callable[[str], None] | None = None
    """Told the provider's id of the response as soon as it is known, which may be long
    before the first delta; again if the request had to be sent again. Must not
    raise."""


class Delta(msgspec.Struct, frozen=True):
    """An increment of the answer. Deltas of one kind that arrived while the reader was
    busy come as one."""

    text: str
    kind: DeltaKind = "text"


@dataclass(frozen=True, slots=True)
class Restart:
    """The answer so far is void: it is `text` now, and goes on from there.

    Comes when a steered response ended and its successor begins (`text` is empty), and
    when a provider's final text contradicts what it had streamed.
    """

    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one generation, as the provider reports them."""

    input_n_tokens: int = 0
    cached_n_tokens: int = 0
    output_n_tokens: int = 0
    reasoning_n_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Count two generations together."""
        return Usage(
            input_n_tokens=self.input_n_tokens + other.input_n_tokens,
            cached_n_tokens=self.cached_n_tokens + other.cached_n_tokens,
            output_n_tokens=self.output_n_tokens + other.output_n_tokens,
            reasoning_n_tokens=self.reasoning_n_tokens + other.reasoning_n_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """When things happened, in seconds of the event loop's clock; None: never."""

    started: float
    sent: float | None = None
    """The request was handed to the socket."""
    first_delta: float | None = None
    last_delta: float | None = None
    n_deltas: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The end of a generation, exactly one, always the last event."""

    reason: FinishReason
    usage: Usage | None = None
    response_id: str | None = None
    sequence_number: int | None = None
    """Of the last event heard; None: the provider does not number them."""
    error: ModelError | None = None
    """Set if, and only if, `reason` is `failed`."""


class Generation(Protocol):
    """One model call while it runs."""

    @property
    def response_id(self) -> str | None:
        """The provider's id, once it is known."""

    @property
    def sequence_number(self) -> int | None:
        """Of the last event of which the reader has taken all: what comes after it is
        what `Model.resume` should bring. None: nothing taken, or not numbered."""

    @property
    def timing(self) -> Timing:
        """What has happened so far."""

    def __aiter__(self) -> AsyncIterator[Delta | Restart | Finish]:
        """Yield deltas, then exactly one `Finish`. Does not raise `ModelError`."""

    def stop(self) -> None:
        """Stop at once: no delta is delivered after this returns, the iterator ends
        with `Finish("stopped")`, and the provider is told as fast as its protocol can:
        a background response is cancelled. Idempotent; does nothing after the finish.
        """

    async def steer(self, text: str, *, task: GivenTask | None = None) -> bool:
        """Hand a new instruction to the running generation.

        Args:
            text: The instruction, for a model.
            task: The task as it is now, as in `GenerationRequest`.

        Returns:
            True once the provider has begun the successor, whose deltas then follow
            after a `Restart`; False if the provider cannot, refused, did not answer in
            time, or the generation ended first.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDescription:
    """What is known of a model without asking it."""

    label: str
    """Its name in the settings."""
    name: str
    """Its name at the provider."""
    api: str
    host: str
    context_tokens: int
    is_model: bool = True
    """False for the built-in rules engine."""
    can_steer: bool = False
    keeps_background: bool = False
    """Whether `GenerationRequest.background` has an effect."""
    input_price: float | None = None
    """US dollars for a million input tokens; None: unknown."""
    cached_price: float | None = None
    """For input that was in the provider's cache; None: as any input."""
    output_price: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """How a model's connection stands."""

    state: ConnectionState
    detail: str = ""
    """One sentence for people when the state is not `ready`."""
    n_sockets: int = 0
    wasted_n_tokens: int = 0
    """Estimated tokens of stopped and losing generations, since start."""
    handshake_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What `redline doctor` learns by connecting once."""

    reachable: bool
    handshake_s: float | None = None
    error: ModelError | None = field(default=None)
    untried: tuple[str, ...] = ()
    """What was not asked, each a few words."""


class Model(Protocol):
    """A configured model, whatever its provider."""

    def describe(self) -> ModelDescription:
        """What is known of it without asking."""

    def status(self) -> ModelStatus:
        """How its connection stands now."""

    def start(
        self, request: GenerationRequest
    ) -> AbstractAsyncContextManager[Generation]:
        """Start a generation.

        Leaving the context early stops it and always releases the lane or connection;
        only a background response is left to go on at its provider, for `resume` or
        `cancel`. So it is when the generation fails, by a time limit for instance.
        Entering does not wait for the network: a failure to connect is the iterator's
        `Finish("failed")`.
        """

    def resume(
        self,
        response_id: str,
        *,
        starting_after: int | None = None,
        text: str | None = None,
        first_delta_s: float | None = None,
        stall_s: float | None = None,
    ) -> AbstractAsyncContextManager[Generation]:
        """Go on with a background response, of this process or an earlier one.

        As `start`, but for what it brings: the deltas after an event, and the finish
        with the usage of the whole. `Finish("stopped")` says that it was cancelled. A
        response that is not there any more, or was never kept, is a
        `Finish("failed")` with a `ResponseLostError`: ask again.

        Args:
            response_id: `Generation.response_id` of then.
            starting_after: `Generation.sequence_number` of then; None: from the start,
                with a `Restart` if there was any text.
            text: The answer up to there, as the reader has it. None: not known, so the
                deltas end with a `Restart` that has the whole text.
            first_delta_s: As in `GenerationRequest`.
            stall_s: As in `GenerationRequest`.
        """

    async def cancel(self, response_id: str) -> None:
        """Have the provider cancel a background response; nothing if it has ended, or
        is not known there.

        Raises:
            ModelError: If the provider could not be asked, or refused.
        """

    async def forget(self, response_id: str) -> None:
        """Have the provider delete a background response that has ended, as nobody will
        resume it; nothing if it is not known there.

        Raises:
            ModelError: If the provider could not be asked, or refused.
        """

    async def warm(self) -> None:
        """Connect before it is needed. Never raises `ModelError`: see `status`."""

    def activity(self) -> None:
        """Say that the developer is at work: keeps the connection's window open for a
        short while. Cheap enough for every keystroke."""

    async def probe(self) -> Probe:
        """Connect once, for `redline doctor`, and say how it went."""

    async def aclose(self) -> None:
        """Close every connection; idempotent."""
