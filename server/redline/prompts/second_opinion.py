"""The prompt for a second opinion on a task's tier, and the reading of the answer.

The answer is one line of a few words, so that it is there before the edit.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from redline.printable import printable_line
from redline.prompts.blocks import Block, file_head, write_blocks
from redline.prompts.edit import EditTask
from redline.prompts.message import Prompt, one_question
from redline.prompts.render import render

MAX_OUTPUT_TOKENS = 40
"""Three words and a reason of ten."""

_MAX_N_TARGET = 6_000
_MAX_N_AROUND = 1_500
"""Characters of the range, and of the code on each side of it: a model on the same
machine reads some thousand tokens a second."""

_MAX_N_WHY = 90

_ANSWER = re.compile(
    r"[\s`*\"'-]*+(?P<level>fast|standard|deep)[\s`*,;:/-]++(?P<risk>safe|guarded)\b"
    r"[\s`*,;:.-]*+(?P<why>[^\n`]*+)",
    re.IGNORECASE,
)


class Opinion(Struct, frozen=True, kw_only=True):
    """What a model says about a task."""

    tier: Literal["fast", "standard", "deep"]
    """The tier that it needs; a guarded task is never `fast`."""
    is_guarded: bool
    why: str
    """A few words on one line; may be empty."""


def second_opinion_prompt(task: EditTask) -> Prompt:
    """Write the messages about a task whose secrets are hidden."""
    around = (
        Block(title="Code before the range", text=task.before[-_MAX_N_AROUND:]),
        Block(title="Range that changes", text=_cut(task.target)),
        Block(title="Code after the range", text=task.after[:_MAX_N_AROUND]),
        Block(title="Instruction", text=_cut(task.instruction)),
    )
    shown = write_blocks(*(block for block in around if block.text.strip()))
    head = file_head(task.path, task.language)
    return one_question(render("second-opinion"), f"{head}\n{shown}")


def read_opinion(text: str) -> Opinion | None:
    """Read an answer; None if it does not begin with a level and a risk."""
    found = _ANSWER.match(text)
    if found is None:
        return None
    is_guarded = found["risk"].lower() == "guarded"
    level = found["level"].lower()
    return Opinion(
        tier="deep"
        if level == "deep"
        else "standard"
        if is_guarded or level == "standard"
        else "fast",
        is_guarded=is_guarded,
        why=printable_line(found["why"])[:_MAX_N_WHY].strip().rstrip("."),
    )


def _cut(text: str) -> str:
    """Leave out the middle of a long text."""
    if len(text) <= _MAX_N_TARGET:
        return text
    half = _MAX_N_TARGET // 2
    return f"{text[:half]}\n[…]\n{text[-half:]}"
