"""Reads the deep model's answer about one part, and makes findings of it.

What a finding is made of is stored before the finding is shown. After a restart the
stored text is heard again, without a word to anybody: the same text gives the same
findings, so nothing is lost and nothing is there twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from redline.assist.edit.cost import Cost
from redline.assist.review.cost import NOTHING
from redline.assist.review.job_tools import RunInThread
from redline.assist.review.model_client import AnswerMark
from redline.findings.answer_stream import FindingStream
from redline.findings.finding import Claim, Dropped, Finding
from redline.keys_in_use import without_known_keys
from redline.prompts.secrets import SecretTable, put_back

Verdict = tuple[Claim, Finding | Dropped]


class PartAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that was heard about one part."""

    marks: tuple[AnswerMark, ...] = ()
    """The answers: the last is gone on with, those before it were given up."""
    is_closed: bool = False
    """Whether the last answer has come to its end."""
    spent: Cost = NOTHING
    is_unread: bool = False
    """Whether that answer is no list of findings."""
    problem: str = ""
    """Why there is no whole answer, a sentence; empty: there is one."""


class PartAnswerReader:
    """Listens to the answers about one part."""

    def __init__(
        self,
        *,
        judge: Callable[[Claim], Finding | Dropped],
        table: SecretTable,
        keep: Callable[[PartAnswer, Sequence[Verdict]], Awaitable[None]],
        beside: RunInThread,
    ) -> None:
        """Begin.

        Args:
            judge: Decides on a claim; called in a thread, one claim at a time.
            table: What stands for the secrets in the text.
            keep: Stores what was heard and what came of it, then shows that.
            beside: Does what takes a while beside the event loop.
        """
        self._judge = judge
        self._table = table
        self._keep = keep
        self._beside = beside
        self._lock = asyncio.Lock()
        self._marks: list[AnswerMark] = []
        self._stream = FindingStream()
        self._said: set[Claim] = set()
        """Claims of answers that were given up: said again, they are nothing new."""
        self._claims: list[Claim] = []
        """Of the answer that goes on."""

    @property
    def heard(self) -> PartAnswer:
        """All that was heard."""
        return PartAnswer(marks=tuple(self._marks))

    @property
    def mark(self) -> AnswerMark | None:
        """Where the answer is that goes on."""
        return self._marks[-1] if self._marks else None

    def replay(self, heard: PartAnswer) -> list[Verdict]:
        """Hear again what was heard before; takes a while, so call it in a thread.

        Returns:
            What had come of it.
        """
        verdicts: list[Verdict] = []
        for mark in heard.marks:
            self._begin(mark)
            verdicts += self._verdicts(self._stream.feed(mark.text))
        if heard.is_closed:
            verdicts += self._verdicts(self._stream.close())
        return verdicts

    async def begins(self, mark: AnswerMark) -> None:
        """Take note that the answer so far will not go on."""
        self._begin(mark)
        await self._store(())

    async def is_known(self, mark: AnswerMark) -> None:
        """Store what the answer can be asked for by."""
        self._marks[-1] = msgspec.structs.replace(
            self._marks[-1], response_id=mark.response_id
        )
        await self._store(())

    async def hears(self, delta: str, mark: AnswerMark) -> None:
        """Take in what goes on; findings that are complete are stored and shown."""
        claims = self._stream.feed(delta)
        verdicts = await self._beside(self._verdicts, claims) if claims else []
        # Only now: what is stored meanwhile must not have a text without its findings.
        self._marks[-1] = mark
        if claims:
            await self._store(verdicts)

    async def ends(self) -> list[Verdict]:
        """Take note of the end; return what comes of the last words."""
        claims = self._stream.close()
        return await self._beside(self._verdicts, claims) if claims else []

    @property
    def is_understood(self) -> bool:
        """Whether the answer was one; known when it has ended."""
        return self._stream.ending != "no-answer"

    @property
    def is_cut(self) -> bool:
        """Whether the answer ends before its end; known when it has ended."""
        return self._stream.ending == "cut"

    async def _store(self, verdicts: Sequence[Verdict]) -> None:
        # One after the other: what is stored last is what was heard last.
        async with self._lock:
            await self._keep(self.heard, verdicts)

    def _begin(self, mark: AnswerMark) -> None:
        self._said.update(self._claims)
        self._claims.clear()
        self._marks.append(mark)
        self._stream = FindingStream()

    def _verdicts(self, claims: Sequence[Claim]) -> list[Verdict]:
        verdicts: list[Verdict] = []
        for hidden in claims:
            claim = _revealed(hidden, self._table)
            if claim in self._said:
                continue
            self._claims.append(claim)
            verdicts.append((claim, self._judge(claim)))
        return verdicts


def _revealed(claim: Claim, table: SecretTable) -> Claim:
    """Put the secrets back; what is only words, and no code, has no key of a model."""
    return msgspec.structs.replace(
        claim,
        quote=put_back(claim.quote, table),
        title=without_known_keys(put_back(claim.title, table)),
        explanation=without_known_keys(put_back(claim.explanation, table)),
        fix=None if claim.fix is None else put_back(claim.fix, table),
    )
