"""The background responses that a provider stores, by their ids."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from redline.errors import ModelError, ResponseLostError
from redline.models.failures import failure_error, lost_error, unreadable_error
from redline.models.formats.http_request import HttpRequest
from redline.models.formats.stored_answers import RetrievedResponse, StoredAnswers
from redline.models.formats.wire_format import WireFormat
from redline.models.http.http_failure import read_refusal
from redline.models.http.http_session import HttpSession
from redline.supervisor import Supervisor
from redline.wire.sse import MAX_EVENT_BYTES

if TYPE_CHECKING:
    from redline.models.http.http_client import HttpAnswer, HttpClient

logger = logging.getLogger(__name__)

_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.:-]{0,511}")
"""Ids that are safe in a URL: a provider may send any text as an id."""

_GONE = frozenset({404, 410})

_DISCARD_LIMIT_S = 2.0
"""How long the end of a model waits for what is to be discarded."""


class ResponseRetrieval:
    """Fetches, cancels, deletes and streams the stored responses of one endpoint."""

    def __init__(
        self,
        client: HttpClient,
        headers: Mapping[str, str],
        stored: StoredAnswers,
        *,
        model: str,
    ) -> None:
        self._client = client
        self._headers = headers
        self._stored = stored
        self._model = model

    async def fetch(self, response_id: str) -> RetrievedResponse:
        """Fetch a response.

        Raises:
            ResponseLostError: If it is not there (any more).
            ModelError: If the request fails.
            RemoteProtocolError: If the answer is not a response.
        """
        return self._stored.read(await self._call("GET", response_id))

    async def cancel(self, response_id: str) -> None:
        """Cancel a response; does nothing if it has ended.

        Raises:
            ResponseLostError: If it is not there (any more).
            ModelError: If it could not be cancelled.
        """
        await self._call("POST", response_id, end="/cancel")

    async def delete(self, response_id: str) -> None:
        """Delete a response.

        Raises:
            ResponseLostError: If it is not there (any more).
            ModelError: If it could not be deleted.
        """
        await self._call("DELETE", response_id)

    @asynccontextmanager
    async def stream(
        self, response_id: str, *, starting_after: int | None, read_s: float
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """Resume the stream of a response.

        Args:
            response_id: The id of the response.
            starting_after: Sequence number of the last known event; None: from the
                start.
            read_s: Longest silence.

        Raises:
            ResponseLostError: If it is not there (any more).
            ModelRejectedError: If it cannot be streamed.
            ModelError: If the request fails, or the stream breaks while it is read.
        """
        async with self._client.send(
            HttpRequest(
                method="GET",
                url=self._url(
                    response_id, query=self._stored.resumption_query(starting_after)
                ),
                headers=self._stored.headers,
            ),
            self._headers,
            read_s=read_s,
        ) as answer:
            await self._check(answer, response_id)
            yield answer.chunks

    async def _call(
        self,
        method: Literal["GET", "POST", "DELETE"],
        response_id: str,
        *,
        end: str = "",
    ) -> bytes:
        url = self._url(response_id, end=end)
        request = HttpRequest(method=method, url=url, headers=self._stored.headers)
        async with self._client.send(request, self._headers) as answer:
            await self._check(answer, response_id)
            body = bytearray()
            async for chunk in answer.chunks:
                body += chunk
                if len(body) > MAX_EVENT_BYTES:
                    raise unreadable_error(model=self._model)
            return bytes(body)

    def _url(
        self, response_id: str, *, end: str = "", query: Mapping[str, str] | None = None
    ) -> str:
        """Return the address of a response; fields of the endpoint's query stay."""
        if not _ID.fullmatch(response_id):
            raise lost_error(response_id, model=self._model)
        parts = urlsplit(self._stored.url)
        fields = {
            **dict(parse_qsl(parts.query, keep_blank_values=True)),
            **(query or {}),
        }
        path = f"{parts.path.removesuffix('/')}/{response_id}{end}"
        return urlunsplit(parts._replace(path=path, query=urlencode(fields)))

    async def _check(self, answer: HttpAnswer, response_id: str) -> None:
        if answer.status in _GONE:
            raise lost_error(response_id, model=self._model)
        if not 200 <= answer.status < 300:
            raise failure_error(await read_refusal(answer), model=self._model)


class BackgroundCalls:
    """Requests about responses that the provider stores."""

    def __init__(
        self,
        session: HttpSession,
        wire: WireFormat,
        *,
        title: str,
    ) -> None:
        self._session = session
        self._supervisor = Supervisor()
        self._wire = wire
        self._title = title

    async def cancel(self, response_id: str) -> None:
        if (retrieval := await self._retrieval()) is not None:
            with suppress(ResponseLostError):
                await retrieval.cancel(response_id)

    async def forget(self, response_id: str) -> None:
        if (retrieval := await self._retrieval()) is not None:
            with suppress(ResponseLostError):
                await retrieval.delete(response_id)

    def discard_soon(self, response_id: str, *, may_run: bool = True) -> None:
        """Cancel and delete a response that nobody will ask for; log a failure.

        Args:
            response_id: The id of the response.
            may_run: Whether it may not have ended, so that it is cancelled first.
        """
        self._supervisor.start(
            self._discard(response_id, may_run=may_run), name=f"discard {self._title}"
        )

    def await_id(self, reading: asyncio.Task[None]) -> None:
        """Give a response that nobody will ask for the time to get its id."""
        self._supervisor.start(self._end_of(reading), name=f"await an id {self._title}")

    async def aclose(self) -> None:
        """Give what is to be discarded a moment; idempotent."""
        await self._supervisor.wait(limit_s=_DISCARD_LIMIT_S)
        await self._supervisor.aclose()

    async def _retrieval(self) -> ResponseRetrieval | None:
        """Connect; return None if the provider stores nothing."""
        stored = self._wire.stored_answers()
        if stored is None:
            return None
        client, headers = await self._session.connect()
        return ResponseRetrieval(client, headers, stored, model=self._title)

    async def _discard(self, response_id: str, *, may_run: bool) -> None:
        calls = ((self.cancel, "goes on"), (self.forget, "stays there"))
        for call, outcome in calls if may_run else calls[1:]:
            try:
                await call(response_id)
            except ModelError as error:
                logger.warning(
                    "model %s: response %s %s: %s",
                    self._title,
                    response_id,
                    outcome,
                    type(error).__name__,
                )

    async def _end_of(self, reading: asyncio.Task[None]) -> None:
        is_over = False
        try:
            await asyncio.wait({reading})
            is_over = not reading.cancelled()
        finally:
            if not is_over:
                logger.warning(
                    "model %s: a response was given up, and its id did not come: the "
                    "provider may keep it with the code that was sent",
                    self._title,
                )
