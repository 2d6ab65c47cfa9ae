"""Reading an answer, and when its text and findings are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from tests.assist.review.answering_model import claim, findings

from redline.assist.review.job.answer_reader import (
    PartAnswer,
    PartAnswerReader,
    Verdict,
)
from redline.assist.review.job.model_client import AnswerMark
from redline.findings.finding import Claim, Dropped
from redline.prompts.secrets import NO_SECRETS

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def test_no_text_is_stored_without_its_findings() -> None:
    """The answer gets its name while the first finding is judged, and the process is
    killed then: the text would be taken for one whose findings are stored."""
    stored: list[tuple[str, int]] = []
    judging, go_on = asyncio.Event(), asyncio.Event()

    async def keep(heard: PartAnswer, verdicts: Sequence[Verdict]) -> None:
        text = "".join(mark.text for mark in heard.marks)
        stored.append((text, len(verdicts)))

    async def beside(
        work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        judging.set()
        await go_on.wait()
        return work(*args, **kwargs)

    def judge(claim: Claim) -> Dropped:
        return Dropped(claim=claim, reason="style", detail="")

    answer_reader = PartAnswerReader(
        judge=judge, table=NO_SECRETS, keep=keep, beside=beside
    )
    await answer_reader.begins(AnswerMark(model="deep"))
    answer = findings(claim("    return 1"))
    heard = AnswerMark(model="deep", text=answer, response_id="resp_1")
    hears = asyncio.create_task(answer_reader.hears(answer, heard))
    await judging.wait()
    await answer_reader.is_known(AnswerMark(model="deep", response_id="resp_1"))
    go_on.set()
    await hears

    assert stored == [("", 0), ("", 0), (answer, 1)]
    assert answer_reader.mark == heard
