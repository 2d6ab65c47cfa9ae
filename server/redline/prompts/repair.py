"""The prompts that follow a draft: for the model that wrote it, or for a higher tier.

A repair sends the problems back in the same conversation. An escalation, and the review
of a draft, is the edit's own prompt followed by the draft, in a new conversation
without the lower tier's messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from redline.prompts.blocks import Block, on_one_line, write_block
from redline.prompts.edit import FORMATS, EditTask, edit_prompt
from redline.prompts.message import ChatMessage, Prompt
from redline.prompts.render import TemplateName, render
from redline.text.reply import ReplyFormat

_NONE_FOUND = "- none by the automatic checks"


def repair_text(problems: Iterable[str], reply_format: ReplyFormat) -> str:
    """Write the message that follows the draft in a conversation that contains it."""
    return render(
        "repair",
        problems=write_block(Block(title="Problems", text=list_problems(problems))),
        format=render(FORMATS[reply_format]),
    )


def repair_prompt(task: EditTask, reply: str, problems: Iterable[str]) -> Prompt:
    """Write the whole conversation, for providers that keep none of it."""
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


def escalation_prompt(task: EditTask, draft: str, problems: Sequence[str]) -> Prompt:
    """Ask for an edit whose draft by a lower tier failed its checks.

    Args:
        task: The edit's task.
        draft: The range as the lower tier wrote it.
        problems: Messages of the checks that it failed.
    """
    return _with_draft("escalation", task, draft, problems)


def review_draft_prompt(
    task: EditTask, draft: str, problems: Sequence[str] = ()
) -> Prompt:
    """Ask for a review of a draft by the `draft` tier; the reply is the edit itself.

    Args:
        task: The edit's task.
        draft: The range as the draft tier wrote it.
        problems: Messages of the checks that it failed, often none.
    """
    return _with_draft("review-draft", task, draft, problems)


def _with_draft(
    name: TemplateName, task: EditTask, draft: str, problems: Sequence[str]
) -> Prompt:
    prompt = edit_prompt(task)
    *earlier, last = prompt.chat_messages
    listed = list_problems(problems) or _NONE_FOUND
    text = render(
        name,
        draft=write_block(Block(title="Draft of the range", text=draft)),
        problems=write_block(Block(title="Problems of the draft", text=listed)),
    )
    return Prompt(
        instructions=prompt.instructions,
        chat_messages=(
            *earlier,
            replace(last, text=f"{last.text}\n{text}"),
        ),
    )
