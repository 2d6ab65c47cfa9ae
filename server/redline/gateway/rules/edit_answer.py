"""The rules engine for edits: turns an edit task into a reply as a model writes it.

Importing this module is cheap; the Python parser is loaded for Python files only.
"""

from __future__ import annotations

from itertools import zip_longest

from msgspec.structs import replace

from redline.gateway.rules.line_rules import apply_to_lines
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.gateway.rules.search_blocks import search_blocks
from redline.instructions.read import read_instruction
from redline.instructions.request import (
    ANY_LANGUAGE,
    PYTHON_ONLY,
    PythonOnly,
    Request,
)
from redline.prompts.edit import EditTask
from redline.text.edit_parts import instruction_for
from redline.text.instruction_comment import CommentFilter
from redline.text.lines import split_lines
from redline.text.marked_ranges import MarkedRange, RangeMarkers, read_marked
from redline.text.reply import DECLINED

MAX_TARGET_CHARS = 2_000_000
"""Longer ranges are declined: nobody reviews an edit of this size."""

_MAX_ECHO_CHARS = 60

_BYTE_ORDER_MARK = "\ufeff"
"""A byte order mark may start a file and is hidden from all rules."""


def answer(given: EditTask) -> str:
    """Carry out a task, or decline it with a reason.

    Several requests are carried out in order, all or none.

    Returns:
        The reply in the task's format, without a final newline that the range does not
        have; or one line that starts with `DECLINED`.
    """
    if given.reply_format == "ranges":
        return _answer_ranges(given)
    task = without_instruction_comment(given)
    if not task.target.strip():
        return _declined("no code is selected, and it cannot write new code", task)
    if len(task.target) > MAX_TARGET_CHARS:
        return _declined("the range is too long", task)
    requests = read_instruction(task.instruction)
    if requests is None:
        echo = " ".join(task.instruction.split())
        if len(echo) > _MAX_ECHO_CHARS:
            echo = echo[:_MAX_ECHO_CHARS].rstrip() + "…"
        return _declined(f'it does not understand "{echo}"', task)
    outcome = _carry_out(_region(task), requests)
    if isinstance(outcome, Declined):
        return _declined(outcome.reason, task)
    target = outcome if task.target.endswith("\n") else outcome.removesuffix("\n")
    if task.target.startswith(_BYTE_ORDER_MARK):
        target = _BYTE_ORDER_MARK + target
    if target == task.target:
        return _line(_unchanged(requests))
    return _reply(given, target)


def _answer_ranges(given: EditTask) -> str:
    """Carry out a task on each of its numbered ranges."""
    ranges = read_marked(given.target)
    markers = RangeMarkers.of_marked(given.target)
    replies = []
    for each, comments in zip_longest(ranges, given.range_comments, fillvalue=()):
        if not isinstance(each, MarkedRange):
            break
        target = split_lines(each.text)
        for comment in comments:
            target = CommentFilter(comment).feed(target)
        task = replace(
            given,
            instruction=instruction_for(each.number, given.instruction),
            before=given.before + each.before,
            target="".join(target),
            after=each.after + given.after,
            reply_format="rewrite",
        )
        text = answer(task)
        end = "" if text.endswith("\n") else "\n"
        opening, closing = markers.opening(each.number), markers.closing(each.number)
        replies.append(f"{opening}\n{text}{end}{closing}\n")
    return "".join(replies)


def _unchanged(requests: list[Request]) -> str:
    if any(getattr(each, "rule", None) == "docstrings" for each in requests):
        return (
            "nothing to do: without a model, Redline writes a docstring only where it"
            " can describe a result or an exception"
        )
    return "nothing to do: the range is already as the rules would have it"


def _region(task: EditTask) -> EditedLines:
    """Join the task's parts, adding missing line ends."""
    target = task.target if task.target.endswith("\n") else task.target + "\n"
    target = target.removeprefix(_BYTE_ORDER_MARK)
    before = task.before.removeprefix(_BYTE_ORDER_MARK)
    if before and not before.endswith("\n"):
        before += "\n"
    return EditedLines(
        path=task.path,
        language=task.language,
        before=before,
        target=target,
        after=task.after,
        is_whole_file=task.is_whole_file,
    )


def _carry_out(region: EditedLines, requests: list[Request]) -> Outcome:
    for request in requests:
        outcome = _apply(region, request)
        if isinstance(outcome, Declined):
            return outcome
        region = region.with_target(outcome)
    return region.target


def _apply(region: EditedLines, request: Request) -> Outcome:
    if region.is_python:
        # Imported late: libcst takes a fifth of a second.
        from redline.gateway.rules.python_rules import apply_to_python

        return apply_to_python(region, request)
    if isinstance(request, PythonOnly):
        return Declined(
            reason=f"it can do this in Python only, not in {_named(region)}"
        )
    return apply_to_lines(region, request)


def _named(region: EditedLines) -> str:
    return region.language or "a file of unknown language"


def _reply(task: EditTask, target: str) -> str:
    if not target:
        return _line("Nothing would be left of the range; delete it in the editor")
    if task.reply_format == "rewrite":
        return target
    blocks = search_blocks(task.target, target)
    if blocks is None:
        return _declined(
            "the lines to change look like the marks of search/replace blocks", task
        )
    return blocks


def _declined(reason: str, task: EditTask) -> str:
    return _line(
        "The built-in rules engine, which is not a model, left the range as it is:"
        f" {reason}. {_abilities(task.language)}"
    )


def _abilities(language: str) -> str:
    only_here = PYTHON_ONLY if language == "python" else ()
    abilities = only_here + ANY_LANGUAGE
    return f"It can: {', '.join(abilities)}. Configure a model for anything else."


def _line(text: str) -> str:
    return f"{DECLINED} {' '.join(text.split())}"


def without_instruction_comment(task: EditTask) -> EditTask:
    """Return the task without the comment that its instruction comes from."""
    if task.from_comment is None:
        return task
    left = CommentFilter(task.from_comment).feed(split_lines(task.target))
    return replace(task, target="".join(left))
