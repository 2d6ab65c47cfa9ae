"""The prompt of a deep review. Findings come back as JSON that names its quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.findings.parts import Excerpt
from redline.prompts.blocks import Block
from redline.prompts.context import NO_CONTEXT, FittedContext
from redline.prompts.message import Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTask:
    """What is reviewed. All text has LF line ends."""

    scope: str
    """What the review is about, as the end of a sentence: "these lines of a.py"."""
    excerpts: Sequence[Excerpt]
    """The code; its lines in question and its diff are told with it."""
    notes: Sequence[Block] = ()
    """What is known besides: related code, what linters say."""
    context: FittedContext = NO_CONTEXT


def review_prompt(task: ReviewTask) -> Prompt:
    """Write the messages of a review; `FindingStream` reads the answer."""
    raise NotImplementedError


def read_review_task(prompt: Prompt) -> ReviewTask | None:
    """Read a task back from its prompt, without its context and its diffs.

    For the built-in rules engine, which takes the same path as a model.

    Returns:
        None if it is not a review prompt.
    """
    raise NotImplementedError
