"""Verifies findings: the standard tier tries to refute each, in a clean context.

What is not refuted is worth a fix. How sure a finding is comes from what was verified
here, and from nothing that a model says of itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from redline.assist.edit.cost import Cost
from redline.assist.review.brief import Brief
from redline.assist.review.cost import NOTHING
from redline.assist.review.fixing import Fixed
from redline.assist.review.job_tools import JobTools
from redline.assist.review.questions import refute_question
from redline.assist.review.short_answers import ask_briefly
from redline.findings.confidence import after_fix, after_refutation
from redline.findings.finding import Finding
from redline.findings.refutation import Refutation, parse_refutation
from redline.findings.scope import ReviewedFile


class Challenged(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of trying to refute a finding."""

    refutation: Refutation | None = None
    """None: there was nobody to ask."""
    spent: Cost = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class ToVerify:
    """A finding, and what it is about."""

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
    """Have a finding refuted, if it can be. Cancelling is safe.

    A failing model refutes nothing.

    Args:
        task: The finding.
        tools: The standard tier is asked.
        may_spend: Whether it may be asked once more if it fails.
        on_cancelled: Takes what it took if this is cancelled.
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
    return Challenged(refutation=parse_refutation(answer.text), spent=answer.spent)


def verified(finding: Finding, challenged: Challenged, fixed: Fixed) -> Finding:
    """Take note of what was verified of a finding that was not refuted."""
    if challenged.refutation is not None:
        finding = after_refutation(finding, challenged.refutation)
    return finding if fixed.fix is None else after_fix(finding, fixed.fix)
