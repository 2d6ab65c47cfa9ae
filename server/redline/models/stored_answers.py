"""The answers that a provider stores, without I/O: the interface, and OpenAI's.

A stored answer is generated without a connection; `background_stream.py` fetches it and
resumes its stream. Providers differ in addresses and in events: an implementation gives
the addresses, and translates events and answers to those of the Responses protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Protocol

import msgspec
from msgspec import Struct

from redline.models.failures import is_format_refusal
from redline.models.interface import GenerationRequest
from redline.models.request import background_create
from redline.models.sse_reader import END_MARK
from redline.models.wire_format import NOTHING, HttpRequest, OptionalField
from redline.settings.tree import ModelSettings
from redline.wire import events
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


_REFUSED = (400, 404, 422, 501)
"""How servers without background responses refuse them: vLLM and SGLang with 400,
unless they are started with a store."""


class StoredResponses:
    """The responses below `…/v1/responses`."""

    outlives_process = True
    headers: Mapping[str, str] = {}

    def __init__(self, settings: ModelSettings, *, url: str) -> None:
        """Begin.

        Args:
            settings: The model's own settings.
            url: The endpoint, by HTTP.
        """
        self.url = url
        self._settings = settings

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write the request; see `StoredAnswers.write`."""
        has_format = "format" not in leaving_out
        create = background_create(request, self._settings, has_format=has_format)
        return HttpRequest(url=self.url, body=events.encode(create))

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what the server refuses: a format of the answer, or to keep it."""
        if is_format_refusal(failure):
            return "format"
        words = f"{failure.param} {failure.message}".lower()
        is_refused = failure.status in _REFUSED and any(
            word in words for word in ("background", "store")
        )
        return "background" if is_refused else None

    def resumption_query(self, starting_after: int | None) -> Mapping[str, str]:
        """Return the query that resumes a stream."""
        query = {"stream": "true", "include_obfuscation": "false"}
        if starting_after is not None:
            query["starting_after"] = str(starting_after)
        return query

    def read(self, body: bytes) -> RetrievedResponse:
        """Read a response that was fetched."""
        status = events.decode_response(body).status
        return RetrievedResponse(status=status or "", body=msgspec.Raw(body))

    def decode(self, data: bytes) -> Sequence[ServerEvent]:
        """Decode an event; the end mark that some servers add is none."""
        return () if data == END_MARK else (events.decode_server_event(data),)
