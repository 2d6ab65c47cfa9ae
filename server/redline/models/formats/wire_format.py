"""The interface of every wire format over HTTP, without I/O.

A wire format writes requests and reads answers; `http_model.py` sends and receives
them. A reader takes the bytes of one answer, cut anywhere, and gives what they mean for
a generation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.stored_answers import StoredAnswers
from redline.models.interface import (
    Delta,
    FinishReason,
    GenerationRequest,
    Restart,
    Usage,
)
from redline.wire.failure import Failure


class AnswerBegun(Struct, frozen=True, kw_only=True):
    """The provider's id of the answer is known."""

    response_id: str


class AnswerEnd(Struct, frozen=True, kw_only=True):
    """The end of an answer as the provider reports it, at most one, the last item."""

    reason: FinishReason
    """`completed` only if the provider says so: an unknown reason is `length`, a cut
    answer."""
    usage: Usage | None = None
    response_id: str | None = None
    failure: Failure | None = None
    """Set if, and only if, `reason` is `failed`."""


class AnswerPart(Struct, frozen=True, kw_only=True):
    """The end of one part of an answer; another request gets the next one."""

    more: Mapping[str, object]
    """Fields to add to the body of the request, which is otherwise sent as before."""
    usage: Usage | None = None
    """The counts of this part; each part reads the prompt again."""


AnswerItem: TypeAlias = Delta | Restart | AnswerBegun | AnswerPart | AnswerEnd


class OfferedModel(Struct, frozen=True, kw_only=True):
    """A model that a provider lists."""

    name: str
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    sees: bool | None = None
    """Whether it reads images; None: the list does not say."""
    fills: bool | None = None
    """Whether it fills in the middle."""


class Abilities(Struct, frozen=True, kw_only=True):
    """What a wire format can do with a server, as far as is known without asking it."""

    stop: bool = True
    """Whether the server stops generating when the connection is closed."""
    schema: bool = True
    """Whether the server can enforce a JSON Schema."""
    images: bool = False
    """Whether images can be sent; the model may still refuse them."""
    background: bool = False
    cache: bool = False
    """Whether the server reports which input came from its prompt cache."""
    fill: bool = False
    """Whether it fills a `CodeGap`; if so, it does nothing else."""


def list_abilities(abilities: Abilities) -> tuple[str, ...]:
    """Name what a wire format can do."""
    return ("stream", *(name for name, can in asdict(abilities).items() if can))


class Inquiry(Protocol):
    """What to ask a server about a model before the first request to it."""

    @property
    def requests(self) -> Sequence[HttpRequest]:
        """The questions, each with a small answer."""

    def learn(self, answers: Sequence[bytes]) -> OfferedModel | None:
        """Read the answers, so that later requests are written by them.

        Args:
            answers: The body of each answer; empty if there was none.

        Returns:
            What the server says of the model; None: nothing.
        """


class AnswerReader(Protocol):
    def feed(self, chunk: bytes) -> Sequence[AnswerItem]:
        """Take the next bytes of the body, cut anywhere; return what they complete.

        Nothing is returned after an `AnswerEnd` or an `AnswerPart`.

        Raises:
            RemoteProtocolError: If the body is not of this wire format, or larger than
                the limits.
        """

    def finish(self) -> Sequence[AnswerItem]:
        """Take the end of the body, also an early one.

        Without an `AnswerEnd` or an `AnswerPart`, here or before, it was cut.
        """


class WireFormat(Protocol):
    """Writes the requests of one model and reads the answers."""

    @property
    def abilities(self) -> Abilities:
        """What it can do."""

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write the request of a streamed answer."""

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what a server refuses by a failure, if the request can do without."""

    def reader(self, request: GenerationRequest) -> AnswerReader:
        """Return a reader for one answer with status 200.

        Args:
            request: What is answered: signs in its text are no signs of the server.
        """

    def stored_answers(self) -> StoredAnswers | None:
        """Return the answers that the provider stores, for one generation; None: it
        stores none."""

    def inquiry(self) -> Inquiry | None:
        """Return the questions that come before the first request; None: there are
        none."""

    def key_headers(self, key: str) -> Mapping[str, str]:
        """Return the headers that carry the key."""

    def trial(self) -> HttpRequest | None:
        """Write a request that servers refuse without generating, because it has no
        input; None: there is none."""

    def warm_up(self) -> HttpRequest | None:
        """Write a request that opens a connection, or fills the prompt cache, and costs
        nothing; None: there is none."""

    def list_models(self) -> HttpRequest | None:
        """Write the request for the list of models; None: the server has no list."""

    def show(self) -> HttpRequest | None:
        """Write a request that fails if the server does not have the model; None: there
        is none."""

    def read_models(self, body: bytes) -> Sequence[OfferedModel]:
        """Read the list of models; empty if it is not one."""
