"""Reads the deep model's answer about one part and turns it into findings.

The text that a finding comes from is stored before the finding is shown. After a
restart the stored text is read again without notifying followers: the same text gives
the same findings, so none is lost and none appears twice. The parts of keys in use are
removed from the stored text exactly as from the findings, for the same reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from redline.assist.review.job.cost import NOTHING
from redline.assist.review.job.job_tools import RunInThread
from redline.assist.review.job.model_client import AnswerMark
from redline.assist.tiers.cost import Cost
from redline.findings.answer_stream import FindingStream
from redline.findings.finding import Claim, Dropped, Finding
from redline.keys_in_use import REDACTED, without_known_keys
from redline.prompts.redaction import (
    SecretTable,
    put_back,
    withholding,
    without_placeholders,
)

Verdict = tuple[Claim, Finding | Dropped]


class PartAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything received about one part."""

    marks: tuple[AnswerMark, ...] = ()
    """The answers: the last one continues, the earlier ones were given up."""
    is_closed: bool = False
    """Whether the last answer is complete."""
    spent: Cost = NOTHING
    is_unread: bool = False
    """Whether that answer could not be read as a list of findings."""
    problem: str = ""
    """Why the answer is missing or incomplete, a sentence; empty: it is complete."""


class PartAnswerReader:
    """Reads the answers about one part and stores what it has read."""

    def __init__(
        self,
        *,
        judge: Callable[[Claim], Finding | Dropped],
        table: SecretTable,
        code: str,
        texts: Mapping[str, str],
        keep: Callable[[PartAnswer, Sequence[Verdict]], Awaitable[None]],
        in_thread: RunInThread,
    ) -> None:
        """Create a reader that has received nothing.

        Args:
            judge: Decides on a claim; called in a thread, one claim at a time.
            table: The placeholders that replace secrets in the text.
            code: What the answer is about; a key in it may be quoted.
            texts: The files by path; a fix gets the secrets of its own one only.
            keep: Stores the text received, without keys, and its verdicts, then shows
                the verdicts.
            in_thread: Runs slow work in a thread.
        """
        self._judge = judge
        self._table = table
        self._code = code
        self._texts = texts
        self._keep = keep
        self._in_thread = in_thread
        self._lock = asyncio.Lock()
        self._marks: list[AnswerMark] = []
        self._stream = FindingStream()
        self._said: set[Claim] = set()
        """Claims of answers that were given up; when repeated, they are skipped."""
        self._claims: list[Claim] = []
        """Claims of the current answer."""

    @property
    def heard(self) -> PartAnswer:
        """Everything received so far."""
        return PartAnswer(marks=tuple(self._marks))

    @property
    def mark(self) -> AnswerMark | None:
        """How far the current answer has been read."""
        return self._marks[-1] if self._marks else None

    def replay(self, heard: PartAnswer) -> list[Verdict]:
        """Read a stored answer again; slow, so call it in a thread.

        Returns:
            The verdicts that it led to.
        """
        verdicts: list[Verdict] = []
        for mark in heard.marks:
            self._begin(mark)
            verdicts += self._verdicts(self._stream.feed(mark.text))
        if heard.is_closed:
            verdicts += self._verdicts(self._stream.close())
        return verdicts

    async def begins(self, mark: AnswerMark) -> None:
        """Give up the current answer and start a new one."""
        self._begin(mark)
        await self._store(())

    async def gets_id(self, mark: AnswerMark) -> None:
        """Store the id by which the provider can return the answer."""
        self._marks[-1] = msgspec.structs.replace(
            self._marks[-1], response_id=mark.response_id
        )
        await self._store(())

    async def continues(self, delta: str, mark: AnswerMark) -> None:
        """Read a delta; store and show the findings that are now complete."""
        claims = self._stream.feed(delta)
        verdicts = await self._in_thread(self._verdicts, claims) if claims else []
        # Set last: a concurrent store must not hold text without its findings.
        self._marks[-1] = mark
        if claims:
            await self._store(verdicts)

    async def ends(self) -> list[Verdict]:
        """Close the answer; return the verdicts on its last claims."""
        claims = self._stream.close()
        return await self._in_thread(self._verdicts, claims) if claims else []

    @property
    def is_understood(self) -> bool:
        """Whether the answer is a list of findings; known once it has ended."""
        return self._stream.ending != "no-answer"

    @property
    def is_cut(self) -> bool:
        """Whether the answer was cut short; known once it has ended."""
        return self._stream.ending == "cut"

    def without_keys(self, heard: PartAnswer) -> PartAnswer:
        """Remove the parts of keys in use from what is stored; slow."""
        marks = tuple(
            msgspec.structs.replace(mark, text=self._clean(mark.text))
            for mark in heard.marks
        )
        return msgspec.structs.replace(heard, marks=marks)

    async def _store(self, verdicts: Sequence[Verdict]) -> None:
        heard = self.heard
        # The lock keeps the order: what was received last is stored last.
        async with self._lock:
            # Not `in_thread`, which may wait: the answer of this id is paid for.
            clean = await asyncio.to_thread(self.without_keys, heard)
            await self._keep(clean, verdicts)

    def _begin(self, mark: AnswerMark) -> None:
        self._said.update(self._claims)
        self._claims.clear()
        self._marks.append(mark)
        self._stream = FindingStream()

    def _verdicts(self, claims: Sequence[Claim]) -> list[Verdict]:
        verdicts: list[Verdict] = []
        for hidden in claims:
            claim = self._revealed(hidden)
            if claim in self._said:
                continue
            self._claims.append(claim)
            verdict = self._judge(claim)
            if isinstance(verdict, Dropped):
                verdict = _without_odd_keys(verdict)
                claim = verdict.claim
            verdicts.append((claim, verdict))
        return verdicts

    def _revealed(self, claim: Claim) -> Claim:
        """Put secrets back into code, and remove keys that the code does not hold.

        A fix with such a key is left out: without the key it is another fix.
        """
        file = put_back(claim.file, self._table)
        text = self._texts.get(file, "")
        own = withholding(self._table, own=(), text=text)
        fix = None if claim.fix is None else put_back(claim.fix, own)
        if fix is not None and self._lacks_key(fix):
            fix = None
        return msgspec.structs.replace(
            claim,
            file=file,
            quote=self._clean(put_back(claim.quote, self._table)),
            title=self._prose(claim.title),
            explanation=self._prose(claim.explanation),
            fix=fix,
        )

    def _prose(self, text: str) -> str:
        return without_known_keys(without_placeholders(text, self._table))

    def _lacks_key(self, fix: str) -> bool:
        """Whether a key was removed from a fix, or would be from its stored text."""
        was_removed = REDACTED in fix and REDACTED not in self._code
        return was_removed or self._clean(fix) != fix

    def _clean(self, text: str) -> str:
        return without_known_keys(text, before=self._code)


def _without_odd_keys(dropped: Dropped) -> Dropped:
    """Remove keys from the fields that name a file or a kind.

    Only in a dropped claim are they the model's own words.
    """
    claim = dropped.claim
    clean = msgspec.structs.replace(
        claim,
        file=without_known_keys(claim.file),
        severity=without_known_keys(claim.severity),
        category=without_known_keys(claim.category),
        rule=without_known_keys(claim.rule or "") or None,
    )
    detail = without_known_keys(dropped.detail)
    return msgspec.structs.replace(dropped, claim=clean, detail=detail)
