"""The background responses that a provider stores, by their ids."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from redline.models.failures import failure_error, lost_error, unreadable_error
from redline.models.http_failure import read_refusal
from redline.models.stored_answers import RetrievedResponse, StoredAnswers
from redline.wire.sse import MAX_EVENT_BYTES

if TYPE_CHECKING:
    from redline.models.http_client import HttpAnswer, HttpClient

_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.:-]{0,511}")
"""Ids that are safe in a URL: a provider may send any text as an id."""

_GONE = frozenset({404, 410})


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
        self._headers = {**stored.headers, **headers}
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
        await self._call("POST", response_id, below="/cancel")

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
            "GET",
            self._headers,
            url=self._stored.url,
            below=self._below(response_id),
            query=self._stored.resumption_query(starting_after),
            read_s=read_s,
        ) as answer:
            await self._check(answer, response_id)
            yield answer.chunks

    async def _call(self, method: str, response_id: str, *, below: str = "") -> bytes:
        below = self._below(response_id) + below
        async with self._client.send(
            method, self._headers, url=self._stored.url, below=below
        ) as answer:
            await self._check(answer, response_id)
            body = bytearray()
            async for chunk in answer.chunks:
                body += chunk
                if len(body) > MAX_EVENT_BYTES:
                    raise unreadable_error(model=self._model)
            return bytes(body)

    def _below(self, response_id: str) -> str:
        if not _ID.fullmatch(response_id):
            raise lost_error(response_id, model=self._model)
        return f"/{response_id}"

    async def _check(self, answer: HttpAnswer, response_id: str) -> None:
        if answer.status in _GONE:
            raise lost_error(response_id, model=self._model)
        if not 200 <= answer.status < 300:
            raise failure_error(await read_refusal(answer), model=self._model)
