"""A model that is asked over HTTP, in any wire format.

The wire format writes requests and reads answers; this module sends, keeps the
connections, and reports errors. A model behind a socket uses it for what a socket
cannot do, and when no socket can be opened.
"""

from __future__ import annotations

import asyncio
import logging
import math
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial

from msgspec.structs import replace

from redline.errors import (
    AuthenticationError,
    ModelCutError,
    ModelError,
    ModelUnavailableError,
)
from redline.models.describe import LearntDescription
from redline.models.examination import Examination
from redline.models.failures import (
    is_unknown_model,
    lost_error,
    unexpected_error,
)
from redline.models.formats.http_request import OptionalField
from redline.models.formats.request import allowed_n_tokens
from redline.models.formats.stored_answers import StoredAnswers
from redline.models.formats.wire_format import WireFormat
from redline.models.generations.generation import LiveGeneration
from redline.models.generations.steering import Steering
from redline.models.http.background_stream import BackgroundStream
from redline.models.http.http_session import HttpSession, Session
from redline.models.http.http_stream import OK, HttpStream
from redline.models.http.response_retrieval import BackgroundCalls
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
from redline.models.keys import ApiKey
from redline.models.proxy_signs import ProxySigns
from redline.prompts.message import Prompt
from redline.settings.tree import LimitSettings, ModelSettings
from redline.supervisor import Supervisor
from redline.wire.failure import Failure

logger = logging.getLogger(__name__)

CHARS_PER_TOKEN = 4
"""For estimates of waste: the median of Python source is 4.3."""

NO_PROMPT = Prompt(instructions="", chat_messages=())
"""The request of a generation that resumes: the provider already has it."""

_NAMES_S = 2.0
"""Longest wait for the list of models when a name is wrong."""

_NOTHING_HERE = (404, 405, 426)

_Stream = HttpStream | BackgroundStream


class HttpModel:
    """A model behind an HTTP endpoint."""

    def __init__(
        self,
        description: LearntDescription,
        settings: ModelSettings,
        limits: LimitSettings,
        *,
        wire: WireFormat,
        session: HttpSession,
    ) -> None:
        self.limits = limits
        self.steering = Steering(setting=False, is_known=False)
        self.error: ModelError | None = None
        """The last failure; None since the server answered."""
        self._description = description
        self._settings = settings
        self._wire = wire
        self._session = session
        self._supervisor = Supervisor()
        self._background = BackgroundCalls(session, wire, title=description.title)
        self._signs = ProxySigns(self.title)
        self._wasted_n_chars = 0
        self._was_answered = False
        self._has_inquired = False
        self._refused: frozenset[OptionalField] = frozenset()
        """What the server refused in requests that it answered without."""
        self._is_closed = False

    @property
    def title(self) -> str:
        """The model, for messages."""
        return self._description.title

    @property
    def learnt(self) -> LearntDescription:
        """What is known of the model; a socket to the same model adds to it."""
        return self._description

    @property
    def is_answering(self) -> bool:
        """Whether the last request was answered."""
        return self._was_answered and self.error is None

    def describe(self) -> ModelDescription:
        """Return what is known so far."""
        return self._description.current

    def status(self) -> ModelStatus:
        """Return the outcome of the last request."""
        wasted_n_tokens = self._wasted_n_chars // CHARS_PER_TOKEN
        if self.error is not None:
            return ModelStatus(
                state="down", detail=str(self.error), wasted_n_tokens=wasted_n_tokens
            )
        state: ConnectionState = "ready" if self._was_answered else "cold"
        return ModelStatus(
            state=state, advice=self._signs.advice, wasted_n_tokens=wasted_n_tokens
        )

    def start(
        self, request: GenerationRequest
    ) -> AbstractAsyncContextManager[Generation]:
        generation = LiveGeneration(request, self, leaving_out=self._refused)
        return StartedGeneration(generation)

    def resume(self, request: ResumeRequest) -> AbstractAsyncContextManager[Generation]:
        again = GenerationRequest(
            prompt=NO_PROMPT,
            background=True,
            first_delta_s=request.first_delta_s,
            stall_s=request.stall_s,
            # It began long ago; the reader limits the whole.
            generation_s=math.inf,
        )
        stored = self._wire.stored_answers()
        if stored is not None and not stored.outlives_process:
            request = replace(request, starting_after=None)
        return StartedGeneration(LiveGeneration(again, self, resumption=request))

    async def cancel(self, response_id: str) -> None:
        await self._background.cancel(response_id)

    async def forget(self, response_id: str) -> None:
        await self._background.forget(response_id)

    async def warm(self) -> None:
        """Load what a request needs, and open a connection; never fails."""
        with suppress(ModelError):
            await self._inquire()
        await self._session.warm()

    def activity(self) -> None:
        """Do nothing: there is no connection to keep warm between requests."""

    async def probe(self) -> Probe:
        """Send all free requests; see `Examination`."""
        try:
            return await (await self._examination()).examine(has_posts=True)
        except ModelError as error:
            return Probe(reachable=False, error=error)

    async def examine_name(self) -> Probe:
        """Ask whether the server has the model; for a socket that could be opened."""
        return await (await self._examination()).examine(has_posts=False)

    async def aclose(self) -> None:
        """End every request and close every connection; idempotent."""
        self._is_closed = True
        await self._background.aclose()
        await self._supervisor.aclose()
        # The streams that have just ended may have responses to discard.
        await self._background.aclose()
        await self._session.aclose()

    async def settled(self) -> None:
        """Wait until no request is running."""
        await self._supervisor.wait()

    # Called by generations.

    def launch(
        self, generation: LiveGeneration, *, instead_of: ModelError | None = None
    ) -> None:
        """Carry a generation, this model's own or one of the socket's.

        Args:
            generation: The generation to carry.
            instead_of: Why there is no socket, for a generation that needed one: it is
                reported if HTTP fails too.
        """
        if self._is_closed:
            generation.fail(self._closed_error())
            return
        stored = self._wire.stored_answers()
        resumption = generation.resumption
        if stored is None and resumption is not None:
            # The response was begun by another model, before the settings changed.
            generation.fail(lost_error(resumption.response_id, model=self.title))
            return
        stream = self._new_stream(generation, stored)
        generation.carried_by(stream)
        stream.task = self._supervisor.start(
            self._carry(generation, stream, instead_of),
            name=f"http {self.title}",
        )

    def count_waste(self, n_chars: int) -> None:
        self._wasted_n_chars += n_chars

    def note_failure(self, failure: Failure) -> None:
        """Learn from why a request was refused."""
        self._description.note_failure(failure)

    def renew_key(self, generation: LiveGeneration, refusal: ModelError) -> bool:
        """Return false: a key is refused before an answer begins, and renewed there."""
        return False

    def _new_stream(
        self, generation: LiveGeneration, stored: StoredAnswers | None
    ) -> _Stream:
        request = generation.request
        is_background = (
            request.background
            and self.describe().keeps_background
            and "background" not in generation.leaving_out
        )
        if stored is None or (generation.resumption is None and not is_background):
            return HttpStream(
                generation,
                self._wire,
                model=self.title,
                allowed_n_tokens=allowed_n_tokens(request, self._settings),
                on_answer=partial(self._note_answer, generation),
                signs=self._signs,
            )
        return BackgroundStream(
            generation,
            stored,
            model=self.title,
            on_answer=partial(self._note_answer, generation),
            on_created=self._description.note_created,
            calls=self._background,
        )

    async def _carry(
        self,
        generation: LiveGeneration,
        stream: _Stream,
        instead_of: ModelError | None,
    ) -> None:
        try:
            refusal = await self._run(stream)
            if refusal is not None:
                generation.ask_with_new_key(refusal)
        except ModelCutError as error:
            generation.cut(error)
        except ModelError as error:
            logger.info("model %s: %s", self.title, type(error).__name__)
            self.error = error
            self._session.note_error(error)
            if stream.failure is not None:
                self.note_failure(stream.failure)
            if instead_of is not None and _is_nothing_here(error):
                error = instead_of
            elif stream.failure and is_unknown_model(
                stream.failure, name=self._settings.name
            ):
                await self._advise_names(error)
            generation.refuse(error, stream.refused_field)
        except asyncio.CancelledError:
            # A generation that dropped the stream has ended; this handles `aclose`.
            generation.fail(self._closed_error())
            raise
        except Exception as exc:
            # A bug of ours, or of this machine; the reader must not wait for the time
            # limit.
            logger.exception("model %s: an answer could not be read", self.title)
            generation.fail(unexpected_error(exc, model=self.title))

    async def _run(self, stream: _Stream) -> AuthenticationError | None:
        """Send the request, and take its answer.

        Returns:
            The refusal of a key that its command has replaced by another one since.

        Raises:
            ModelError: If the request failed in another way.
        """
        await self._inquire()
        key: ApiKey | None = None

        async def connect() -> Session:
            nonlocal key
            key = await self._session.key()
            return await self._session.connect_with(key)

        try:
            match stream:
                case HttpStream():
                    await stream.run(*await connect())
                case BackgroundStream():
                    await stream.run(connect)
        except AuthenticationError as error:
            if await self._session.renew_key(key):
                return error
            raise
        return None

    async def _inquire(self) -> None:
        """Ask, once, what requests to this model depend on.

        Raises:
            ModelError: If the server cannot be reached.
        """
        inquiry = None if self._has_inquired else self._wire.inquiry()
        if inquiry is None:
            return
        client, headers = await self._session.connect()
        answers = [
            await client.ask(request, headers, reads_posts=True)
            for request in inquiry.requests
        ]
        self._has_inquired = True
        offered = inquiry.learn(
            [answer.body if answer.status == OK else b"" for answer in answers]
        )
        if offered is not None:
            self._description.note_offered(offered)

    async def _advise_names(self, error: ModelError) -> None:
        """Say which models the server has, as far as it answers soon."""
        with suppress(ModelError, TimeoutError):
            async with asyncio.timeout(_NAMES_S):
                if names := await (await self._examination()).near_names():
                    error.advise(f"Correct the model's `name`: its server has {names}.")

    def _note_answer(self, generation: LiveGeneration) -> None:
        self._refused |= generation.leaving_out
        if "background" in self._refused:
            self._description.note_no_background()
        self.error = None
        self._was_answered = True

    def _closed_error(self) -> ModelError:
        return ModelUnavailableError.closed(self.title)

    async def _examination(self) -> Examination:
        client, headers = await self._session.connect()
        return Examination(
            client, headers, self._wire, title=self.title, name=self._settings.name
        )


def _is_nothing_here(error: ModelError) -> bool:
    """Whether the server speaks no HTTP here either."""
    return isinstance(error, ModelUnavailableError) or error.status in _NOTHING_HERE
