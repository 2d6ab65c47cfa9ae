"""Instructions that were written as a comment in the range: what they ask for, and the
range without them, so that no rule takes the comment for code.
"""

from __future__ import annotations

from dataclasses import replace

from redline.assist.actions.comment import Comment, order_at
from redline.assist.actions.generate import order_of
from redline.prompts.edit import EditTask
from redline.text.lines import line_end, strip_end

_MARKER = "redline:"


def without_order(task: EditTask) -> EditTask:
    """Take the comment that an instruction comes from out of both, if it does."""
    if _MARKER not in task.instruction:
        return task
    lines = task.target.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if _MARKER not in line.lower():
            continue
        comment = order_at(lines, number)
        if comment is not None and order_of(comment) == task.instruction:
            target = "".join(_without(lines, comment))
            return replace(task, instruction=comment.text, target=target)
    return task


def _without(lines: list[str], comment: Comment) -> list[str]:
    code = []
    if comment.has_code:
        first = lines[comment.first]
        content = strip_end(first)
        indent = len(content) - len(content.lstrip())
        kept = content[: indent + comment.n_code_chars].rstrip()
        code = [kept + line_end(first)]
    return [*lines[: comment.first], *code, *lines[comment.last + 1 :]]
