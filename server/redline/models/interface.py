"""The interface that every provider implements.

A `Model` starts generations; a `Generation` streams what one of them writes. Nothing
here knows a wire format: provider modules translate both ways.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec
from msgspec import Struct, field

from redline.errors import ModelError
from redline.prompts.message import JsonSchema, Prompt
from redline.wire.events import TaskKind

if TYPE_CHECKING:
    from redline.prompts.task_data import GivenTask

FinishReason = Literal["completed", "length", "filtered", "stopped", "failed"]
DeltaKind = Literal["text", "reasoning", "refusal"]
ConnectionState = Literal["cold", "connecting", "ready", "fallback", "down"]


class GenerationRequest(Struct, frozen=True, kw_only=True):
    prompt: Prompt
    """The whole input, even if `previous` is set: the model module decides whether it
    can send only the increment."""

    previous: str | None = None
    """`Finish.response_id` of the generation that this one continues in a session:
    `prompt` is that generation's prompt, its answer, and further chat messages."""

    task: GivenTask | None = None
    """The task as data, sent only to a server that is configured for it: Redline's own
    rules engine. Its secrets are redacted like those of the prompt."""

    n_previous_messages: int = 0
    """How many leading chat messages of `prompt` the server already has if it still has
    `previous`; the rest is the increment."""

    kind: TaskKind | None = None
    """What it is for; a team's gateway answers edits first."""

    gap_s: float = 0.0
    """Time between two deltas to the reader, on average; deltas that arrive sooner are
    merged. The first delta and the finish are not delayed."""

    max_output_tokens: int | None = None
    cache_key: str | None = None
    """Routing key for the provider's prompt cache; the same for one workspace."""

    cache_salt: str | None = None
    """Keeps the prompts of one user apart from those of others in the prompt cache of a
    server that they share, if the server can do this: its times tell nothing then."""

    headers: Mapping[str, str] = field(default_factory=dict)
    """Further headers of a request over HTTP, for a router in front of the model."""

    text_format: JsonSchema | None = None
    """The format that the answer should have. It is left out silently for a server that
    refuses it, so readers must accept any text."""

    background: bool = False
    """Whether the provider should continue without a connection and store the answer:
    see `Model.resume`. A model that cannot do this generates as usual."""

    first_delta_s: float | None = None
    """Longest wait for the first delta; None: as in the settings. A model that thinks
    for long before it answers needs minutes."""

    stall_s: float | None = None
    """Longest silence after the first delta; None: as in the settings."""

    generation_s: float | None = None
    """Longest time from start to end; None: as in the settings."""

    on_begun: Callable[[str], None] | None = None
    """Called with the provider's id of the response as soon as it is known, which may
    be long before the first delta; called again if the request is sent again. Must not
    raise."""

    taker: DeltaTaker | None = None
    """Takes what comes while the reader waits, in its place: to wake the reader costs
    more than a delta. A model need not use it."""


class ResumeRequest(Struct, frozen=True, kw_only=True):
    """A background response to resume."""

    response_id: str
    """`Generation.response_id` of the interrupted generation."""

    starting_after: int | None = None
    """`Generation.sequence_number` of the interrupted generation; None: from the start,
    with a `Restart` if there was any text."""

    text: str | None = None
    """The answer up to that event, as the reader has it. None: unknown, so the deltas
    end with a `Restart` that holds the whole text."""

    first_delta_s: float | None = None
    """As in `GenerationRequest`."""

    stall_s: float | None = None
    """As in `GenerationRequest`."""


class Delta(msgspec.Struct, frozen=True):
    """An increment of the answer. Deltas of one kind that arrived while the reader was
    busy are merged."""

    text: str
    kind: DeltaKind = "text"


class Restart(Struct, frozen=True):
    """The answer so far is void: it is now `text`, and continues from there.

    Sent when the successor of a steered response begins (`text` is empty), and when a
    provider's final text contradicts its stream.
    """

    text: str = ""


class DeltaTaker(Protocol):
    """Takes some events of a generation in the place of its reader, in their order."""

    @property
    def is_ready(self) -> bool:
        """Whether it takes an event now; else the reader gets it."""

    def take(self, event: Delta | Restart) -> None:
        """Take an event. An error fails the generation."""


class Usage(Struct, frozen=True, kw_only=True):
    """Token counts of one generation, as the provider reports them."""

    input_n_tokens: int = 0
    cached_n_tokens: int = 0
    output_n_tokens: int = 0
    reasoning_n_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_n_tokens=self.input_n_tokens + other.input_n_tokens,
            cached_n_tokens=self.cached_n_tokens + other.cached_n_tokens,
            output_n_tokens=self.output_n_tokens + other.output_n_tokens,
            reasoning_n_tokens=self.reasoning_n_tokens + other.reasoning_n_tokens,
        )


class Timing(Struct, frozen=True, kw_only=True):
    """When things happened, in seconds of the event loop's clock; None: never."""

    started: float
    sent: float | None = None
    """When the request was written to the socket."""
    first_delta: float | None = None
    last_delta: float | None = None
    n_deltas: int = 0


class Finish(Struct, frozen=True, kw_only=True):
    """The end of a generation, exactly one, always the last event."""

    reason: FinishReason
    usage: Usage | None = None
    response_id: str | None = None
    sequence_number: int | None = None
    """Sequence number of the last event; None: the provider does not number them."""
    error: ModelError | None = None
    """Set if, and only if, `reason` is `failed`."""


class Generation(Protocol):
    """One model call while it runs."""

    @property
    def response_id(self) -> str | None:
        """The provider's id, once it is known."""

    @property
    def sequence_number(self) -> int | None:
        """Sequence number of the last event that the reader has fully taken, for
        `Model.resume`. None: nothing was taken, or events are not numbered."""

    @property
    def timing(self) -> Timing:
        """The times of what has happened so far."""

    def __aiter__(self) -> AsyncIterator[Delta | Restart | Finish]:
        """Yield deltas, then exactly one `Finish`. Does not raise `ModelError`."""

    def stop(self) -> None:
        """Stop at once: no delta is delivered after this returns, the iterator ends
        with `Finish("stopped")`, and the provider is notified as fast as its protocol
        allows: a background response is cancelled. Idempotent; does nothing after the
        finish.
        """

    async def steer(self, text: str, *, task: GivenTask | None = None) -> bool:
        """Send a new instruction to the running generation.

        Args:
            text: The instruction, for a model.
            task: The task as it is now, as in `GenerationRequest`.

        Returns:
            True once the provider has begun the successor, whose deltas then follow
            after a `Restart`; False if the provider cannot, refused, did not answer in
            time, or the generation ended first.
        """


class ModelDescription(Struct, frozen=True, kw_only=True):
    """What is known of a model without connecting to it."""

    label: str
    """Its name in the settings."""
    name: str
    """Its name at the provider."""
    api: str
    host: str
    context_tokens: int
    provider: str | None = None
    """The provider's name for people; None: not in the table."""
    can: tuple[str, ...] = ()
    """What it can do, as far as is known without asking it, each in a word."""
    is_model: bool = True
    """False for the built-in rules engine."""
    can_steer: bool = False
    reads_images: bool = False
    """Whether images can be sent to it; unknown models are not sent any."""
    keeps_background: bool = False
    """Whether `GenerationRequest.background` has an effect."""
    input_price: float | None = None
    """US dollars for a million input tokens; None: unknown."""
    cached_price: float | None = None
    """For input that was in the provider's cache; None: as any input."""
    output_price: float | None = None

    @property
    def title(self) -> str:
        """The model, for messages: its label, its name, and where it is."""
        if not self.is_model:
            return self.label
        where = self.provider or _without_port(self.host)
        place = f"{self.name} at {where}" if where else self.name
        return place if self.label == self.name else f"{self.label} ({place})"


class ModelStatus(Struct, frozen=True, kw_only=True):
    """The state of a model's connection."""

    state: ConnectionState
    detail: str = ""
    """One sentence for the user if the state is not `ready`."""
    advice: str = ""
    """What slows down a connection that works, and what to do about it."""
    n_sockets: int = 0
    wasted_n_tokens: int = 0
    """Estimated tokens of stopped and losing generations since the start."""
    handshake_s: float | None = None


class Probe(Struct, frozen=True, kw_only=True):
    """What `redline doctor` learns by connecting once."""

    reachable: bool
    handshake_s: float | None = None
    error: ModelError | None = None
    untried: tuple[str, ...] = ()
    """What was not tested, each in a few words."""


class Model(Protocol):
    """A configured model of any provider."""

    def describe(self) -> ModelDescription:
        """Return what is known without connecting."""

    def status(self) -> ModelStatus:
        """Return the current state of its connection."""

    def start(
        self, request: GenerationRequest
    ) -> AbstractAsyncContextManager[Generation]:
        """Start a generation; over a warm connection it is sent before this returns.

        Enter the context always: leaving it early stops the generation and releases the
        lane or connection; only a background response continues at its provider, for
        `resume` or `cancel`. It also continues if the generation fails, for instance by
        a time limit. Nothing waits for the network: a failure to connect is the
        iterator's `Finish("failed")`.
        """

    def resume(self, request: ResumeRequest) -> AbstractAsyncContextManager[Generation]:
        """Resume a background response, of this process or an earlier one.

        As `start`, but yields the deltas after an event, and a finish with the usage of
        the whole response. `Finish("stopped")` means that it was cancelled. A response
        that is lost or was never stored yields a `Finish("failed")` with a
        `ResponseLostError`; the caller must start again.
        """

    async def cancel(self, response_id: str) -> None:
        """Cancel a background response; does nothing if it has ended or is unknown.

        Raises:
            ModelError: If the provider could not be asked, or refused.
        """

    async def forget(self, response_id: str) -> None:
        """Delete an ended background response; does nothing if it is unknown.

        Raises:
            ModelError: If the provider could not be asked, or refused.
        """

    async def warm(self) -> None:
        """Connect in advance. Never raises `ModelError`: see `status`."""

    def activity(self) -> None:
        """Report activity of the developer, which keeps the connection's window open
        for a short while. Cheap enough to call for every keystroke."""

    async def probe(self) -> Probe:
        """Connect once, for `redline doctor`, and return the outcome."""

    async def aclose(self) -> None:
        """Close every connection; idempotent."""


def _without_port(host: str) -> str:
    """Return a host's name: ports differ from run to run and say little."""
    name, _, port = host.rpartition(":")
    return name if name and port.isdigit() else host
