"""The prompt of an inline completion: for models that chat, and for those that fill in
the middle.

What changes with every key comes last, so that providers can cache the rest.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Literal

from msgspec import Struct

from redline.prompts.blocks import (
    Block,
    file_head,
    on_one_line,
    write_block,
    write_blocks,
)
from redline.prompts.message import ChatMessage, CodeGap, NearbyText, Prompt
from redline.prompts.render import render

_TITLES = {"signatures": "Defined in", "part": "Part of"}
_RECENT = "Recent edits, the last one last"
_BELOW = "Code below the cursor's line"
_ABOVE = "Code up to the cursor"


class NearbyCode(Struct, frozen=True, kw_only=True):
    """Code of another place."""

    path: str
    text: str
    kind: Literal["signatures", "part"]
    """Definitions up to their bodies, or a part of a file."""
    secrets: tuple[str, ...] = ()
    """What lines around it show to be secret in it; not written."""


class CompletionTask(Struct, frozen=True, kw_only=True):
    """What a model is shown; secrets are replaced already."""

    path: str
    language: str
    above: str
    """The lines above the cursor's, LF line ends."""
    left: str
    """The cursor's line before the cursor."""
    right: str
    below: str
    recent: str = ""
    """Recent edits in any file: paths, removed and added lines."""
    nearby: tuple[NearbyCode, ...] = ()
    """The most stable first."""


def completion_prompt(task: CompletionTask, *, cursor: str) -> Prompt:
    """Write the prompt.

    Args:
        task: What is shown; none of its texts holds the mark.
        cursor: The mark of the cursor.
    """
    above = f"{task.above}\n" if task.above else ""
    shown = f"{above}{task.left}{cursor}{task.right}"
    head = file_head(task.path, task.language)
    start = _start(head, task.nearby, task.recent, task.below)
    text = f"{start}\n{write_block(Block(title=_ABOVE, text=shown))}"
    return Prompt(
        instructions=_instructions(cursor),
        chat_messages=(ChatMessage(role="user", text=text),),
        gap=CodeGap(
            # Blanks before the cursor confuse models; they are added to the reply.
            prefix=above + (task.left if task.left.strip() else ""),
            suffix=f"{task.right}\n{task.below}" if task.below else task.right,
            path=task.path,
            nearby=tuple(NearbyText(path=x.path, text=x.text) for x in task.nearby),
        ),
    )


@cache
def _instructions(cursor: str) -> str:
    return render("completion", cursor=cursor)


@lru_cache(maxsize=16)
def _start(head: str, nearby: tuple[NearbyCode, ...], recent: str, below: str) -> str:
    """Write what stays the same from key to key."""
    blocks = [
        Block(
            title=f"{_TITLES[each.kind]} {on_one_line(each.path)}",
            text=each.text,
            path=each.path,
        )
        for each in nearby
    ]
    if recent:
        blocks.append(Block(title=_RECENT, text=recent))
    blocks.append(Block(title=_BELOW, text=below))
    return f"{head}\n{write_blocks(*blocks)}"
