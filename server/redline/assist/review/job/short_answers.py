"""Asks for short answers, which are used as a whole and never resumed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct

from redline.assist.review.job.cost import NOTHING, cost_of_answer, wasted_cost
from redline.assist.review.job.model_client import AnswerMark, AskOptions, ask
from redline.assist.tiers.cost import Cost
from redline.errors import HeldBackError, ModelError
from redline.models.interface import GenerationRequest, Model


class ShortAnswer(Struct, frozen=True, kw_only=True):
    """The answer to a question, and its cost."""

    text: str | None
    """None: there is no answer."""
    spent: Cost


async def ask_briefly(
    model: Model,
    request: GenerationRequest,
    how: AskOptions,
    *,
    on_cancelled: Callable[[Cost], None] = lambda spent: None,
) -> ShortAnswer:
    """Ask a model. Cancelling is safe; a failing model does not raise, nor does a file
    of the question that is excluded now.

    Args:
        model: The model to ask.
        request: The question.
        how: Limits and callbacks.
        on_cancelled: Receives the cost so far if this call is cancelled.
    """
    listener = _Listener(model, request)
    try:
        ended = await ask(model, request, listener, how)
    except asyncio.CancelledError:
        listener.give_up()
        on_cancelled(listener.wasted)
        raise
    except (HeldBackError, ModelError):
        listener.give_up()
        return ShortAnswer(text=None, spent=listener.wasted)
    spent = cost_of_answer(model, request, ended.usage, listener.text)
    return ShortAnswer(text=listener.text, spent=listener.wasted + spent)


class _Listener:
    """Collects an answer, and the cost of those that were given up before it."""

    def __init__(self, model: Model, request: GenerationRequest) -> None:
        self.text = ""
        self.wasted = NOTHING
        self._is_begun = False
        self._model = model
        self._request = request

    async def begins(self, mark: AnswerMark) -> None:
        """Discard the text so far, and count its cost."""
        self.give_up()

    async def gets_id(self, mark: AnswerMark) -> None:
        """Count the answer from here on; it is not resumed after a restart."""
        self._is_begun = True

    async def continues(self, delta: str, mark: AnswerMark) -> None:
        """Keep the text so far."""
        self.text = mark.text

    def give_up(self) -> None:
        """Discard the text so far, and count its cost as wasted."""
        if self.text or self._is_begun:
            self.wasted += wasted_cost(self._model, self._request, self.text)
            self.text, self._is_begun = "", False
