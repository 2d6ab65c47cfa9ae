"""Confirming: each finding is challenged, and what stands gets a fix if one passes.

Findings do not depend on each other here, so several are seen to side by side.
"""

from __future__ import annotations

import asyncio

from redline.assist.review.brief import Brief
from redline.assist.review.case import Case
from redline.assist.review.fixing import Fixed, Fixer, ToFix
from redline.assist.review.found import Found
from redline.assist.review.verifying import (
    Challenged,
    ToVerify,
    challenge,
    verified,
)
from redline.errors import RedlineError
from redline.findings.scope import ReviewScope

N_AT_ONCE = 4
"""Findings that are seen to at a time."""

_FROM, _TO = 70, 99
"""Percentages that verifying takes."""


class Confirming:
    """The verifying of one review."""

    def __init__(self, case: Case, scope: ReviewScope, brief: Brief) -> None:
        self._case = case
        self._brief = brief
        self._files = {file.path: file for file in scope.files}
        self._fixer = Fixer(case.tools, roots=case.review.request.roots)
        self._turn = asyncio.Semaphore(N_AT_ONCE)
        self._n_done = 0

    async def run(self) -> None:
        """See to every finding."""
        case = self._case
        await case.enter("verifying", "Verifying", _FROM)
        limit = case.tools.settings().review.max_findings
        for found in case.findings.beyond(limit):
            await case.drop(found, "too-many", f"{limit} worse ones are shown.")
        failure: Exception | None = None
        kept = case.findings.kept
        try:
            async with asyncio.TaskGroup() as group:
                for found in kept:
                    group.create_task(self._see_to(found, len(kept)))
        except* RedlineError as errors:
            failure = errors.exceptions[0]
        if failure is not None:
            raise failure

    async def _see_to(self, found: Found, n_all: int) -> None:
        async with self._turn:
            await self._verify(found)
        self._n_done += 1
        self._case.advance(_FROM + (_TO - _FROM) * self._n_done // n_all)

    async def _verify(self, found: Found) -> None:
        challenged = await self._challenge(found)
        refutation = challenged.refutation
        if refutation is not None and refutation.verdict == "refuted":
            await self._case.drop(found, "refuted", refutation.reason)
            return
        fixed = await self._fix(found)
        await self._case.change(found, verified(found.finding, challenged, fixed))

    async def _challenge(self, found: Found) -> Challenged:
        case = self._case
        name = f"challenge {found.finding.id}"
        done = case.steps.done(name, Challenged)
        if done is None:
            model = case.tools.tiers.choose("standard").model
            # What a linter says is true of the code; a model has nothing to add.
            is_doubtful = model.describe().is_model and not found.finding.rule
            if not (is_doubtful and case.tools.settings().review.refute):
                return Challenged()
            if not case.may_spend:
                case.leave_undone("refute")
                return Challenged()
            task = ToVerify(
                finding=found.finding,
                file=self._files[found.finding.file],
                brief=self._brief,
            )
            done = await case.steps.once(
                name,
                Challenged,
                lambda: challenge(
                    task,
                    case.tools,
                    may_spend=lambda: case.may_spend,
                    on_cancelled=lambda spent: case.count(name, spent),
                ),
            )
        case.count(name, done.spent)
        return done

    async def _fix(self, found: Found) -> Fixed:
        case = self._case
        if not case.tools.settings().review.fixes:
            return Fixed()
        name = f"fix {found.finding.id}"
        task = ToFix(
            finding=found.finding,
            claim=found.claim,
            file=self._files[found.finding.file],
            table=self._brief.table,
        )
        done = await case.steps.once(
            name,
            Fixed,
            lambda: self._fixer.fix(
                task,
                may_ask=lambda: case.may_spend,
                on_spent=lambda spent: case.count(name, spent),
            ),
        )
        case.leave_undone("fix", int(done.is_unasked))
        return done
