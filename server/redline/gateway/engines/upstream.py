"""The engine that asks any configured model, by every wire format.

Closing the pieces of an answer stops the request to the model. A reader that takes no
pieces stops the reading from the model too, and TCP slows it down.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping

from redline.errors import (
    ModelError,
    ModelRejectedError,
    ModelStalledError,
    ModelUnavailableError,
    PromptTooLongError,
    QuotaExhaustedError,
    RateLimitedError,
)
from redline.gateway.engine import (
    Correction,
    End,
    EngineAnswer,
    EngineRequest,
    EngineUsage,
    Piece,
    TextPiece,
)
from redline.models.interface import (
    Delta,
    Finish,
    FinishReason,
    GenerationRequest,
    Model,
    Restart,
    Usage,
)
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

_INCOMPLETE: Mapping[FinishReason, str] = {
    "length": "max_output_tokens",
    "filtered": "content_filter",
}


class UpstreamEngine:
    """Answers requests by the models of a configuration."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        """Begin.

        Args:
            models: By the names that clients ask for; the engine closes them.
        """
        self._models = dict(models)
        self._supervisor = Supervisor()

    @property
    def models(self) -> tuple[str, ...]:
        """Return the names of the configuration."""
        return tuple(self._models)

    def warm(self) -> None:
        """Connect to all models in advance."""
        for name, model in self._models.items():
            self._supervisor.start(model.warm(), name=f"warm {name}")

    async def aclose(self) -> None:
        """Close all models; idempotent."""
        await self._supervisor.aclose()
        for model in self._models.values():
            await model.aclose()

    def answer(self, request: EngineRequest) -> EngineAnswer:
        """Begin an answer."""
        model = self._models.get(request.model)
        if model is None:
            return EngineAnswer(pieces=_one(_unknown(request.model, self.models)))
        if _has_images(request) and not model.describe().reads_images:
            return EngineAnswer(pieces=_one(_blind(request.model)))
        return EngineAnswer(pieces=_pieces(model, request), counts_tokens=True)


async def _one(end: End) -> AsyncGenerator[Piece, None]:
    yield end


async def _pieces(model: Model, request: EngineRequest) -> AsyncGenerator[Piece, None]:
    wanted = GenerationRequest(
        prompt=request.prompt,
        task=request.task,
        max_output_tokens=request.max_output_tokens,
        cache_key=request.cache_key,
        text_format=request.text_format,
    )
    async with model.start(wanted) as generation:
        async for event in generation:
            match event:
                case Delta():
                    yield TextPiece(event.text, event.kind)
                case Restart():
                    yield Correction(event.text)
                case Finish():
                    yield _end(event)


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
