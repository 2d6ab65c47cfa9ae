"""The answers that OpenAI and servers with its protocol store, without I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import msgspec

from redline.models.failures import is_format_refusal
from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.request import background_create
from redline.models.formats.sse_reader import END_MARK
from redline.models.formats.stored_answers import RetrievedResponse
from redline.models.interface import GenerationRequest
from redline.settings.tree import ModelSettings
from redline.wire import events
from redline.wire.events import ServerEvent
from redline.wire.failure import Failure

_REFUSED = (400, 404, 422, 501)
"""How servers without background responses refuse them: vLLM and SGLang with 400,
unless they are started with a store."""


class StoredResponses:
    """The responses below `…/v1/responses`."""

    outlives_process = True
    headers: Mapping[str, str] = {}

    def __init__(self, settings: ModelSettings, *, url: str) -> None:
        self.url = url
        self._settings = settings

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
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
