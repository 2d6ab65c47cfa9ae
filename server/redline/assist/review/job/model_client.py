"""Asks a model one question, with retries, and reads the answer.

A model that is busy, failed or was cut off is asked again after a pause: the provider's
`retry_after`, or a growing one. A response that its provider stores is resumed where
reading stopped, in this run of the server or the next, and is not paid for twice.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from redline.assist.privacy.excluded_files import SendCheck
from redline.errors import (
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    ModelStalledError,
    ModelUnavailableError,
    RateLimitedError,
    RedlineError,
    ResponseLostError,
)
from redline.models.backoff import backoff_s
from redline.models.interface import (
    Delta,
    Finish,
    FinishReason,
    Generation,
    GenerationRequest,
    Model,
    Restart,
    ResumeRequest,
    Usage,
)
from redline.settings.review_settings import ReviewSettings

logger = logging.getLogger(__name__)

MAX_PAUSE_S = 300.0
"""A provider that asks for a longer pause than this counts as unavailable."""

_GAP_S = 0.2
"""Time between two reads of an answer: a finding takes seconds to write, and each read
delays what the user types."""

_CALL_OFF_S = 5.0
"""Longest wait for a provider to cancel or delete an answer."""

_CALL_AGAIN_S = 1.0
"""Pause before that is asked once more."""

_REASON_N_CHARS = 200
"""Longest part of a refusal that an error message quotes."""

_GOES_ON = (ModelCutError, ModelUnavailableError, ModelStalledError)
"""Errors that interrupt reading; the response itself may still be complete."""

_PASSING = (*_GOES_ON, RateLimitedError, ModelServerError, ResponseLostError)
"""Errors after which the question is asked again."""

_REMEDIES: Mapping[type[ModelError], str] = {
    ModelCutError: "Review it again.",
    ModelStalledError: "Review it again, or raise `review.stall_s`.",
}
"""Remedies for errors that end a review; the errors' own remedies are about edits."""


class AnswerMark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far an answer has been read, so that reading can resume."""

    model: str
    """Label of the model that answers."""
    text: str = ""
    """The text received so far."""
    response_id: str | None = None
    sequence_number: int | None = None


class ModelAnswer(msgspec.Struct, frozen=True, kw_only=True):
    reason: FinishReason
    """`completed` or `length`."""
    usage: Usage | None = None


class AnswerListener(Protocol):
    """Receives an answer; no delta is delivered twice."""

    async def begins(self, mark: AnswerMark) -> None:
        """A new answer begins; the previous one will not continue."""

    async def gets_id(self, mark: AnswerMark) -> None:
        """The answer has got an id from the provider."""

    async def continues(self, delta: str, mark: AnswerMark) -> None:
        """The answer goes on by a delta; `mark` is the position after it."""


OnStored = Callable[[AnswerMark], Coroutine[Any, Any, None]]
"""Receives the id of each answer that its provider stores, while it is read."""


class AskOptions(Struct, frozen=True, kw_only=True):
    """Limits and callbacks for asking a model."""

    settings: ReviewSettings
    random: Callable[[], float]
    """A number in [0, 1), as `random.random`."""
    check_files: SendCheck
    """Called before the question is sent, each time: see `SendCheck`."""
    on_pause: Callable[[ModelError, float], None] = lambda error, pause_s: None
    """Receives the error and the pause in seconds before each retry."""
    may_spend: Callable[[], bool] = lambda: True
    """Whether a question may be asked again; resuming an answer costs nothing."""
    on_stored: OnStored | None = None
    """See `OnStored`; None: nobody receives it."""


async def ask(
    model: Model,
    request: GenerationRequest,
    listener: AnswerListener,
    how: AskOptions,
    *,
    mark: AnswerMark | None = None,
) -> ModelAnswer:
    """Ask a model and pass its answer to a listener.

    Cancelling is safe: an answer that the provider stores continues there.

    Args:
        model: The model to ask.
        request: The question; its time limits are set here. Set `background` for a long
            answer, so that the provider may store it.
        listener: Receives the answer.
        how: Limits and callbacks.
        mark: How far an earlier run of the server had read the answer.

    Raises:
        HeldBackError: If a file of the question is excluded now.
        ModelError: If there is no answer; the listener may have received part of one.
    """
    question = _Question(model, request, listener, how, mark)
    n_failures = 0
    while True:
        try:
            return await question.put()
        except _PASSING as error:
            n_failures += 1
            pause_s = _pause_s(error, n_failures, how)
            is_final = error.may_retry is False or n_failures > how.settings.retries
            if is_final or pause_s > MAX_PAUSE_S:
                error.advise(_REMEDIES.get(type(error), error.remedy))
                raise
            if not (question.is_kept or how.may_spend()):
                raise
            how.on_pause(error, pause_s)
            await asyncio.sleep(pause_s)


def is_stored(model: Model, mark: AnswerMark) -> bool:
    """Whether the provider stores an answer, so that reading resumes at no cost."""
    described = model.describe()
    is_ours = mark.model == described.label and mark.response_id is not None
    return is_ours and described.keeps_background


async def cancel_answer(model: Model, mark: AnswerMark) -> bool:
    """Ask the provider to cancel an answer that it stores, if need be twice.

    Failures are only logged.

    Returns:
        False: the provider may do it later.
    """
    return await _call(model, mark, model.cancel, "cancelled")


async def delete_answer(model: Model, mark: AnswerMark) -> bool:
    """Ask the provider to delete an answer that it stores, if need be twice.

    Failures are only logged.

    Returns:
        False: the provider may do it later.
    """
    return await _call(model, mark, model.forget, "deleted")


async def _call(
    model: Model, mark: AnswerMark, call: Callable[[str], Awaitable[None]], done: str
) -> bool:
    if mark.response_id is None or not model.describe().keeps_background:
        return True
    for is_last in (False, True):
        try:
            async with asyncio.timeout(_CALL_OFF_S):
                await call(mark.response_id)
            return True
        except (ModelError, TimeoutError) as error:
            if is_last or not isinstance(error, (*_PASSING, TimeoutError)):
                is_refused = isinstance(error, ModelRejectedError)
                break
        await asyncio.sleep(_CALL_AGAIN_S)
    logger.warning(
        "model %s: the answer %s could not be %s at the provider, which may keep it "
        "with the code that was sent",
        mark.model,
        mark.response_id,
        done,
    )
    return is_refused


class _Question:
    """One question, and the answer while it is read."""

    def __init__(
        self,
        model: Model,
        request: GenerationRequest,
        listener: AnswerListener,
        how: AskOptions,
        mark: AnswerMark | None,
    ) -> None:
        described = model.describe()
        settings = how.settings
        self._on_stored = how.on_stored
        self._check_files = how.check_files
        self._model = model
        self._label = described.label
        self._keeps = request.background and described.keeps_background
        self._listener = listener
        self._settings = settings
        self._request = replace(
            request,
            gap_s=_GAP_S,
            first_delta_s=settings.stall_s,
            stall_s=settings.stall_s,
            # `put` limits the whole, with its own message.
            generation_s=math.inf,
        )
        is_ours = mark is not None and mark.model == self._label
        self._mark = mark if is_ours else None
        self._named: AnswerMark | None = None
        """The answer whose id the listener is still to receive."""

    @property
    def is_kept(self) -> bool:
        """Whether its provider stores an answer that can be resumed."""
        return (
            self._keeps
            and self._mark is not None
            and is_stored(self._model, self._mark)
        )

    async def put(self) -> ModelAnswer:
        """Ask the question, or resume its answer, within `review.timeout_s`."""
        timeout_s = self._settings.timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                return await self._read()
        except TimeoutError as exc:
            await self.call_off()
            raise _TooLongError(
                f"Model {self._label} did not finish within {timeout_s:g} s.",
                model=self._label,
                remedy="Review less at a time, or raise `review.timeout_s`.",
            ) from exc
        except _GOES_ON:
            raise
        except ModelError:
            # This answer cannot be resumed.
            self._mark = None
            raise

    async def _read(self) -> ModelAnswer:
        failure: Exception | None = None
        try:
            # The id of an answer arrives between deltas, and is stored concurrently.
            async with asyncio.TaskGroup() as group:
                try:
                    return await self._hear(await self._begin(group))
                except asyncio.CancelledError:
                    # An id that came with the cancel would be lost with its task.
                    with suppress(RedlineError):
                        await self._pass_on_name()
                    raise
        except* RedlineError as errors:
            failure = errors.exceptions[0]
        raise failure

    async def _begin(
        self, group: asyncio.TaskGroup
    ) -> AbstractAsyncContextManager[Generation]:
        mark = self._mark
        if self.is_kept and mark is not None and mark.response_id is not None:
            return self._model.resume(
                ResumeRequest(
                    response_id=mark.response_id,
                    starting_after=mark.sequence_number,
                    text=mark.text,
                    first_delta_s=self._settings.stall_s,
                    stall_s=self._settings.stall_s,
                )
            )
        await self._check_files()
        self._mark = AnswerMark(model=self._label)
        await self._listener.begins(self._mark)
        return self._model.start(
            replace(self._request, on_begun=lambda name: self._note_name(name, group))
        )

    async def call_off(self) -> None:
        """Ask the provider to cancel the answer, if it stores it."""
        if self._keeps and self._mark is not None:
            await cancel_answer(self._model, self._mark)

    def _note_name(self, response_id: str, group: asyncio.TaskGroup) -> None:
        assert self._mark is not None
        self._mark = msgspec.structs.replace(self._mark, response_id=response_id)
        self._named = self._mark
        group.create_task(self._pass_on_name())

    async def _pass_on_name(self) -> None:
        mark, self._named = self._named, None
        if mark is None:
            return
        await self._listener.gets_id(mark)
        if self._on_stored is not None and self._keeps and is_stored(self._model, mark):
            await self._on_stored(mark)

    async def _hear(
        self, context: AbstractAsyncContextManager[Generation]
    ) -> ModelAnswer:
        refusal = ""
        async with context as generation:
            async for event in generation:
                match event:
                    case Delta(kind="text"):
                        await self._take(event.text, generation)
                    case Delta(kind="refusal"):
                        refusal = (refusal + event.text)[:_REASON_N_CHARS]
                    case Delta():
                        pass
                    case Restart():
                        self._mark = AnswerMark(model=self._label)
                        await self._listener.begins(self._mark)
                        await self._take(event.text, generation)
                    case Finish():
                        return self._ended(event, refusal)
        raise ModelCutError(
            f"Model {self._label} ended without a finish event.", model=self._label
        )

    async def _take(self, text: str, generation: Generation) -> None:
        assert self._mark is not None
        self._mark = AnswerMark(
            model=self._label,
            text=self._mark.text + text,
            response_id=generation.response_id,
            sequence_number=generation.sequence_number,
        )
        await self._listener.continues(text, self._mark)

    def _ended(self, finish: Finish, refusal: str) -> ModelAnswer:
        if finish.error is not None:
            raise finish.error
        if finish.reason == "stopped":
            raise ResponseLostError(
                f"Another client stopped the answer of model {self._label}.",
                model=self._label,
            )
        if refusal or finish.reason == "filtered":
            words = " ".join(refusal.split()).rstrip(".") or "it refused"
            raise ModelRejectedError(
                f"Model {self._label} did not answer: {words}.", model=self._label
            )
        return ModelAnswer(reason=finish.reason, usage=finish.usage)


def _pause_s(error: ModelError, n_failures: int, how: AskOptions) -> float:
    if isinstance(error, ResponseLostError):
        return 0.0
    if error.retry_after_s is not None:
        return error.retry_after_s
    return backoff_s(n_failures, random=how.random)


class _TooLongError(ModelRejectedError):
    """An answer took longer than its limit; a retry would take as long."""
