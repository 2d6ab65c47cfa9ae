"""Removes an instruction that was written as a comment from its range, so that no rule
treats the comment as code.
"""

from __future__ import annotations

from dataclasses import replace

from redline.prompts.edit import EditTask
from redline.text.instruction_comment import CommentFilter
from redline.text.lines import split_lines


def without_instruction_comment(task: EditTask) -> EditTask:
    """Return the task without the comment that its instruction comes from."""
    if task.from_comment is None:
        return task
    left = CommentFilter(task.from_comment).feed(split_lines(task.target))
    return replace(task, target="".join(left))
