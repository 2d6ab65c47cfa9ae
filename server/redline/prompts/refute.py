"""The prompt that tries to refute a finding: a new context, one claim, its code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.findings.parts import Excerpt
from redline.prompts.blocks import Block, on_one_line, write_blocks
from redline.prompts.message import Prompt, one_question
from redline.prompts.render import render
from redline.prompts.review_prompt import code_block


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuteTask:
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
