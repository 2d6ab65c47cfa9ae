"""Cancels and deletes the background responses of one model."""

from __future__ import annotations

import logging
from contextlib import suppress

from redline.errors import ModelError, ResponseLostError
from redline.models.http_session import HttpSession
from redline.models.response_retrieval import ResponseRetrieval
from redline.models.wire_format import WireFormat
from redline.supervisor import Supervisor

logger = logging.getLogger(__name__)


class BackgroundCalls:
    """Requests about responses that the provider stores."""

    def __init__(
        self,
        session: HttpSession,
        supervisor: Supervisor,
        wire: WireFormat,
        *,
        title: str,
    ) -> None:
        self._session = session
        self._supervisor = supervisor
        self._wire = wire
        self._title = title

    async def cancel(self, response_id: str) -> None:
        """Cancel a response; see `Model.cancel`."""
        if (retrieval := await self._retrieval()) is not None:
            with suppress(ResponseLostError):
                await retrieval.cancel(response_id)

    async def forget(self, response_id: str) -> None:
        """Delete a response; see `Model.forget`."""
        if (retrieval := await self._retrieval()) is not None:
            with suppress(ResponseLostError):
                await retrieval.delete(response_id)

    def cancel_soon(self, response_id: str) -> None:
        """Cancel a response for a caller that does not wait; log a failure."""
        self._supervisor.start(
            self._cancel_or_warn(response_id), name=f"cancel {self._title}"
        )

    async def _retrieval(self) -> ResponseRetrieval | None:
        """Connect; return None if the provider stores nothing."""
        stored = self._wire.stored_answers()
        if stored is None:
            return None
        client, headers = await self._session.connect()
        return ResponseRetrieval(client, headers, stored, model=self._title)

    async def _cancel_or_warn(self, response_id: str) -> None:
        try:
            await self.cancel(response_id)
        except ModelError as error:
            logger.warning(
                "model %s: response %s goes on: %s",
                self._title,
                response_id,
                type(error).__name__,
            )
