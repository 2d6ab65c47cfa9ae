"""Reviewing: asks the deep model about one part after the other.

One at a time, so that a part's findings are judged with the earlier ones known.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from redline.assist.review.job.answer_reader import (
    PartAnswer,
    PartAnswerReader,
    Verdict,
)
from redline.assist.review.job.brief import Brief
from redline.assist.review.job.cost import cost_of_answer, wasted_cost_of_all
from redline.assist.review.job.model_client import ModelAnswer, ask
from redline.assist.review.job.questions import review_question
from redline.assist.review.job.review_job import OpenQuestion, ReviewJob
from redline.assist.tiers.cost import Cost
from redline.errors import AnswerUnreadableError, HeldBackError, ModelError
from redline.findings.claim_judge import ClaimJudge
from redline.findings.parts import Part, Parts, split
from redline.findings.scope import LeftOutFile, ReviewScope
from redline.prompts.tokens import most_tokens
from redline.store.review_change import StoredStep

_FROM, _TO = 20, 70
"""The progress percentages that reviewing covers."""

_TOO_DEAR = "the cost limit was reached"


class Reviewing:
    """The reviewing of one review."""

    def __init__(
        self, job: ReviewJob, scope: ReviewScope, brief: Brief, judging: ClaimJudge
    ) -> None:
        self._job = job
        self._scope = scope
        self._brief = brief
        self._judging = judging
        self._n_answered = 0
        """Parts whose answer was read, whole or cut."""
        self._n_unread = 0
        """Parts whose answer could not be read."""

    async def run(self) -> None:
        """Ask about every part; a part without an answer is listed as left out.

        Raises:
            HeldBackError: If no part has one, and a file of the last is excluded now.
            ModelError: If no part has an answer that could be read.
        """
        job = self._job
        await job.enter("reviewing", "Reviewing", _FROM)
        split_up = await job.steps.once("split", Parts, self._split)
        parts = split_up.parts
        job.leave_out(split_up.left_out)
        failure: HeldBackError | ModelError | None = None
        for n, part in enumerate(parts):
            job.advance(
                _FROM + (_TO - _FROM) * n // len(parts), _step_name(n, len(parts))
            )
            failure = await self._review(n, part) or failure
        if self._n_answered:
            return
        if failure is not None:
            raise failure
        if self._n_unread:
            model = job.tools.tiers.choose(job.tier).model.describe().label
            raise AnswerUnreadableError(
                f"The answer of model {model} could not be read, so nothing was "
                "reviewed.",
                model=model,
            )

    async def _split(self) -> Parts:
        settings = self._job.tools.settings().review
        return await self._job.tools.in_thread(
            split,
            self._scope.files,
            budget=settings.part_tokens,
            count=most_tokens,
            max_parts=settings.max_parts,
        )

    async def _review(self, n: int, part: Part) -> HeldBackError | ModelError | None:
        """Review one part; return the error if there is no answer about it."""
        name = f"part {n}"
        job, steps = self._job, self._job.steps

        async def keep(heard: PartAnswer, verdicts: Sequence[Verdict]) -> None:
            rows = job.take(verdicts)
            note = steps.note if verdicts else steps.note_at_once
            await note(name, heard, *rows)
            job.show(verdicts)

        answer_reader = PartAnswerReader(
            judge=self._judging.judge,
            table=self._brief.table,
            code="\n".join(excerpt.text for excerpt in part.excerpts),
            texts={file.path: file.text for file in self._scope.files},
            keep=keep,
            in_thread=job.tools.in_thread,
        )
        # Restore what an earlier run has read; its findings are stored and shown.
        heard = await job.tools.in_thread(steps.noted, name, PartAnswer) or PartAnswer()
        job.findings.add(await job.tools.in_thread(answer_reader.replay, heard))
        if steps.is_done(name):
            self._count(name, part, heard)
            return None
        # Ask, or resume the answer, unless that would exceed the cost limit.
        request = await job.tools.in_thread(
            review_question,
            self._scope,
            part,
            self._brief,
            cache_key=job.tools.cache_key,
        )
        model = job.tools.tiers.choose(job.tier).model
        asked = OpenQuestion(model=model, request=request, answer_reader=answer_reader)
        job.ask(asked)
        if not (asked.is_kept or job.may_spend):
            await self._give_up(name, part, asked, _TOO_DEAR)
            return None
        return await self._ask(name, part, asked)

    async def _ask(
        self, name: str, part: Part, asked: OpenQuestion
    ) -> HeldBackError | ModelError | None:
        job, model, answer_reader = self._job, asked.model, asked.answer_reader
        try:
            answered = await ask(
                model,
                asked.request,
                answer_reader,
                job.asking([*_paths(part), *self._brief.paths]),
                mark=answer_reader.mark,
            )
        except HeldBackError as error:
            await self._give_up(name, part, asked, str(error))
            return error
        except ModelError as error:
            problem = f"the model did not answer: {error}"
            if not job.may_spend:
                problem += f" It was not asked again, as {_TOO_DEAR}."
            await self._give_up(name, part, asked, problem)
            return error
        verdicts = await answer_reader.ends()
        heard = msgspec.structs.replace(
            answer_reader.heard,
            is_closed=True,
            is_unread=not answer_reader.is_understood,
            spent=_spent(asked, answered),
            problem=_problem(answer_reader, answered),
        )
        heard = await job.tools.in_thread(answer_reader.without_keys, heard)
        mark = answer_reader.mark
        ended = None if mark is None else mark.response_id
        unwanted = job.unwanted(asked, ended=ended)
        await self._end(name, part, heard, verdicts, unwanted)
        return None

    async def _give_up(
        self, name: str, part: Part, asked: OpenQuestion, why: str
    ) -> None:
        answer_reader = asked.answer_reader
        heard = msgspec.structs.replace(
            answer_reader.heard, spent=asked.wasted, problem=why
        )
        heard = await self._job.tools.in_thread(answer_reader.without_keys, heard)
        await self._end(name, part, heard, (), self._job.unwanted(asked))

    async def _end(
        self,
        name: str,
        part: Part,
        heard: PartAnswer,
        verdicts: Sequence[Verdict],
        unwanted: Sequence[StoredStep],
    ) -> None:
        job = self._job
        self._count(name, part, heard)
        rows = job.take(verdicts)
        await job.steps.end(name, heard, *rows, *unwanted)
        job.show(verdicts)
        job.delete(unwanted)

    def _count(self, name: str, part: Part, heard: PartAnswer) -> None:
        job = self._job
        job.answered(name, heard.spent)
        self._n_answered += heard.is_closed and not heard.is_unread
        self._n_unread += heard.is_unread
        if heard.problem:
            job.miss(
                LeftOutFile(path=path, reason=heard.problem) for path in _paths(part)
            )


def _paths(part: Part) -> tuple[str, ...]:
    return tuple(dict.fromkeys(excerpt.path for excerpt in part.excerpts))


def _spent(asked: OpenQuestion, answered: ModelAnswer) -> Cost:
    *others, last = asked.answer_reader.heard.marks
    # A provider's count covers its whole response, restarts included.
    given_up = [
        mark
        for mark in others
        if mark.response_id is None or mark.response_id != last.response_id
    ]
    wasted = wasted_cost_of_all(asked.model, asked.request, given_up)
    return wasted + cost_of_answer(
        asked.model, asked.request, answered.usage, last.text
    )


def _problem(answer_reader: PartAnswerReader, answered: ModelAnswer) -> str:
    if not answer_reader.is_understood:
        return "the model's answer could not be read"
    if answered.reason == "length" or answer_reader.is_cut:
        return "the model's answer was cut short, so there may be more to find"
    return ""


def _step_name(n: int, n_parts: int) -> str:
    return "Reviewing" if n_parts == 1 else f"Reviewing part {n + 1} of {n_parts}"
