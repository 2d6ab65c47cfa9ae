"""Asks for answers that are short: they are of use whole, and not gone on with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from redline.assist.edit.cost import Cost
from redline.assist.review.cost import NOTHING, cost_of_answer, wasted_cost
from redline.assist.review.model_client import AnswerMark, AskOptions, ask
from redline.errors import ModelError
from redline.models.interface import GenerationRequest, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortAnswer:
    """What came of a question."""

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
    """Ask a model. Cancelling is safe; a failing model is no failure.

    Args:
        model: Who is asked.
        request: The question.
        how: How it is asked.
        on_cancelled: Takes what it took if this is cancelled.
    """
    listener = _Listener(model, request)
    try:
        ended = await ask(model, request, listener, how)
    except asyncio.CancelledError:
        listener.give_up()
        on_cancelled(listener.wasted)
        raise
    except ModelError:
        listener.give_up()
        return ShortAnswer(text=None, spent=listener.wasted)
    spent = cost_of_answer(model, request, ended.usage, listener.text)
    return ShortAnswer(text=listener.text, spent=listener.wasted + spent)


class _Listener:
    """Hears an answer, and what those before it had come to."""

    def __init__(self, model: Model, request: GenerationRequest) -> None:
        self.text = ""
        self.wasted = NOTHING
        self._is_begun = False
        self._model = model
        self._request = request

    async def begins(self, mark: AnswerMark) -> None:
        """Forget what was heard."""
        self.give_up()

    async def is_known(self, mark: AnswerMark) -> None:
        """Count it from here on; it will not be gone on with after a restart."""
        self._is_begun = True

    async def hears(self, delta: str, mark: AnswerMark) -> None:
        """Take it in."""
        self.text = mark.text

    def give_up(self) -> None:
        """Count what was heard: it was written for nothing."""
        if self.text or self._is_begun:
            self.wasted += wasted_cost(self._model, self._request, self.text)
            self.text, self._is_begun = "", False
