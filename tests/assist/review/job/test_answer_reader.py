"""Reading an answer, and when its text and findings are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

import pytest
from tests.assist.review.answering_model import claim, findings

from redline import keys_in_use
from redline.assist.review.job.answer_reader import (
    PartAnswer,
    PartAnswerReader,
    Verdict,
)
from redline.assist.review.job.model_client import AnswerMark
from redline.findings.finding import Claim, Dropped
from redline.keys_in_use import note_key
from redline.prompts.redaction import NO_SECRETS, SecretTable

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

    async def in_thread(
        work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        judging.set()
        await go_on.wait()
        return work(*args, **kwargs)

    def judge(claim: Claim) -> Dropped:
        return Dropped(claim=claim, reason="style", detail="")

    answer_reader = PartAnswerReader(
        judge=judge, table=NO_SECRETS, code="", texts={}, keep=keep, in_thread=in_thread
    )
    await answer_reader.begins(AnswerMark(model="deep"))
    answer = findings(claim("    return 1"))
    heard = AnswerMark(model="deep", text=answer, response_id="resp_1")
    reading = asyncio.create_task(answer_reader.continues(answer, heard))
    await judging.wait()
    await answer_reader.gets_id(AnswerMark(model="deep", response_id="resp_1"))
    go_on.set()
    await reading

    assert stored == [("", 0), ("", 0), (answer, 1)]
    assert answer_reader.mark == heard


async def test_the_stored_text_of_an_answer_has_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is read from it after a restart is what was read at first."""
    monkeypatch.setattr(keys_in_use, "_known", keys_in_use._KnownKeys())
    note_key("correct-horse-battery-staple")
    note_key("password")
    stored: list[tuple[PartAnswer, Sequence[Verdict]]] = []

    async def keep(heard: PartAnswer, verdicts: Sequence[Verdict]) -> None:
        stored.append((heard, verdicts))

    async def in_thread(
        work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        return work(*args, **kwargs)

    def judge(claim: Claim) -> Dropped:
        return Dropped(claim=claim, reason="style", detail="")

    def reader() -> PartAnswerReader:
        return PartAnswerReader(
            judge=judge,
            table=NO_SECRETS,
            code="    return password\n",
            texts={},
            keep=keep,
            in_thread=in_thread,
        )

    first = reader()
    await first.begins(AnswerMark(model="deep"))
    answer = findings(
        claim(
            "    return password",
            "It shows correct-horse-battery-staple",
            fix="    return 'correct-horse-battery-staple'",
        ),
        claim("horse-battery-staple", fix="    return None"),
        {**claim("x"), "file": "horse-battery-staple.py", "category": "se-battery"},
    )
    await first.continues(answer, AnswerMark(model="deep", text=answer))
    heard, verdicts = stored[-1]
    assert "horse-bat" not in str(stored)
    (shown, _), (invented, _), (odd, dropped) = verdicts
    assert isinstance(dropped, Dropped)
    assert dropped.claim == odd
    assert (odd.file, odd.category) == ("[redacted].py", "[redacted]")
    assert (shown.quote, shown.fix) == ("    return password", None)
    assert (invented.quote, invented.fix) == ("[redacted]", "    return None")
    assert reader().replay(heard) == verdicts


async def test_a_fix_gets_the_secrets_of_its_file_only() -> None:
    """The placeholder of another file's secret stays, and the checks refuse it."""
    shown: list[Verdict] = []

    async def keep(heard: PartAnswer, verdicts: Sequence[Verdict]) -> None:
        shown.extend(verdicts)

    async def in_thread(
        work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        return work(*args, **kwargs)

    def judge(claim: Claim) -> Dropped:
        return Dropped(claim=claim, reason="style", detail="")

    one = claim("x", fix="y = 'REDLINE_SECRET_000000REDLINE_SECRET_000001'")
    answer_reader = PartAnswerReader(
        judge=judge,
        table=SecretTable(secrets=("hunter2-of-a", "hunter2-of-b")),
        code="",
        texts={
            str(one["file"]): "x = 'hunter2-of-a'\n",
            "b.py": "x = 'hunter2-of-b'\n",
        },
        keep=keep,
        in_thread=in_thread,
    )
    await answer_reader.begins(AnswerMark(model="deep"))
    answer = findings(one)
    await answer_reader.continues(answer, AnswerMark(model="deep", text=answer))
    ((read, _),) = shown
    assert read.fix == "y = 'hunter2-of-aREDLINE_SECRET_000001'"
