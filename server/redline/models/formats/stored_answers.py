"""The interface of the answers that a provider stores, without I/O.

A stored answer is generated without a connection; `background_stream.py` fetches it and
resumes its stream. Providers differ in addresses and in events: an implementation gives
the addresses, and translates events and answers to those of the Responses protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Protocol

import msgspec
from msgspec import Struct

from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.interface import GenerationRequest
from redline.wire.events import ServerEvent
from redline.wire.failure import Failure

RUNNING = frozenset({"queued", "in_progress"})
"""Values of `status` while the response is not finished (background guide)."""

ENDED = frozenset({"completed", "incomplete", "failed"})
"""Values of `status` that have a final event of their own."""

CANCELLED = "cancelled"


class RetrievedResponse(Struct, frozen=True, kw_only=True):
    """A background response as the provider returned it."""

    status: str
    body: msgspec.Raw
    """The whole `response` object."""

    def end_event(self) -> ServerEvent:
        """Return the event that would have ended its stream."""
        return ServerEvent(type=f"response.{self.status}", response=self.body)


class StoredAnswers(Protocol):
    """The stored answers of one endpoint, as one generation sees them."""

    @property
    def url(self) -> str:
        """Where answers are created; each is below it, by its id."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every request below it, in addition to the key."""

    @property
    def outlives_process(self) -> bool:
        """Whether a later process can resume after the number of an event."""

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write the request that creates an answer and streams it."""

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what a server refuses by a failure, if the request can do without."""

    def resumption_query(self, starting_after: int | None) -> Mapping[str, str]:
        """Return the query that resumes a stream.

        Args:
            starting_after: Number of the last known event; None: from the start.
        """

    def read(self, body: bytes) -> RetrievedResponse:
        """Read an answer that was fetched.

        Raises:
            RemoteProtocolError: If it is not one.
        """

    def decode(self, data: bytes) -> Sequence[ServerEvent]:
        """Decode the data of an event of a stream; the events are numbered.

        Raises:
            RemoteProtocolError: If it is not one.
        """
