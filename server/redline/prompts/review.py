"""The prompt of a deep review. Findings come back as JSON that names its quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from redline.findings.finding import Category, Severity
from redline.prompts.blocks import Block, write_blocks
from redline.prompts.context import NO_CONTEXT, FittedContext
from redline.prompts.message import ChatMessage, Prompt
from redline.prompts.render import render


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTask:
    """What is reviewed. All text has LF line ends."""

    scope: str
    """What the review is about, as the end of a sentence: "these lines of a.py"."""
    files: Sequence[Block]
    """The code, one block a file; the titles are the paths."""
    notes: Sequence[Block] = ()
    """What is known besides: the diff, related code, what linters say."""
    context: FittedContext = NO_CONTEXT


def review_prompt(task: ReviewTask) -> Prompt:
    """Write the messages of a review."""
    blocks = [*task.context.head, *task.files, *task.notes, *task.context.tail]
    text = write_blocks(*blocks) + f"\nReview {task.scope}.\n"
    instructions = render(
        "review",
        severities=" | ".join(get_args(Severity)),
        categories=" | ".join(get_args(Category)),
    )
    return Prompt(
        instructions=instructions,
        chat_messages=(ChatMessage(role="user", text=text),),
    )
