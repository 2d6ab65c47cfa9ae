"""The prompt of a scout: it reads a part of a related file for a reviewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.prompts.blocks import Block, on_one_line, write_blocks
from redline.prompts.message import Prompt, one_question
from redline.prompts.render import render

NOTHING = "NOTHING"
"""A scout's reply if it found nothing useful, as in the template."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutTask:
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
