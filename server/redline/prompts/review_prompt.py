"""The prompt of a deep review.

Findings come back as JSON that contains quotes; `answer_schema` has its form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import get_args

from redline.findings.finding import Category, Severity
from redline.findings.parts import Excerpt
from redline.prompts.blocks import Block, on_one_line, write_blocks
from redline.prompts.context import NO_CONTEXT, FittedContext
from redline.prompts.message import Prompt, one_question
from redline.prompts.render import render

_LINES = "Lines in question, counted from 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTask:
    """The subject of a review. All text has LF line ends."""

    scope: str
    """The subject as the end of a sentence: "these lines of a.py"."""
    excerpts: Sequence[Excerpt]
    """The code, with its lines in question and its diff."""
    notes: Sequence[Block] = ()
    """Further notes: related code, linter messages."""
    context: FittedContext = NO_CONTEXT


def review_prompt(task: ReviewTask) -> Prompt:
    """Write the messages of a review; `FindingStream` reads the answer."""
    changes = [
        Block(title=f"Change of {on_one_line(one.path)}", text=one.diff, path=one.path)
        for one in task.excerpts
        if one.diff
    ]
    lines = "\n".join(
        f"{_title(one)}: {', '.join(f'{a + 1}-{b}' for a, b in one.spans)}"
        for one in task.excerpts
    )
    blocks = [
        *task.context.head,
        *map(code_block, task.excerpts),
        *task.notes,
        *task.context.tail,
        *changes,
        Block(title=_LINES, text=lines),
    ]
    text = f"{write_blocks(*blocks)}\nReview {task.scope}.\n"
    return one_question(_instructions(), text)


def code_block(excerpt: Excerpt) -> Block:
    """Show an excerpt under a title that names its place."""
    return Block(title=_title(excerpt), text=excerpt.text, path=excerpt.path)


@cache
def _instructions() -> str:
    return render(
        "review",
        severities=" | ".join(get_args(Severity)),
        categories=" | ".join(get_args(Category)),
    )


def _title(excerpt: Excerpt) -> str:
    place = "" if excerpt.is_whole else f", from line {excerpt.first_line + 1}"
    return f"Code of {on_one_line(excerpt.path)}{place} ({excerpt.language})"
