"""The engine of the embedded gateway: fixed rules without a model."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncGenerator, Callable

from redline.daemon_thread import in_daemon_thread
from redline.gateway.engine import (
    End,
    EngineAnswer,
    EngineRequest,
    Piece,
    Refused,
    TextPiece,
)
from redline.prompts.edit import DECLINED, EditTask
from redline.prompts.review_prompt import ReviewTask
from redline.prompts.task_data import GivenTask

NAME = "rules"

NOT_AN_EDIT = (
    "This is Redline's built-in rules engine, not a language model. It carries out"
    " fixed edits (docstrings, type hints, f-strings, rename, sorted imports and the"
    " like), reviews code by fixed rules, and cannot answer anything else. Configure a"
    " model to do more."
)
"""The answer to a request that is neither an edit nor a review."""

TOOK_TOO_LONG = (
    f"{DECLINED} The built-in rules took too long on this range; select a smaller one."
)

REVIEW_TOOK_TOO_LONG = (
    "The built-in rules took too long on these files; review fewer of them."
)

_MAX_AT_ONCE = 4
"""Edits and reviews at once; more would only compete for the processor."""

_CHUNK = re.compile(r"\s*\S{1,4}|\s+")
"""The text of one delta: about one token."""


class RulesEngine:
    """Answers edits and reviews by rule."""

    def __init__(
        self,
        answer: Callable[[EditTask], str] | None = None,
        *,
        review: Callable[[ReviewTask], str] | None = None,
        limit_s: float = 20.0,
    ) -> None:
        """Begin.

        Args:
            answer: The rules; None: Redline's own, loaded on first use, because they
                take longer to import than the gateway takes to start.
            review: The same for reviews.
            limit_s: How long one answer may take.
        """
        self._rules = answer or _built_in
        self._review = review or _built_in_review
        self._limit_s = limit_s
        self._slots = asyncio.Semaphore(_MAX_AT_ONCE)

    @property
    def models(self) -> tuple[str, ...]:
        """Return its only name."""
        return (NAME,)

    def answer(self, request: EngineRequest) -> EngineAnswer:
        """Begin an answer."""
        return EngineAnswer(pieces=self._pieces(request))

    async def _pieces(self, request: EngineRequest) -> AsyncGenerator[Piece, None]:
        try:
            text = await self._text(request.task)
        except TimeoutError:
            # A request without a form for refusals fails.
            yield End(error_code="server_error", error_message=REVIEW_TOOK_TOO_LONG)
            return
        if text is None:
            # A client that expects JSON cannot read a sentence, but handles a refusal.
            yield (Refused if request.wants_json else TextPiece)(NOT_AN_EDIT)
            return
        for chunk in _CHUNK.findall(text):
            yield TextPiece(chunk)

    async def _text(self, task: GivenTask | None) -> str | None:
        """Return the answer; None: this is neither an edit nor a review."""
        match task:
            case EditTask():
                try:
                    return await self._worked_out(lambda: self._rules(task))
                except TimeoutError:
                    return TOOK_TOO_LONG
            case ReviewTask():
                return await self._worked_out(lambda: self._review(task))
            case None:
                return None

    async def _worked_out(self, work: Callable[[], str]) -> str:
        async with self._slots:
            return await in_daemon_thread(work, limit_s=self._limit_s)


def preload() -> None:
    """Load the built-in rules in a thread, so that the first edit does not wait."""
    threading.Thread(target=_built_in, args=(_SMALLEST,), daemon=True).start()


_SMALLEST = EditTask(
    instruction="add docstrings",
    path="a.py",
    language="python",
    before="",
    target="def f(): ...\n",
    after="",
)
"""An edit that needs the parser and so loads everything slow to import."""


def _built_in(task: EditTask) -> str:
    from redline.gateway.rules.edit_answer import answer

    return answer(task)


def _built_in_review(task: ReviewTask) -> str:
    from redline.gateway.rules.review_answer import review

    return review(task)
