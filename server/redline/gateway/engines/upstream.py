"""The engine that asks any configured model, by every wire format.

Closing the pieces of an answer stops the request to the model. A reader that takes no
pieces stops the reading from the model too, and TCP slows it down.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from redline.errors import (
    ModelError,
    ModelRejectedError,
    ModelStalledError,
    ModelUnavailableError,
    PromptTooLongError,
    QuotaExhaustedError,
    RateLimitedError,
)
from redline.gateway.engines.circuit import N_FAILURES, Circuit
from redline.gateway.engines.engine import (
    Correction,
    End,
    EngineAnswer,
    EngineRequest,
    EngineUsage,
    Piece,
    PieceKind,
    PieceTaker,
    TextPiece,
)
from redline.keys_in_use import KeyRemover
from redline.models.interface import (
    Delta,
    Finish,
    FinishReason,
    GenerationRequest,
    Model,
    Restart,
    Usage,
)
from redline.prompts.message import Prompt
from redline.supervisor import Supervisor

_ERRORS: tuple[tuple[type[ModelError], str, int], ...] = (
    (RateLimitedError, "rate_limit_exceeded", 429),
    (QuotaExhaustedError, "insufficient_quota", 429),
    (PromptTooLongError, "context_length_exceeded", 400),
    (ModelRejectedError, "invalid_request_error", 400),
    (ModelUnavailableError, "server_error", 503),
    (ModelStalledError, "server_error", 504),
)
"""The code and status of each error; the first that fits. A refused key is an error of
the gateway, not of its client, so it is not passed on as one."""

_OTHER_ERROR = "server_error", 502

_OF_THE_REQUEST = (400, 404)

_OF_THE_SERVER = (502, 503, 504)

_SESSION = re.compile(r"[A-Za-z0-9_.:/=+-]{1,128}")

_INCOMPLETE: Mapping[FinishReason, str] = {
    "length": "max_output_tokens",
    "filtered": "content_filter",
}


logger = logging.getLogger(__name__)


class Upstream(Struct, kw_only=True, eq=False):
    """One model behind the gateway."""

    name: str
    """What clients ask for."""
    model: Model
    settings: object = None
    """What the model was built from, to compare with other settings."""
    fallback: str | None = None
    """The upstream that answers if this one fails before any text."""
    running: int | None = None
    """Most requests that it answers at once; None: no limit."""
    _circuit: Circuit = field(default_factory=Circuit)
    _n_running: int = 0
    _is_retired: bool = False

    @property
    def is_full(self) -> bool:
        """Whether another request would be one too many."""
        return self.running is not None and self._n_running >= self.running

    async def retire(self) -> None:
        """Take no more requests; close the model once the running ones have ended."""
        self._is_retired = True
        if self._n_running == 0:
            await self.model.aclose()

    async def pieces(
        self, wanted: GenerationRequest, taker: PieceTaker | None
    ) -> AsyncGenerator[Piece, None]:
        """Ask the model, unless it has failed too often."""
        if (wait_s := self._circuit.wait_s(time.monotonic())) > 0:
            yield _given_up(self.name, wait_s)
            return
        self._n_running += 1
        answer = _AnswerWithoutKeys(wanted, taker)
        if taker is not None:
            wanted = replace(wanted, taker=answer)
        try:
            async with self.model.start(wanted) as generation:
                async for event in generation:
                    if isinstance(event, Finish):
                        for piece in answer.rest():
                            yield piece
                        yield self._ended(event)
                    else:
                        for piece in answer.pieces(event):
                            yield piece
        finally:
            self._n_running -= 1
            if self._is_retired:
                await self.retire()

    def _ended(self, finish: Finish) -> End:
        end = _end(finish)
        was_open = self._circuit.is_open
        has_failed = end.error_status in _OF_THE_SERVER
        self._circuit.note(time.monotonic(), has_failed=has_failed)
        if self._circuit.is_open != was_open:
            state = "answers again" if was_open else "failed too often: not asked"
            logger.warning("upstream %s %s", self.name, state)
        return end


class _AnswerWithoutKeys:
    """The pieces of an answer, without the keys of the models.

    A model's server knows its key and may repeat it; the users of the gateway do not.
    As a `DeltaTaker`, it passes them on at once.
    """

    def __init__(self, wanted: GenerationRequest, taker: PieceTaker | None) -> None:
        self._asked = partial(_text_of, wanted.prompt)
        self._taker = taker
        self._kind: PieceKind = "text"
        self._remover = KeyRemover(self._asked)

    @property
    def is_ready(self) -> bool:
        """Whether its taker is ready; see `DeltaTaker`."""
        return self._taker is not None and self._taker.is_ready

    def take(self, event: Delta | Restart) -> None:
        """Give the pieces of an event to its taker."""
        assert self._taker is not None
        for piece in self.pieces(event):
            self._taker.take(piece)

    def pieces(self, event: Delta | Restart) -> list[TextPiece | Correction]:
        """Return the pieces that an event makes certain.

        What another kind held back comes before a delta; a restart is the whole text up
        to here, in place of what came before.
        """
        if isinstance(event, Restart):
            self._remover = KeyRemover(self._asked)
            self._kind = "text"
            return [Correction(self._remover.feed(event.text))]
        pieces = self.rest() if event.kind != self._kind else []
        self._kind = event.kind
        if text := self._remover.feed(event.text):
            pieces.append(TextPiece(text, event.kind))
        return pieces

    def rest(self) -> list[TextPiece | Correction]:
        """Return what is held back."""
        text = self._remover.finish()
        return [TextPiece(text, self._kind)] if text else []


class UpstreamEngine:
    """Answers requests by the models of a configuration."""

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        """Begin.

        Args:
            upstreams: The models; the engine closes them.
        """
        self._upstreams = {upstream.name: upstream for upstream in upstreams}
        self._supervisor = Supervisor()

    @property
    def models(self) -> tuple[str, ...]:
        """Return the names of the configuration."""
        return tuple(self._upstreams)

    def get(self, name: str) -> Upstream | None:
        return self._upstreams.get(name)

    def warm(self) -> None:
        """Connect to all models in advance."""
        for name, upstream in self._upstreams.items():
            self._supervisor.start(upstream.model.warm(), name=f"warm {name}")

    def replace(self, upstreams: Sequence[Upstream]) -> None:
        """Take other models; answers that run are completed by the old ones."""
        before = self._upstreams
        self._upstreams = {upstream.name: upstream for upstream in upstreams}
        for upstream in before.values():
            if upstream not in upstreams:
                self._supervisor.start(
                    upstream.retire(), name=f"close upstream {upstream.name}"
                )
        self.warm()

    async def aclose(self) -> None:
        """Close all models; idempotent."""
        await self._supervisor.aclose()
        for upstream in self._upstreams.values():
            await upstream.model.aclose()

    def answer(self, request: EngineRequest) -> EngineAnswer:
        upstream = self._upstreams.get(request.model)
        if upstream is None:
            return EngineAnswer(pieces=_one(_unknown(request.model, self.models)))
        if _has_images(request) and not upstream.model.describe().reads_images:
            return EngineAnswer(pieces=_one(_blind(request.model)))
        return EngineAnswer(
            pieces=self._pieces(upstream, request),
            counts_tokens=True,
            has_own_pace=True,
        )

    def _pieces(
        self, upstream: Upstream, request: EngineRequest
    ) -> AsyncGenerator[Piece, None]:
        wanted = GenerationRequest(
            prompt=request.prompt,
            task=request.task,
            max_output_tokens=request.max_output_tokens,
            cache_key=request.cache_key,
            cache_salt=request.cache_salt,
            headers=_headers(request),
            text_format=request.text_format,
            kind=request.kind,
        )
        second = self._upstreams.get(upstream.fallback or "")
        if second is None:
            return upstream.pieces(wanted, request.taker)
        return _pieces_of_either(upstream, second, wanted, request.taker)


async def _pieces_of_either(
    first: Upstream,
    second: Upstream,
    wanted: GenerationRequest,
    taker: PieceTaker | None,
) -> AsyncGenerator[Piece, None]:
    """Ask an upstream, and its fallback if it fails before any text."""
    has_begun = False
    async with aclosing(first.pieces(wanted, taker)) as pieces:
        async for piece in pieces:
            is_failure = isinstance(piece, End) and _is_of_upstream(piece)
            if is_failure and not has_begun and not second.is_full:
                break
            has_begun = True
            yield piece
        else:
            return
    logger.warning("upstream %s failed: %s answers", first.name, second.name)
    async with aclosing(second.pieces(wanted, taker)) as pieces:
        async for piece in pieces:
            yield piece


async def _one(end: End) -> AsyncGenerator[Piece, None]:
    yield end


def _text_of(prompt: Prompt) -> str:
    texts = (message.text for message in prompt.chat_messages)
    return "\n".join((prompt.instructions, *texts))


def _given_up(name: str, wait_s: float) -> End:
    return End(
        error_code="server_error",
        error_message=f"The model '{name}' failed {N_FAILURES} times in a row and is"
        f" not asked for now; try again in {wait_s:.0f} s.",
        error_status=503,
        retry_after_s=wait_s,
    )


def _is_of_upstream(end: End) -> bool:
    """Whether an answer failed for a reason that another upstream may not have."""
    return end.error_status is not None and end.error_status not in _OF_THE_REQUEST


def _end(finish: Finish) -> End:
    if finish.error is not None:
        return _failed(finish.error)
    if finish.reason == "stopped":
        # Not by the client, whose stop ends the reading.
        return _failed(ModelUnavailableError("The model was closed; ask again."))
    return End(
        incomplete_reason=_INCOMPLETE.get(finish.reason),
        usage=_usage(finish.usage),
    )


def _failed(error: ModelError) -> End:
    fitting = ((code, at) for kind, code, at in _ERRORS if isinstance(error, kind))
    code, status = next(fitting, _OTHER_ERROR)
    return End(
        error_code=code,
        error_message=str(error),
        error_status=status,
        retry_after_s=error.retry_after_s,
    )


def _usage(usage: Usage | None) -> EngineUsage | None:
    if usage is None:
        return None
    return EngineUsage(
        input_n_tokens=usage.input_n_tokens,
        output_n_tokens=usage.output_n_tokens,
        cached_n_tokens=usage.cached_n_tokens,
        reasoning_n_tokens=usage.reasoning_n_tokens,
    )


def _headers(request: EngineRequest) -> dict[str, str]:
    """Return what routers between here and the model read.

    A cache key that could not be a header is left out, never changed.
    """
    headers = {}
    if request.cache_key is not None and _SESSION.fullmatch(request.cache_key):
        headers["x-session-id"] = request.cache_key
    if request.trace is not None:
        headers["traceparent"] = request.trace
    return headers


def _has_images(request: EngineRequest) -> bool:
    return any(message.images for message in request.prompt.chat_messages)


def _unknown(name: str, known: tuple[str, ...]) -> End:
    return End(
        error_code="model_not_found",
        error_message=f"The model '{name[:128]}' does not exist. This gateway has:"
        f" {', '.join(known)}.",
        error_status=404,
    )


def _blind(name: str) -> End:
    return End(
        error_code="unsupported_parameter",
        error_message=f"The model '{name}' does not read images. Send the request"
        " without them; if the model does read images, set `vision = true` for it in"
        " the gateway's configuration.",
        error_status=400,
    )
