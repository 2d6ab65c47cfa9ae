"""The prompts of a deep review: to review, to refute a finding, and for scouts.

Findings come back as JSON that contains quotes; `answer_schema` has its form. A
refutation is a new context: one claim, and its code. A scout reads a part of a related
file for the reviewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import get_args

from msgspec import Struct

from redline.findings.finding import Category, Severity
from redline.findings.parts import Excerpt
from redline.prompts.blocks import Block, on_one_line, write_blocks
from redline.prompts.context import NO_CONTEXT, FittedContext
from redline.prompts.message import Prompt, one_question
from redline.prompts.render import render

_LINES = "Lines in question, counted from 1"

NOTHING = "NOTHING"
"""A scout's reply if it found nothing useful, as in the template."""


class ReviewTask(Struct, frozen=True, kw_only=True):
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


class RefuteTask(Struct, frozen=True, kw_only=True):
    """A finding and its code. All text has LF line ends."""

    path: str
    quote: str
    """The lines as they are in the file."""
    title: str
    explanation: str
    excerpts: Sequence[Excerpt]
    """The code around the quote, and code of other files that it depends on."""
    notes: Sequence[Block] = ()
    """Further notes, the same as for the reviewer."""


def refute_prompt(task: RefuteTask) -> Prompt:
    """Write the messages; `parse_refutation` reads the answer."""
    claim = f"{on_one_line(task.title)}\n\n{task.explanation}"
    blocks = [
        *map(code_block, task.excerpts),
        *task.notes,
        Block(title=f"Lines of {on_one_line(task.path)}", text=task.quote),
        Block(title="What is claimed of these lines", text=claim),
    ]
    return one_question(render("refute"), write_blocks(*blocks))


class ScoutTask(Struct, frozen=True, kw_only=True):
    """A text to read, and the review it is for. LF line ends, secrets hidden."""

    scope: str
    """The subject of the review, as the end of a sentence."""
    changed: str
    """The lines in question, as many as a fast prompt holds."""
    path: str
    """The related file."""
    first_line: int
    """Index of the first line of `text`, from 0; it is shown with line numbers."""
    text: str
    relation: str
    """How it is related, such as "caller"."""
    names: Sequence[str]
    """The names by which it was found."""


def scout_prompt(task: ScoutTask) -> Prompt:
    """Write the messages; the reply is prose with line numbers, or `NOTHING`."""
    numbered = "\n".join(
        f"{number}: {line}"
        for number, line in enumerate(task.text.split("\n"), task.first_line + 1)
    )
    names = ", ".join(map(on_one_line, task.names))
    blocks = [
        Block(title=f"Lines under review: {task.scope}", text=task.changed),
        Block(
            title=f"Part of {on_one_line(task.path)} ({task.relation} of {names})",
            text=numbered,
        ),
    ]
    return one_question(render("scout"), write_blocks(*blocks))
