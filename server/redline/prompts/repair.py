"""The prompt that sends a candidate's problems back to the model that wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from redline.prompts.blocks import Block, on_one_line, write_block
from redline.prompts.edit import FORMATS, EditTask, edit_prompt
from redline.prompts.message import ChatMessage, Prompt
from redline.prompts.render import render
from redline.text.reply import ReplyFormat


def repair_text(problems: Iterable[str], reply_format: ReplyFormat) -> str:
    """Write the message that follows the draft in a conversation that contains it.

    Args:
        problems: The problems' messages, in order.
        reply_format: The format of the edit.
    """
    return render(
        "repair",
        problems=write_block(Block(title="Problems", text=list_problems(problems))),
        format=render(FORMATS[reply_format]),
    )


def repair_prompt(task: EditTask, reply: str, problems: Iterable[str]) -> Prompt:
    """Write the whole conversation, for providers that keep none of it.

    Args:
        task: The edit's task.
        reply: The model's reply, as received.
        problems: The problems' messages, in order.
    """
    prompt = edit_prompt(task)
    return Prompt(
        instructions=prompt.instructions,
        chat_messages=(
            *prompt.chat_messages,
            ChatMessage(role="assistant", text=reply),
            ChatMessage(role="user", text=repair_text(problems, task.reply_format)),
        ),
    )


def list_problems(problems: Iterable[str]) -> str:
    """Write problems as a list, one per line."""
    return "\n".join(f"- {on_one_line(problem)}" for problem in problems)
