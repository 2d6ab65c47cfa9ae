"""The instruction of an edit that fixes a finding: its range is the quoted lines."""

from __future__ import annotations

from msgspec import Struct

from redline.prompts.blocks import Block, write_block
from redline.prompts.render import render
from redline.prompts.repair import list_problems


class FixTask(Struct, frozen=True, kw_only=True):
    """A finding to fix. All text has LF line ends."""

    title: str
    explanation: str
    proposal: str | None = None
    """The reviewer's own replacement of the lines, unchecked."""
    problems: tuple[str, ...] = ()
    """Messages of the checks about an earlier attempt."""


def instruction_to_fix(task: FixTask) -> str:
    """Write the instruction of the edit on the quoted lines, for `edit_prompt`."""
    blocks = []
    if task.proposal is not None:
        title = "What the reviewer proposes for the range, unchecked"
        blocks.append(Block(title=title, text=task.proposal))
    if task.problems:
        title = "What was wrong with an earlier try"
        blocks.append(Block(title=title, text=list_problems(task.problems)))
    return render(
        "fix",
        title=task.title,
        explanation=task.explanation,
        blocks="".join(f"\n{write_block(block)}" for block in blocks),
    )
