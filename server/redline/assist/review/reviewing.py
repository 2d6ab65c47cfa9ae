"""Reviewing: the deep model is asked about one part after the other.

One at a time, so that a later part's findings are judged knowing those before.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from redline.assist.edit.cost import Cost
from redline.assist.review.asking import Answered, ask, let_go
from redline.assist.review.brief import Brief
from redline.assist.review.case import Asked, Case, Judging
from redline.assist.review.hearing import PartHeard, PartHearing, Verdict
from redline.assist.review.questions import review_question
from redline.assist.review.spent import spent_on, wasted_on_all
from redline.errors import AnswerUnreadableError, ModelError
from redline.findings.parts import Part, Parts, split
from redline.findings.scope import LeftOutFile, ReviewScope
from redline.prompts.tokens import most_tokens

_FROM, _TO = 20, 70
"""Percentages that reviewing takes."""

_TOO_DEAR = "the limit of cost was reached"


class Reviewing:
    """The reviewing of one review."""

    def __init__(
        self, case: Case, scope: ReviewScope, brief: Brief, judging: Judging
    ) -> None:
        self._case = case
        self._scope = scope
        self._brief = brief
        self._judging = judging
        self._n_answered = 0
        """Parts about which there is an answer that was read, whole or cut."""
        self._n_unread = 0
        """Parts about which there is an answer that could not be read."""

    async def run(self) -> None:
        """Ask about every part; what could not be asked is left out and listed.

        Raises:
            ModelError: If there is no answer about any part that could be read.
        """
        case = self._case
        await case.enter("reviewing", "Reviewing", _FROM)
        split_up = await case.steps.once("split", Parts, self._split)
        parts = split_up.parts
        case.leave_out(split_up.left_out)
        failure: ModelError | None = None
        for n, part in enumerate(parts):
            case.advance(
                _FROM + (_TO - _FROM) * n // len(parts), _step_name(n, len(parts))
            )
            failure = await self._review(n, part) or failure
        if self._n_answered:
            return
        if failure is not None:
            raise failure
        if self._n_unread:
            model = case.tools.tiers.choose("deep").model.describe().label
            raise AnswerUnreadableError(
                f"The answer of model {model} could not be read, so nothing was "
                "reviewed.",
                model=model,
            )

    async def _split(self) -> Parts:
        settings = self._case.tools.settings().review
        return await self._case.tools.beside(
            split,
            self._scope.files,
            budget=settings.part_tokens,
            count=most_tokens,
            max_parts=settings.max_parts,
        )

    async def _review(self, n: int, part: Part) -> ModelError | None:
        """Have one part reviewed; return why there is no answer about it."""
        name = f"part {n}"
        case, steps = self._case, self._case.steps

        async def keep(heard: PartHeard, verdicts: Sequence[Verdict]) -> None:
            rows = case.take(verdicts)
            note = steps.note if verdicts else steps.note_at_once
            await note(name, heard, *rows)
            case.show(verdicts)

        hearing = PartHearing(
            judge=self._judging.judge,
            table=self._brief.table,
            keep=keep,
            beside=case.tools.beside,
        )
        heard = await case.tools.beside(steps.noted, name, PartHeard) or PartHeard()
        # Stored before, and shown by whoever took the review over.
        case.findings.add(await case.tools.beside(hearing.replay, heard))
        if steps.is_done(name):
            self._count(name, part, heard)
            return None
        request = await case.tools.beside(
            review_question,
            self._scope,
            part,
            self._brief,
            cache_key=case.tools.cache_key,
        )
        model = case.tools.tiers.choose("deep").model
        case.asked = asked = Asked(model=model, request=request, hearing=hearing)
        if not (asked.is_kept or case.may_spend):
            await self._give_up(name, part, asked, _TOO_DEAR)
            return None
        return await self._ask(name, part, asked)

    async def _ask(self, name: str, part: Part, asked: Asked) -> ModelError | None:
        case, model, hearing = self._case, asked.model, asked.hearing
        try:
            answered = await ask(
                model, asked.request, hearing, case.asking(), mark=hearing.mark
            )
        except ModelError as error:
            problem = f"the model did not answer: {error}"
            if not case.may_spend:
                problem += f" It was not asked again, as {_TOO_DEAR}."
            await self._give_up(name, part, asked, problem)
            return error
        verdicts = await hearing.ends()
        heard = msgspec.structs.replace(
            hearing.heard,
            is_closed=True,
            is_unread=not hearing.is_understood,
            spent=_spent(asked, answered),
            problem=_problem(hearing, answered),
        )
        await self._end(name, part, heard, verdicts)
        if hearing.mark is not None:
            await let_go(model, hearing.mark)
        return None

    async def _give_up(self, name: str, part: Part, asked: Asked, why: str) -> None:
        heard = msgspec.structs.replace(
            asked.hearing.heard, spent=asked.wasted, problem=why
        )
        await self._end(name, part, heard, ())

    async def _end(
        self, name: str, part: Part, heard: PartHeard, verdicts: Sequence[Verdict]
    ) -> None:
        case = self._case
        self._count(name, part, heard)
        rows = case.take(verdicts)
        await case.steps.end(name, heard, *rows)
        case.show(verdicts)

    def _count(self, name: str, part: Part, heard: PartHeard) -> None:
        case = self._case
        case.asked = None
        case.count(name, heard.spent)
        self._n_answered += heard.is_closed and not heard.is_unread
        self._n_unread += heard.is_unread
        if heard.problem:
            paths = dict.fromkeys(excerpt.path for excerpt in part.excerpts)
            case.miss([LeftOutFile(path=path, reason=heard.problem) for path in paths])


def _spent(asked: Asked, answered: Answered) -> Cost:
    *others, last = asked.hearing.heard.marks
    # What a provider has counted is of all of its response, begun anew or not.
    given_up = [
        mark
        for mark in others
        if mark.response_id is None or mark.response_id != last.response_id
    ]
    wasted = wasted_on_all(asked.model, asked.request, given_up)
    return wasted + spent_on(asked.model, asked.request, answered.usage, last.text)


def _problem(hearing: PartHearing, answered: Answered) -> str:
    if not hearing.is_understood:
        return "the model's answer could not be read"
    if answered.reason == "length" or hearing.is_cut:
        return "the model's answer was cut short, so there may be more to find"
    return ""


def _step_name(n: int, n_parts: int) -> str:
    return "Reviewing" if n_parts == 1 else f"Reviewing part {n + 1} of {n_parts}"
