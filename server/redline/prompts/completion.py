"""The prompt of a completion, for models that have no mode for filling in."""

from __future__ import annotations

from dataclasses import dataclass

from redline.prompts.blocks import Block, file_head, write_blocks
from redline.prompts.context import NO_CONTEXT, FittedContext
from redline.prompts.message import ChatMessage, Prompt
from redline.prompts.render import render

CURSOR = "<CURSOR>"
"""Marks the place; whatever else the text holds, the last one is ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionTask:
    """One place in a file. All text has LF line ends."""

    path: str
    """Relative to the workspace, or the bare file name; never absolute."""
    language: str
    prefix: str
    """What stands before the cursor, perhaps only the nearest lines."""
    suffix: str
    context: FittedContext = NO_CONTEXT


def completion_prompt(task: CompletionTask) -> Prompt:
    """Write the messages of a completion.

    What is typed at is the end of the text: from one keystroke to the next all before
    it stays the same, and can be cached.
    """
    blocks = [
        *task.context.head,
        Block(title="Code after the cursor", text=task.suffix),
        *task.context.tail,
        Block(title="Code before the cursor", text=task.prefix + CURSOR),
    ]
    text = file_head(task.path, task.language) + "\n" + write_blocks(*blocks)
    return Prompt(
        instructions=render("completion", cursor=CURSOR),
        chat_messages=(ChatMessage(role="user", text=text),),
    )
