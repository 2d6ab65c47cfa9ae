"""What is heard of an answer, and what of it is stored when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from tests.assist.review.answering_model import claim, findings

from redline.assist.review.asking import Mark
from redline.assist.review.hearing import PartHeard, PartHearing, Verdict
from redline.findings.finding import Claim, Dropped
from redline.prompts.secrets import NO_SECRETS

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def test_no_text_is_stored_without_its_findings() -> None:
    """The answer gets its name while the first finding is judged, and the process is
    killed then: the text would be taken for one whose findings are stored."""
    stored: list[tuple[str, int]] = []
    judging, go_on = asyncio.Event(), asyncio.Event()

    async def keep(heard: PartHeard, verdicts: Sequence[Verdict]) -> None:
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

    hearing = PartHearing(judge=judge, table=NO_SECRETS, keep=keep, beside=beside)
    await hearing.begins(Mark(model="deep"))
    answer = findings(claim("    return 1"))
    heard = Mark(model="deep", text=answer, response_id="resp_1")
    hears = asyncio.create_task(hearing.hears(answer, heard))
    await judging.wait()
    await hearing.is_known(Mark(model="deep", response_id="resp_1"))
    go_on.set()
    await hears

    assert stored == [("", 0), ("", 0), (answer, 1)]
    assert hearing.mark == heard
