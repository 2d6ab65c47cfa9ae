"""The prompt of an explanation: prose for a hover or a document, not an edit."""

from __future__ import annotations

from msgspec import Struct

from redline.prompts.blocks import Block, file_head, write_blocks
from redline.prompts.context import NO_CONTEXT, FittedContext
from redline.prompts.message import Prompt, one_question
from redline.prompts.render import render

QUESTION = "What does this code do, and what should one know before changing it?"
"""The question if the user asks none."""


class ExplainTask(Struct, frozen=True, kw_only=True):
    """Code that the user asks about. All text has LF line ends."""

    path: str
    """Relative to the workspace, or the bare file name; never absolute."""
    language: str
    before: str
    target: str
    """The lines to explain."""
    after: str
    question: str = QUESTION
    context: FittedContext = NO_CONTEXT


def explain_prompt(task: ExplainTask) -> Prompt:
    """Write the messages of an explanation."""
    blocks = [
        *task.context.head,
        Block(title="Code before the range", text=task.before),
        Block(title="Code after the range", text=task.after),
        *task.context.tail,
        Block(title="Range to explain", text=task.target),
        Block(title="Question", text=task.question),
    ]
    text = file_head(task.path, task.language) + "\n" + write_blocks(*blocks)
    return one_question(render("explain"), text)
