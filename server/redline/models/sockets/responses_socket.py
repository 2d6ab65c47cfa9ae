"""The Responses API over warm WebSockets: the fast path.

The pool decides which socket a generation gets. This module gives each generation to
the pool, or to HTTP if no socket can be opened.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from msgspec.structs import replace

from redline.errors import ModelError, ModelServerError, ModelUnavailableError
from redline.models.describe import LearntDescription
from redline.models.examination import UNKNOWN_NAME
from redline.models.failures import SERVER_FAULT, lost_error
from redline.models.generations.generation import LiveGeneration
from redline.models.generations.steering import Steering
from redline.models.http.http_model import CHARS_PER_TOKEN, NO_PROMPT, HttpModel
from redline.models.http.started_generation import StartedGeneration
from redline.models.interface import (
    ConnectionState,
    Generation,
    GenerationRequest,
    ModelDescription,
    ModelStatus,
    Probe,
    ResumeRequest,
)
from redline.models.sockets.connector import is_no_websocket
from redline.models.sockets.dial import Dialler
from redline.models.sockets.lane_request import SocketLaneRequest
from redline.models.sockets.pool import Pool
from redline.settings.tree import LimitSettings, ModelSettings
from redline.supervisor import Supervisor
from redline.wire.failure import Failure

logger = logging.getLogger(__name__)


class ResponsesSocket:
    """A model behind `wss://…/v1/responses`."""

    def __init__(
        self,
        description: LearntDescription,
        settings: ModelSettings,
        limits: LimitSettings,
        *,
        dialler: Dialler,
        pool: Pool,
        http: HttpModel | None,
    ) -> None:
        self.limits = limits
        self.steering = Steering(
            setting=settings.steer, is_known=description.current.can_steer
        )
        self._description = description
        self._settings = settings
        self._dialler = dialler
        self._pool = pool
        self._http = http
        self._supervisor = Supervisor()
        self._is_closed = False

    @property
    def title(self) -> str:
        return self._description.title

    def describe(self) -> ModelDescription:
        """Return what is known so far."""
        return self._description.current

    def status(self) -> ModelStatus:
        connector = self._pool.connector
        wasted_n_tokens = self._pool.wasted_n_chars // CHARS_PER_TOKEN
        if self._pool.n_lines:
            return ModelStatus(
                state="ready",
                advice=self._pool.signs.advice,
                n_sockets=self._pool.n_lines,
                wasted_n_tokens=wasted_n_tokens,
                handshake_s=connector.handshake_s,
            )
        error = connector.error
        if error is None:
            state: ConnectionState = "connecting" if connector.n_opening else "cold"
            return ModelStatus(state=state, wasted_n_tokens=wasted_n_tokens)
        if self._http is not None and self._http.is_answering:
            return ModelStatus(
                state="fallback",
                detail=f"{error} Answers come over HTTP meanwhile.",
                wasted_n_tokens=wasted_n_tokens,
            )
        return ModelStatus(
            state="down", detail=str(error), wasted_n_tokens=wasted_n_tokens
        )

    def start(
        self, request: GenerationRequest
    ) -> AbstractAsyncContextManager[Generation]:
        if (
            request.background
            and self.describe().keeps_background
            and self._http is not None
        ):
            # Not supported on a socket (WebSocket mode guide).
            return self._http.start(request)
        return StartedGeneration(LiveGeneration(request, self))

    def resume(self, request: ResumeRequest) -> AbstractAsyncContextManager[Generation]:
        if self._http is None:
            return self._lost(request.response_id)
        return self._http.resume(request)

    async def cancel(self, response_id: str) -> None:
        if self._http is not None:
            await self._http.cancel(response_id)

    async def forget(self, response_id: str) -> None:
        if self._http is not None:
            await self._http.forget(response_id)

    async def warm(self) -> None:
        """Open the sockets and wait until they are open or have failed."""
        self._pool.warm()
        await self._pool.connector.settled()

    def activity(self) -> None:
        """Keep the sockets' windows open for a short while."""
        self._pool.activity()

    async def probe(self) -> Probe:
        """Open a separate socket and close it."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            socket = await self._dialler.dial()
        except ModelError as error:
            if self._http is not None and is_no_websocket(error):
                return await self._http.probe()
            return Probe(reachable=False, error=error)
        handshake_s = loop.time() - began
        await socket.close()
        found = await self._examine_name()
        return replace(found, handshake_s=handshake_s)

    async def _examine_name(self) -> Probe:
        """Ask over HTTP, which a WebSocket server need not support."""
        if self._http is None:
            return UNKNOWN_NAME
        try:
            return await self._http.examine_name()
        except ModelError:
            return UNKNOWN_NAME

    async def aclose(self) -> None:
        """End every generation, every socket and what connects; idempotent."""
        self._is_closed = True
        try:
            await self._supervisor.aclose()
            await self._pool.aclose()
            if self._http is not None:
                await self._http.aclose()
        finally:
            await self._dialler.aclose()

    # Called by generations.

    def launch(self, generation: LiveGeneration) -> None:
        lane_request = SocketLaneRequest(
            generation,
            self._settings,
            self._pool,
            steering=self.steering,
            on_unreachable=self._fall_back,
        )
        generation.carried_by(lane_request)
        if generation.was_cut_twice:
            self._pool.close_idle()
        connector = self._pool.connector
        fault = generation.cut_by
        if self._http is not None and fault and fault.code == SERVER_FAULT:
            self._http.launch(generation, instead_of=fault)
        elif self._http is not None and connector.is_hanging and not self._pool.n_lines:
            # The last attempt timed out; use HTTP without waiting for the next.
            connector.hurry()
            self._pool.warm()
            self._http.launch(generation)
        else:
            self._pool.submit(lane_request)

    def count_waste(self, n_chars: int) -> None:
        self._pool.count_waste(n_chars)

    def note_failure(self, failure: Failure) -> None:
        """Learn from why a request was refused."""
        self._description.note_failure(failure)

    def renew_key(self, generation: LiveGeneration, refusal: ModelError) -> bool:
        """Run a key command again after an event on a socket refused its key."""
        if self._settings.key is None or self._settings.key.env is not None:
            return False
        self._supervisor.start(
            self._renew_key(generation, refusal), name=f"renew the key of {self.title}"
        )
        return True

    async def _renew_key(self, generation: LiveGeneration, refusal: ModelError) -> None:
        sent_s = generation.timing.sent or generation.timing.started
        try:
            is_other = await self._dialler.renew_key(sent_s)
        except ModelError:
            is_other = False
        if is_other:
            # All were opened with the refused key.
            self._pool.replace_all()
            generation.ask_with_new_key(refusal)
        else:
            generation.fail(refusal)

    @asynccontextmanager
    async def _lost(self, response_id: str) -> AsyncIterator[Generation]:
        generation = LiveGeneration(GenerationRequest(prompt=NO_PROMPT), self)
        generation.fail(lost_error(response_id, model=self.title))
        yield generation

    def _fall_back(self, generation: LiveGeneration, error: ModelError) -> None:
        """Carry a generation over HTTP, unless the error would be the same there."""
        may_help = is_no_websocket(error) or isinstance(
            error, ModelUnavailableError | ModelServerError
        )
        if self._http is None or self._is_closed or not may_help:
            generation.fail(error)
        else:
            logger.info("model %s: no socket, trying HTTP", self.title)
            self._http.launch(generation, instead_of=error)
