"""Confirming: the standard tier tries to refute each finding, in a clean context.

A finding that is not refuted gets a fix. Its confidence comes from what is verified
here, never from a model's own estimate.

Findings are independent of each other here, so several are confirmed concurrently.
"""

from __future__ import annotations

import asyncio

import msgspec

from redline.assist.review.job.brief import Brief
from redline.assist.review.job.cost import NOTHING
from redline.assist.review.job.fixing import Fixed, Fixer, ToFix
from redline.assist.review.job.job_findings import JobFinding
from redline.assist.review.job.questions import refute_question
from redline.assist.review.job.review_job import ReviewJob
from redline.assist.review.job.short_answers import ask_briefly
from redline.assist.tiers.cost import Cost
from redline.errors import RedlineError
from redline.findings.confidence import after_fix, after_refutation
from redline.findings.finding import Finding
from redline.findings.refutation import Refutation, parse_refutation
from redline.findings.scope import ReviewScope
from redline.keys_in_use import without_known_keys


class Challenged(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of trying to refute a finding."""

    refutation: Refutation | None = None
    """None: no model was asked, or none answered."""
    spent: Cost = NOTHING


N_AT_ONCE = 4
"""Findings that are confirmed at a time."""

_FROM, _TO = 70, 99
"""The progress percentages that verifying covers."""


class Confirming:
    """The verifying of one review."""

    def __init__(self, job: ReviewJob, scope: ReviewScope, brief: Brief) -> None:
        self._job = job
        self._brief = brief
        self._files = {file.path: file for file in scope.files}
        self._fixer = Fixer(job.tools, roots=job.review.request.roots)
        self._slots = asyncio.Semaphore(N_AT_ONCE)
        self._n_done = 0

    async def run(self) -> None:
        """Confirm every finding, after dropping those beyond `review.max_findings`."""
        job = self._job
        await job.enter("verifying", "Verifying", _FROM)
        if job.review.request.is_live:
            for found in job.findings.kept:
                if found.finding.severity == "low":
                    await job.drop(found, "minor", "A review on save shows the others.")
        limit = job.tools.settings().review.max_findings
        for found in job.findings.beyond(limit):
            await job.drop(found, "too-many", f"{limit} worse ones are shown.")
        failure: Exception | None = None
        kept = job.findings.kept
        try:
            async with asyncio.TaskGroup() as group:
                for found in kept:
                    group.create_task(self._see_to(found, len(kept)))
        except* RedlineError as errors:
            failure = errors.exceptions[0]
        if failure is not None:
            raise failure

    async def _see_to(self, found: JobFinding, n_all: int) -> None:
        async with self._slots:
            await self._verify(found)
        self._n_done += 1
        self._job.advance(_FROM + (_TO - _FROM) * self._n_done // n_all)

    async def _verify(self, found: JobFinding) -> None:
        challenged = await self._challenge(found)
        refutation = challenged.refutation
        if refutation is not None and refutation.verdict == "refuted":
            await self._job.drop(found, "refuted", refutation.reason)
            return
        fixed = await self._fix(found)
        await self._job.change(found, _verified(found.finding, challenged, fixed))

    async def _challenge(self, found: JobFinding) -> Challenged:
        job = self._job
        name = f"challenge {found.finding.id}"
        done = job.steps.done(name, Challenged)
        if done is None:
            model = job.tools.tiers.choose("standard").model
            # What a linter says is true of the code; a model has nothing to add.
            is_doubtful = model.describe().is_model and not found.finding.rule
            if not (is_doubtful and job.tools.settings().review.refute):
                return Challenged()
            if not job.may_spend:
                job.leave_undone("refute")
                return Challenged()
            done = await job.steps.once(
                name, Challenged, lambda: self._refute(found, name)
            )
        job.count(name, done.spent)
        return done

    async def _refute(self, found: JobFinding, name: str) -> Challenged:
        """Ask the standard tier to refute it; a failing model refutes nothing."""
        job = self._job
        request = await job.tools.in_thread(
            refute_question,
            found.finding,
            self._files[found.finding.file],
            self._brief,
            cache_key=job.tools.cache_key,
        )
        answer = await ask_briefly(
            job.tools.tiers.choose("standard").model,
            request,
            job.tools.asking(
                job.check_files([found.finding.file, *self._brief.paths]),
                may_spend=lambda: job.may_spend,
            ),
            on_cancelled=lambda spent: job.count(name, spent),
        )
        if answer.text is None:
            return Challenged(spent=answer.spent)
        refutation = parse_refutation(answer.text)
        reason = without_known_keys(refutation.reason)
        return Challenged(
            refutation=msgspec.structs.replace(refutation, reason=reason),
            spent=answer.spent,
        )

    async def _fix(self, found: JobFinding) -> Fixed:
        job = self._job
        if not job.tools.settings().review.fixes or job.review.request.is_live:
            return Fixed()
        if not found.finding.is_place_sure:
            return Fixed()  # It might change lines that are right.
        name = f"fix {found.finding.id}"
        task = ToFix(
            finding=found.finding,
            claim=found.claim,
            file=self._files[found.finding.file],
            table=self._brief.table,
        )
        done = await job.steps.once(
            name,
            Fixed,
            lambda: self._fixer.fix(
                task,
                may_ask=lambda: job.may_spend,
                on_spent=lambda spent: job.count(name, spent),
            ),
        )
        job.leave_undone("fix", int(done.is_unasked))
        return done


def _verified(finding: Finding, challenged: Challenged, fixed: Fixed) -> Finding:
    """Return a finding with the confidence and the fix from its verification."""
    if challenged.refutation is not None:
        finding = after_refutation(finding, challenged.refutation)
    return finding if fixed.fix is None else after_fix(finding, fixed.fix)
