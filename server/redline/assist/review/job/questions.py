"""The questions of a review: requests to models, with secrets hidden.

Building one is slow, since it searches for secrets: call these in a thread.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from redline.assist.review.job.brief import Brief
from redline.findings.finding import Finding
from redline.findings.parts import Excerpt, Part, split
from redline.findings.scope import ReviewedFile, ReviewScope
from redline.models.interface import GenerationRequest
from redline.prompts.answer_schema import findings_schema, verdict_schema
from redline.prompts.redaction import hide_all
from redline.prompts.review_prompt import (
    RefuteTask,
    ReviewTask,
    refute_prompt,
    review_prompt,
)
from redline.prompts.tokens import most_tokens

REFUTE_TOKENS = 6_000
"""Budget for the code around a finding that is to be refuted."""


def review_question(
    scope: ReviewScope, part: Part, brief: Brief, *, cache_key: str
) -> GenerationRequest:
    """Build the request that asks for findings about one part."""
    task = ReviewTask(
        scope=hide_all([("", scope.title)], brief.table).texts[0],
        excerpts=_hidden_excerpts(part.excerpts, brief),
        notes=brief.blocks,
    )
    return GenerationRequest(
        prompt=review_prompt(task),
        task=task,
        text_format=findings_schema(),
        background=True,
        cache_key=cache_key,
        kind="review",
    )


def refute_question(
    finding: Finding, file: ReviewedFile, brief: Brief, *, cache_key: str
) -> GenerationRequest:
    """Build the request that asks whether a finding is true."""
    texts = [
        (file.path, finding.quote),
        ("", finding.title),
        ("", finding.explanation),
    ]
    hidden = hide_all(texts, brief.table)
    quote, title, explanation = hidden.texts
    task = RefuteTask(
        path=hidden.paths[0],
        quote=quote,
        title=title,
        explanation=explanation,
        excerpts=_hidden_excerpts(_around(finding, file), brief),
        notes=brief.blocks,
    )
    return GenerationRequest(
        prompt=refute_prompt(task),
        text_format=verdict_schema(),
        cache_key=cache_key,
        kind="review",
    )


def _around(finding: Finding, file: ReviewedFile) -> tuple[Excerpt, ...]:
    span = (finding.first_line, finding.end_line)
    alone = msgspec.structs.replace(file, spans=(span,), diff="")
    parts = split([alone], budget=REFUTE_TOKENS, count=most_tokens, max_parts=1).parts
    return parts[0].excerpts if parts else ()


def _hidden_excerpts(excerpts: Sequence[Excerpt], brief: Brief) -> tuple[Excerpt, ...]:
    texts = [
        (excerpt.path, text)
        for excerpt in excerpts
        for text in (excerpt.text, excerpt.diff)
    ]
    hidden = hide_all(texts, brief.table)
    return tuple(
        msgspec.structs.replace(excerpt, path=path, text=text, diff=diff)
        for excerpt, path, text, diff in zip(
            excerpts,
            hidden.paths[::2],
            hidden.texts[::2],
            hidden.texts[1::2],
            strict=True,
        )
    )
