"""One generation over HTTP: a POST whose answer is a stream of server-sent events.

Dropping it closes the connection, which is the protocol's documented way to cancel. A
stream that ends normally is read to its end, so that its connection is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from redline.errors import ModelError, RemoteProtocolError
from redline.models.event_reader import EventReader
from redline.models.failures import cut_error, failure_error, unreadable_error
from redline.models.generation import LiveGeneration
from redline.models.http_failure import read_refusal
from redline.prompts.task_data import GivenTask
from redline.wire import events
from redline.wire.events import ResponseCreate
from redline.wire.failure import Failure

if TYPE_CHECKING:
    from redline.models.http_client import HttpClient

OK = 200


class HttpStream:
    """Carries one generation."""

    def __init__(
        self,
        generation: LiveGeneration,
        create: ResponseCreate,
        *,
        model: str,
        on_answer: Callable[[], None],
    ) -> None:
        self.task: asyncio.Task[None] | None = None
        """The task that executes `run`; set by the caller that starts it."""
        self.failure: Failure | None = None
        """Why the request was refused, in the server's words."""
        self._generation = generation
        self._model = model
        self._on_answer = on_answer
        self._reader = EventReader(generation, create)

    async def run(self, client: HttpClient, headers: Mapping[str, str]) -> None:
        """Send the request and feed its generation until the stream ends.

        Raises:
            ModelError: If the request was refused, could not be made, or was cut.
        """
        try:
            await self._exchange(client, headers)
        except ModelError:
            # After the last event, an error of the connection has no effect.
            if not self._reader.has_ended:
                raise
        except RemoteProtocolError as exc:
            raise unreadable_error(model=self._model) from exc
        finally:
            self.task = None
        if not self._reader.has_ended:
            raise cut_error("the stream ended", model=self._model)

    # Called by the generation.

    def drop(self) -> None:
        """Close the connection, unless the answer has ended."""
        if self.task is not None and not self._reader.has_ended:
            self.task.cancel()

    def pause(self) -> None:
        """Stop reading; TCP flow control slows the provider down."""
        self._reader.pause()

    def resume(self) -> None:
        """Resume reading."""
        self._reader.resume()

    def steer(
        self, previous_response_id: str, text: str, task: GivenTask | None
    ) -> bool:
        """Return false: the protocol cannot send on a running stream."""
        return False

    async def _exchange(self, client: HttpClient, headers: Mapping[str, str]) -> None:
        limits = self._generation.limits
        async with client.send(
            "POST",
            headers,
            body=events.encode(self._reader.create),
            on_sent=self._generation.mark_sent,
            read_s=max(limits.first_delta_s, limits.stall_s),
        ) as answer:
            if answer.status != OK:
                self.failure = await read_refusal(answer)
                raise failure_error(self.failure, model=self._model)
            self._on_answer()
            await self._reader.read(answer.chunks)
