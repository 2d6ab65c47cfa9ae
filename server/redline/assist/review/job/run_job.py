"""Runs one review from its first step to its last, or from where it was interrupted.

The states and their order are in `findings/review.py`. Each step is stored before it
begins, and its outcome when it is done: see `steps.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from redline.assist.review.change.running_git import owning_git
from redline.assist.review.change.saved import (
    crosses_boundary,
    saved_scope,
    widened,
)
from redline.assist.review.change.scope import gather
from redline.assist.review.job.brief import Brief, gather_brief
from redline.assist.review.job.confirming import Confirming
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.job.review_job import ReviewJob
from redline.assist.review.job.reviewing import Reviewing
from redline.assist.review.related.outlines import OUTLINE, SourceText
from redline.assist.tiers.cost import Cost
from redline.errors import NotReviewableError, ParserEndedError
from redline.findings.claim_judge import ClaimJudge
from redline.findings.finding import Dismissal
from redline.findings.scope import (
    ReviewedFile,
    ReviewScope,
    SinceReview,
    Span,
    Target,
)
from redline.syntax.language import language_of


async def run_job(job: ReviewJob, dismissed: Sequence[Dismissal]) -> None:
    """Run the remaining steps of a review.

    Cancelling is safe: another run resumes after the last stored step.

    Args:
        job: The review, with its stored steps.
        dismissed: Findings that must not be shown again.

    Raises:
        RedlineError: If the review fails.
    """
    await job.tools.tiers.ready()
    await job.recall()
    scope = await _gather(job)
    if not scope.files:
        is_since = isinstance(scope.target, SinceReview)
        await job.finish(_NOTHING_NEW if is_since else "There is nothing to review.")
        return
    judge = await job.tools.in_thread(
        ClaimJudge,
        scope,
        review_id=job.review.id,
        dismissed=dismissed,
        trusts_rules=not job.review.has_model,
    )
    if (same := await job.same()) is not None:
        await job.refer_to(same, judge)
        await job.finish(_UNCHANGED)
        return
    _refuse_unknown_price(job)
    brief = await _brief(job, scope)
    await Reviewing(job, scope, brief, judge).run()
    await Confirming(job, scope, brief).run()
    await job.finish(" ".join(job.problems))


async def _gather(job: ReviewJob) -> ReviewScope:
    request, tools = job.review.request, job.tools
    await job.enter("gathering", "Reading the code to review", 1)

    async def read() -> ReviewScope:
        is_since = isinstance(request.target, SinceReview)
        uris = _uris(request.target)
        reviewed = await job.reviewed(uris) if is_since else {}
        # A thread is not cancelled with its task, but without git it ends soon.
        with owning_git():
            return await asyncio.to_thread(
                gather,
                request.target,
                roots=request.roots,
                documents=tools.documents(),
                reviewed=reviewed,
            )

    scope = await job.steps.once("gather", ReviewScope, read)
    later: dict[str, tuple[Span, ...]] = {}
    if request.is_live:
        scope, later = saved_scope(scope)
        scope = await _with_definitions(scope, tools)
        if crosses_boundary(scope, tools.settings().routing):
            job.guard()
    job.has_read(scope, later=later)
    choice = tools.tiers.choose(job.tier)
    described = choice.model.describe()
    if choice.note is not None and described.is_model:
        job.note_problems([choice.note])
    job.leave_out(scope.left_out)
    await job.enter(
        "gathering",
        "Looking for related code",
        5,
        scope=scope.title,
        # Another model may have other findings.
        fingerprint=f"{scope.fingerprint} {described.name}",
        has_model=described.is_model,
        models=_models(job),
    )
    return scope


async def _with_definitions(scope: ReviewScope, tools: JobTools) -> ReviewScope:
    """Widen the changed places of a save to their definitions."""

    async def one(file: ReviewedFile) -> ReviewedFile:
        language = language_of(file.path)
        if language is None:
            return file
        source = SourceText(text=file.text, language=language)
        with suppress(ParserEndedError):
            return widened(file, (await tools.parser.run(OUTLINE, source)).definitions)
        return file

    return replace(scope, files=tuple([await one(file) for file in scope.files]))


def _uris(target: Target) -> tuple[str, ...]:
    """Return the files of a review on save; none: it is of a whole folder."""
    if not isinstance(target, SinceReview):
        return ()
    return tuple(f"{target.root.rstrip('/')}/{path}" for path in target.paths)


def _models(job: ReviewJob) -> dict[str, str]:
    tiers = job.tools.tiers
    return {
        "reviewing": tiers.choose(job.tier).model.describe().label,
        "refuting": tiers.choose("standard").model.describe().label,
        "fixing": tiers.choose("fast").model.describe().label,
    }


def _refuse_unknown_price(job: ReviewJob) -> None:
    """Raise if a cost limit is set and the price of a model is unknown."""
    if job.review.request.max_cost is None:
        return
    for tier in ("deep", "standard", "fast"):
        described = job.tools.tiers.choose(tier).model.describe()
        if described.is_model and described.input_price is None:
            raise NotReviewableError(
                f"The price of model {described.label} is not known, so a cost limit "
                "cannot be kept.",
                remedy="Review without a limit, or with another model.",
            )


async def _brief(job: ReviewJob, scope: ReviewScope) -> Brief:
    def on_note(n_done: int, n_all: int) -> None:
        job.advance(5 + 15 * n_done // max(1, n_all), "Reading related code")

    def on_spent(spent: Cost) -> None:
        job.count("brief", spent)

    brief = await job.steps.once(
        "brief",
        Brief,
        lambda: gather_brief(
            scope,
            job.review.request,
            job.tools,
            may_spend=lambda: job.may_spend,
            on_spent=on_spent,
            on_note=on_note,
            tier=job.tier,
        ),
    )
    job.note_problems(brief.problems)
    job.leave_undone("read", brief.n_unread)
    return brief


_NOTHING_NEW = "Nothing has changed since the last review."

_UNCHANGED = (
    "Nothing has changed since its last review, so the earlier findings stand. "
    "`force`, in a terminal `--force`, reviews the same text again."
)
