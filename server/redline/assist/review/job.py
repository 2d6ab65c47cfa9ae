"""One review from its first step to its last, or from where an earlier run left it.

The states, and which may follow which, are in `review.py`. Each step is stored before
it begins, and what it came to when it is done: see `steps.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from redline.assist.edit.cost import Cost
from redline.assist.review.brief import Brief, gather_brief
from redline.assist.review.case import Case
from redline.assist.review.confirming import Confirming
from redline.assist.review.review import Review
from redline.assist.review.reviewing import Reviewing
from redline.assist.review.scope import gather
from redline.errors import NotReviewableError
from redline.findings.claim_judge import ClaimJudge
from redline.findings.finding import Dismissal
from redline.findings.scope import ReviewScope


async def run_job(case: Case, dismissed: Sequence[Dismissal]) -> None:
    """Do what is left to do of a review.

    Cancelling is safe: it goes on from the last stored step when it is run again.

    Args:
        case: The review, with the steps that are stored.
        dismissed: What is not to be shown again.

    Raises:
        RedlineError: If it cannot be done.
    """
    await case.tools.tiers.ready()
    await case.recall()
    scope = await _gather(case)
    if not scope.files:
        await case.finish("There is nothing to review.")
        return
    judge = await case.tools.beside(
        ClaimJudge,
        scope,
        review_id=case.review.id,
        dismissed=dismissed,
        trusts_rules=not case.review.has_model,
    )
    if (same := await _same(case)) is not None:
        await case.refer_to(same, judge)
        await case.finish(_UNCHANGED)
        return
    _refuse_unknown_price(case)
    brief = await _brief(case, scope)
    await Reviewing(case, scope, brief, judge).run()
    await Confirming(case, scope, brief).run()
    await case.finish(" ".join(case.problems))


async def _gather(case: Case) -> ReviewScope:
    request, tools = case.review.request, case.tools
    await case.enter("gathering", "Reading what is to be reviewed", 1)

    async def read() -> ReviewScope:
        return await asyncio.to_thread(
            gather, request.target, roots=request.roots, documents=tools.documents()
        )

    scope = await case.steps.once("gather", ReviewScope, read)
    choice = tools.tiers.choose("deep")
    described = choice.model.describe()
    if choice.note is not None and described.is_model:
        case.problems.append(choice.note)
    case.leave_out(scope.left_out)
    await case.enter(
        "gathering",
        "Looking for related code",
        5,
        scope=scope.title,
        # Another model may find something else.
        fingerprint=f"{scope.fingerprint} {described.name}",
        has_model=described.is_model,
        models=_models(case),
    )
    return scope


def _models(case: Case) -> dict[str, str]:
    tiers = case.tools.tiers
    return {
        "reviewing": tiers.choose("deep").model.describe().label,
        "refuting": tiers.choose("standard").model.describe().label,
        "fixing": tiers.choose("fast").model.describe().label,
    }


async def _same(case: Case) -> Review | None:
    """Find an earlier review of the same text by the same model, if it will do."""
    review = case.review
    if review.request.is_forced:
        return None
    return await case.desk.last_done(review.request.workspace, review.fingerprint)


def _refuse_unknown_price(case: Case) -> None:
    """Refuse a limit of cost that could not be kept."""
    if case.review.request.max_cost is None:
        return
    for tier in ("deep", "standard", "fast"):
        described = case.tools.tiers.choose(tier).model.describe()
        if described.is_model and described.input_price is None:
            raise NotReviewableError(
                f"The price of model {described.label} is not known, so a limit of "
                "cost cannot be kept.",
                remedy="Review without a limit, or by another model.",
            )


async def _brief(case: Case, scope: ReviewScope) -> Brief:
    def on_note(n_done: int, n_all: int) -> None:
        case.advance(5 + 15 * n_done // max(1, n_all), "Reading related code")

    def on_spent(spent: Cost) -> None:
        case.count("brief", spent)

    brief = await case.steps.once(
        "brief",
        Brief,
        lambda: gather_brief(
            scope,
            case.review.request,
            case.tools,
            may_spend=lambda: case.may_spend,
            on_spent=on_spent,
            on_note=on_note,
        ),
    )
    case.problems += brief.problems
    case.leave_undone("read", brief.n_unread)
    return brief


_UNCHANGED = (
    "Nothing has changed since the last review of it, so its findings stand. "
    "`force`, in a terminal `--force`, reviews the same text again."
)
