"""The prompt that hands a draft to a higher tier: because it failed, or for review.

It is the edit's own prompt followed by the draft, in a new conversation without the
lower tier's messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from redline.prompts.blocks import Block, write_block
from redline.prompts.edit import EditTask, edit_prompt
from redline.prompts.message import Prompt
from redline.prompts.render import TemplateName, render
from redline.prompts.repair import list_problems

_NONE_FOUND = "- none by the automatic checks"


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
