"""Deletes the answers that a provider stores and that are no longer needed.

Theory of operation. A stored answer holds the code that was sent. Its id is stored with
the change that makes it useless: the end of its step, or of its review. It is removed
once the provider has deleted the answer; what remains, because the provider failed or
the server was killed, is deleted by the next start of a server with that folder.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress

import msgspec
from msgspec import Struct

from redline.assist.review.job.model_client import (
    AnswerMark,
    cancel_answer,
    delete_answer,
)
from redline.assist.tiers.tier_choice import TIERS, Tiers
from redline.errors import StoreError
from redline.models.interface import Model
from redline.store.review_change import (
    UNWANTED,
    StepForgotten,
    StoredStep,
    stored_step,
)
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor

DELETE_LIMIT_S = 2.0
"""How long the end of a server waits for providers to delete answers."""

logger = logging.getLogger(__name__)


class _Unwanted(Struct, frozen=True, kw_only=True):
    """The outcome of the step that names an answer."""

    mark: AnswerMark
    """Without the text."""
    may_run: bool
    """Whether the model may still write it."""


class _Read(Struct, frozen=True):
    """The field of a step that reads answers."""

    marks: tuple[AnswerMark, ...] = ()


def unwanted_answers(
    review_id: str,
    marks: Iterable[AnswerMark],
    *,
    is_stored: Callable[[AnswerMark], bool] = lambda mark: True,
    ended: str | None = None,
) -> tuple[StoredStep, ...]:
    """Return the steps to store for answers that are no longer needed.

    Args:
        review_id: The review that they belong to.
        marks: How far the answers have been read.
        is_stored: Whether the provider may store an answer.
        ended: Id of the answer that was read to its end; None: none was.
    """
    return tuple(
        stored_step(
            review_id,
            f"{UNWANTED}{mark.response_id}",
            _Unwanted(
                mark=msgspec.structs.replace(mark, text=""),
                may_run=mark.response_id != ended,
            ),
            is_done=False,
        )
        for mark in {mark.response_id: mark for mark in marks}.values()
        if mark.response_id is not None and is_stored(mark)
    )


def answers_of(steps: Iterable[StoredStep]) -> tuple[AnswerMark, ...]:
    """Return the answers that stored steps have not read to their end; slow."""
    marks: list[AnswerMark] = []
    for step in steps:
        if step.is_done or step.name.startswith(UNWANTED):
            continue
        # Most steps read no answer.
        with suppress(msgspec.DecodeError):
            marks += step.outcome(_Read).marks
    return tuple(marks)


class UnwantedAnswers:
    """Deletes answers at their providers, beside the other work."""

    def __init__(self, store: ReviewStore, tiers: Tiers) -> None:
        self._store = store
        self._tiers = tiers
        self._supervisor = Supervisor()

    def delete_soon(self, steps: Iterable[StoredStep]) -> None:
        """Begin to cancel and delete answers.

        Args:
            steps: From `unwanted_answers`; they may be stored already.
        """
        for step in steps:
            self._supervisor.start(self._delete(step), name="delete an answer")

    async def resume(self, roots: Collection[str]) -> None:
        """Begin to delete what earlier servers have left of these folders' reviews.

        Raises:
            StoreError: If the store cannot be read now.
        """
        self.delete_soon(await self._store.unwanted_answers(roots))

    async def aclose(self, *, limit_s: float) -> None:
        """Give the deletions this long, then cancel them; idempotent."""
        await self._supervisor.wait(limit_s=limit_s)
        await self._supervisor.aclose()

    async def _delete(self, step: StoredStep) -> None:
        unwanted = step.outcome(_Unwanted)
        await self._tiers.ready()
        model = self._model(unwanted.mark.model)
        if model is None:
            # A later start may have it again.
            return
        if unwanted.may_run:
            await cancel_answer(model, unwanted.mark)
        if not await delete_answer(model, unwanted.mark):
            return
        try:
            await self._store.write(
                StepForgotten(review_id=step.review_id, name=step.name)
            )
        except StoreError as error:
            logger.warning("a deleted answer stays on the list: %s", error)

    def _model(self, label: str) -> Model | None:
        models: Sequence[Model] = [self._tiers.choose(tier).model for tier in TIERS]
        return next((one for one in models if one.describe().label == label), None)
