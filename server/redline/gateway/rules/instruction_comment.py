"""Instructions that were written as a comment in the range: the range without them, so
that no rule takes the comment for code.
"""

from __future__ import annotations

from dataclasses import replace

from redline.prompts.edit import EditTask
from redline.text.instruction_comment import CommentFilter
from redline.text.lines import split_lines


def without_instruction_comment(task: EditTask) -> EditTask:
    """Take the comment that the instruction comes from out of the range."""
    if task.from_comment is None:
        return task
    left = CommentFilter(task.from_comment).feed(split_lines(task.target))
    return replace(task, target="".join(left))
