"""Finds faults in Python by ruff's rules, without those about style."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from textwrap import dedent

from redline.checks.python.source import python_fault
from redline.checks.ruff import (
    MAX_CHARS,
    NEWEST_PYTHON,
    RuffFix,
    RuffMessage,
    ask_ruff,
    why,
)
from redline.errors import LinterError
from redline.findings.finding import Category
from redline.findings.parts import Excerpt
from redline.findings.ruff_rules import FAMILIES, SYNTAX, Grade, grade
from redline.findings.test_paths import is_test
from redline.gateway.rules.review_fault import CodeFault, LineFix, no_fix, short_title
from redline.gateway.rules.ruff_fixes import line_starts, offsets

_MAX_FIX_LINES = 5
"""Most lines of a fix: the lines that it changes are quoted."""

_NEEDS_WHOLE_FILE = ("F4", "F8", "PLE06", "PLW06")
"""Rules about names, which may be defined outside the excerpt."""

_MAX_PARAGRAPHS = 2
"""Most characters of ruff's reason; the rest is at the reported URL."""


def find_python_faults(excerpt: Excerpt, lines: list[str]) -> Iterable[CodeFault]:
    """Run ruff on an excerpt; yield nothing if it cannot be run."""
    text = excerpt.text + "\n"
    if not excerpt.is_whole:
        text = dedent(text)
        if python_fault(text) is not None:
            return
    if len(text) > MAX_CHARS:
        return
    try:
        messages = ask_ruff(
            text, path=excerpt.path, rules=FAMILIES, target_version=NEWEST_PYTHON
        )
    except LinterError:
        return
    if any(_rule(message) == SYNTAX for message in messages):
        # Other messages about a file with syntax errors are unreliable.
        yield _syntax_fault(messages, lines)
        return
    is_in_test = is_test(excerpt.path)
    reported: dict[tuple[int, Category], str] = {}
    for message in messages:
        rule = _rule(message)
        known = grade(rule, is_test=is_in_test)
        needs_more = not excerpt.is_whole and rule.startswith(_NEEDS_WHOLE_FILE)
        if known is None or needs_more:
            continue
        # Two rules of one kind about one line mostly report the same fault.
        place = (message.location.row, known.category)
        if reported.setdefault(place, rule) == rule:
            fix = partial(_line_fix, message, lines) if excerpt.is_whole else no_fix
            yield _fault(message, known, len(lines), fix)


def _fault(
    message: RuffMessage,
    known: Grade,
    n_lines: int,
    fix: Callable[[], LineFix | None],
) -> CodeFault:
    rule = _rule(message)
    first = min(message.location.row, n_lines) - 1
    title = short_title(message.message)
    # A range that ends at the start of a line concerns the lines before it.
    last = message.end_location.row - (message.end_location.column == 1)
    return CodeFault(
        first=first,
        end=min(max(first + 1, last), n_lines),
        rule=rule,
        category=known.category,
        severity=known.severity,
        title=title,
        explanation=_explanation(rule, message, title),
        fix=fix,
    )


def _explanation(rule: str, message: RuffMessage, title: str) -> str:
    reason = "\n\n".join(why(rule).split("\n\n")[:_MAX_PARAGRAPHS])
    what = f"{message.message.rstrip('.')}."
    source = f"Found by ruff, rule {rule}"
    parts = [
        # The title has the message already, unless it was shortened.
        what if title.endswith("…") or not reason else "",
        reason,
        f"{source}: {message.url}" if message.url else f"{source}.",
    ]
    return "\n\n".join(part for part in parts if part)


def _syntax_fault(messages: Iterable[RuffMessage], lines: list[str]) -> CodeFault:
    """Report the first error only: it mostly causes the others."""
    message = next(one for one in messages if _rule(one) == SYNTAX)
    known = grade(SYNTAX)
    assert known is not None
    first = _last_with_text(lines, message.location.row - 1)
    what = message.message.removeprefix("SyntaxError: ").rstrip(".")
    return CodeFault(
        first=first,
        end=first + 1,
        rule=SYNTAX,
        category=known.category,
        severity=known.severity,
        title=short_title(f"Syntax error: {what}"),
        explanation=f"Python cannot parse this file: {what}. It cannot be run at all.",
    )


def _last_with_text(lines: list[str], line: int) -> int:
    """Move up to a line with text: the place may be the end of the file."""
    line = min(line, len(lines) - 1)
    while line > 0 and not lines[line].strip():
        line -= 1
    return line


def _line_fix(message: RuffMessage, lines: list[str]) -> LineFix | None:
    """Convert ruff's fix to new lines, if it is safe and near its fault."""
    fix = message.fix
    if fix is None or fix.applicability != "safe" or not fix.edits:
        return None
    first = min(edit.location.row for edit in fix.edits) - 1
    end = max(edit.end_location.row for edit in fix.edits)
    is_near = first <= message.end_location.row and message.location.row <= end
    if end > len(lines) or not is_near or end - first > _MAX_FIX_LINES:
        return None
    new_text = _applied(fix, lines, first, end)
    whole = "\n".join([*lines[:first], new_text, *lines[end:]])
    if python_fault(whole + "\n") is not None:
        return None
    return LineFix(first=first, end=end, new_lines=tuple(new_text.split("\n")))


def _applied(fix: RuffFix, lines: list[str], first: int, end: int) -> str:
    text = "\n".join(lines[first:end])
    starts = line_starts(lines[first:end])
    edits = [offsets(edit, starts, first_line=first) for edit in fix.edits]
    for start, stop, content in sorted(edits, key=lambda e: e[:2], reverse=True):
        text = text[:start] + content + text[stop:]
    return text


def _rule(message: RuffMessage) -> str:
    return message.code or SYNTAX
