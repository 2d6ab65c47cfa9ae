"""The prompt of a next edit: what the user changed, places, and the cursor.

What stays the same from one request to the next comes first, so that providers can
cache it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from redline.prompts.blocks import Block, file_head, on_one_line, write_blocks
from redline.prompts.message import ChatMessage, Prompt
from redline.prompts.render import render

_EDITS = "Changes, the last one last"
_PROBLEMS = "Problems that the editor reports near the cursor"


class ShownPlace(Struct, frozen=True, kw_only=True):
    """Some lines of a file."""

    path: str
    first: int
    """The number of the first line, from 1."""
    text: str
    """LF line ends, without a last one."""


class NextEditTask(Struct, frozen=True, kw_only=True):
    """What a model is shown; secrets are replaced already."""

    path: str
    language: str
    edits: str
    """The last changes, as `written_edit` writes each."""
    problems: str
    sites: tuple[ShownPlace, ...]
    window: ShownPlace
    """The lines around the cursor, with its mark."""


def next_edit_prompt(task: NextEditTask, *, cursor: str) -> Prompt:
    """Write the prompt.

    Args:
        task: What is shown; only the window holds the mark.
        cursor: The mark of the cursor.
    """
    blocks = [Block(title=_EDITS, text=task.edits)] if task.edits else []
    if task.problems:
        blocks.append(Block(title=_PROBLEMS, text=task.problems))
    blocks += [_block("Related place", site) for site in task.sites]
    blocks.append(_block("Code around the cursor", task.window))
    text = f"{file_head(task.path, task.language)}\n{write_blocks(*blocks)}"
    return Prompt(
        instructions=_instructions(cursor),
        chat_messages=(ChatMessage(role="user", text=text),),
    )


def written_edit(
    above: str, old: Sequence[str], new: Sequence[str], *, is_accepted: bool
) -> str:
    """Write one change: its lines before and after, with the line above them.

    Whole texts are easier for small models than a diff.
    """
    title = "updated (accepted suggestion):" if is_accepted else "updated:"
    return "\n".join(["original:", above, *old, title, above, *new])


def _block(title: str, place: ShownPlace) -> Block:
    path = on_one_line(place.path)
    return Block(title=f"{title}, {path} from line {place.first}", text=place.text)


@cache
def _instructions(cursor: str) -> str:
    return render("next-edit", cursor=cursor)
