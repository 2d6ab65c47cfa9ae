"""The engine of the embedded gateway: fixed rules without a model."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterable
from typing import get_args

import msgspec
from msgspec.structs import replace

from redline.errors import ParserEndedError
from redline.findings.finding import Claim, Severity
from redline.findings.parts import Excerpt
from redline.gateway.engines.engine import (
    End,
    EngineAnswer,
    EngineRequest,
    Piece,
    PieceKind,
    TextPiece,
)
from redline.parsing.parser_pool import ParserPool
from redline.parsing.work import Work
from redline.prompts.context import NO_CONTEXT
from redline.prompts.edit import EditTask
from redline.prompts.review_prompt import ReviewTask
from redline.text.reply import DECLINED

NAME = "rules"

NOT_AN_EDIT = (
    "This is Redline's built-in rules engine, not a language model. It carries out"
    " fixed edits (docstrings, type hints, f-strings, rename, sorted imports and the"
    " like), reviews code by fixed rules, and cannot answer anything else. Configure a"
    " model to do more."
)
"""The answer to a request that is neither an edit nor a review."""

EDIT_GIVEN_UP = (
    f"{DECLINED} The built-in rules gave up on this file: {{reason}}. Nothing was"
    " changed; configure a model for it."
)

REVIEW_GIVEN_UP = (
    "The built-in rules gave up on {path}: {reason}. Review it without this file."
)

_CHUNK = re.compile(r"\s*\S{1,4}|\s+")
"""The text of one delta: about one token."""


EDIT: Work[EditTask, str] = Work(
    function="redline.gateway.rules.edit_answer:answer", result=str
)
"""Carry out an edit; the argument is an `EditTask`."""

REVIEW: Work[Excerpt, list[Claim]] = Work(
    function="redline.gateway.rules.review_answer:find_claims", result=list[Claim]
)
"""Review one excerpt; the argument is an `Excerpt`."""


class RulesEngine:
    """Answers edits and reviews by rule, in a parser process."""

    def __init__(
        self,
        parser: ParserPool | None = None,
        *,
        edit: Work[EditTask, str] = EDIT,
        review: Work[Excerpt, list[Claim]] = REVIEW,
    ) -> None:
        """Begin.

        Args:
            parser: Runs the rules; None: a pool that keeps its process, because
                starting it takes longer than most answers.
            edit: The rules for edits.
            review: The rules for reviews.
        """
        self._parser = parser or ParserPool(idle_s=None)
        self._edit = edit
        self._review = review

    @property
    def models(self) -> tuple[str, ...]:
        """Return its only name."""
        return (NAME,)

    def warm(self) -> None:
        """Load the rules, so that the first edit does not wait."""
        self._parser.warm(self._edit)

    def close(self) -> None:
        """End the parser processes; idempotent."""
        self._parser.close()

    def answer(self, request: EngineRequest) -> EngineAnswer:
        return EngineAnswer(pieces=self._pieces(request))

    async def _pieces(self, request: EngineRequest) -> AsyncGenerator[Piece, None]:
        match request.task:
            case EditTask() as task:
                text = await self._edited(task)
            case ReviewTask() as task:
                try:
                    text = await self._reviewed(task)
                except _GivenUpError as error:
                    # A request without a form for refusals fails.
                    yield End(error_code="server_error", error_message=str(error))
                    return
            case None:
                # A client that expects JSON cannot read a sentence, but handles a
                # refusal.
                kind: PieceKind = "refusal" if request.text_format else "text"
                yield TextPiece(NOT_AN_EDIT, kind)
                return
        for chunk in _CHUNK.findall(text):
            yield TextPiece(chunk)

    async def _edited(self, task: EditTask) -> str:
        # What is shown to models besides the code is of no use to the rules.
        alone = replace(task, context=NO_CONTEXT)
        try:
            return await self._parser.run(self._edit, alone)
        except ParserEndedError as error:
            return EDIT_GIVEN_UP.format(reason=error.reason)

    async def _reviewed(self, task: ReviewTask) -> str:
        claims: list[Claim] = []
        for excerpt in task.excerpts:
            try:
                found = await self._parser.run(self._review, excerpt)
            except ParserEndedError as error:
                message = REVIEW_GIVEN_UP.format(path=excerpt.path, reason=error.reason)
                raise _GivenUpError(message) from error
            claims += found
        return answer_with(claims)


class _GivenUpError(Exception):
    """A review was given up; the message says why."""


def answer_with(claims: Iterable[Claim]) -> str:
    """Return the findings as JSON, the most severe first."""
    order = get_args(Severity)
    ordered = sorted(claims, key=lambda claim: order.index(claim.severity))
    return msgspec.json.encode({"findings": ordered}).decode()
