"""Verifies findings: the standard tier tries to refute each, in a clean context.

A finding that is not refuted gets a fix. Its confidence comes from what is verified
here, never from a model's own estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from redline.assist.edit.cost import Cost
from redline.assist.review.job.brief import Brief
from redline.assist.review.job.cost import NOTHING
from redline.assist.review.job.fixing import Fixed
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.job.questions import refute_question
from redline.assist.review.job.short_answers import ask_briefly
from redline.findings.confidence import after_fix, after_refutation
from redline.findings.finding import Finding
from redline.findings.refutation import Refutation, parse_refutation
from redline.findings.scope import ReviewedFile
from redline.keys_in_use import without_known_keys


class Challenged(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of trying to refute a finding."""

    refutation: Refutation | None = None
    """None: no model was asked, or none answered."""
    spent: Cost = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class ToVerify:
    """A finding, its file, and the brief of the review."""

    finding: Finding
    file: ReviewedFile
    brief: Brief


async def challenge(
    task: ToVerify,
    tools: JobTools,
    *,
    may_spend: Callable[[], bool],
    on_cancelled: Callable[[Cost], None] = lambda spent: None,
) -> Challenged:
    """Ask the standard tier to refute a finding. Cancelling is safe.

    A failing model refutes nothing.

    Args:
        task: The finding.
        tools: Their standard tier is asked.
        may_spend: Whether the model may be asked again if it fails.
        on_cancelled: Receives the cost so far if this call is cancelled.
    """
    model = tools.tiers.choose("standard").model
    request = await tools.beside(
        refute_question,
        task.finding,
        task.file,
        task.brief,
        cache_key=tools.cache_key,
    )
    answer = await ask_briefly(
        model,
        request,
        tools.asking(may_spend=may_spend),
        on_cancelled=on_cancelled,
    )
    if answer.text is None:
        return Challenged(spent=answer.spent)
    refutation = parse_refutation(answer.text)
    reason = without_known_keys(refutation.reason)
    return Challenged(
        refutation=msgspec.structs.replace(refutation, reason=reason),
        spent=answer.spent,
    )


def verified(finding: Finding, challenged: Challenged, fixed: Fixed) -> Finding:
    """Return a finding with the confidence and the fix from its verification."""
    if challenged.refutation is not None:
        finding = after_refutation(finding, challenged.refutation)
    return finding if fixed.fix is None else after_fix(finding, fixed.fix)
