"""`elision`: a comment, or an empty body, replaces code that was there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.definitions import (
    Defined,
    Key,
    begin_in,
    is_hollow,
    statements_of,
)
from redline.checks.problem import Problem
from redline.checks.requested_changes import (
    wants_declaration,
    wants_ellipsis,
    wants_hollow,
    wants_nothing,
    wants_stub,
    wants_text,
)
from redline.text.elision import find_elision

_BLOCK = re.compile(
    r"\s*+(?:(?:if|elif|for|while|with|except|async (?:for|with))\b.*|else|try|finally)"
    r":\s*+(?:#.*)?$"
)

_WEAK = re.compile(
    r"\W*(?:(?:the|all|your) )*(?:same|rest|remaining|remainder|other|existing|previous"
    r"|original|old|unchanged) (?:\w+ ){0,4}?"
    r"(?:(?:\w+ )?here|as before|as above|as is|as it was|unchanged|omitted|not shown"
    r"|stays?|remains?|continues?|goes here|follows?)(?:[,;:(.].*|\W*)",
    re.IGNORECASE,
)
"""A comment that replaces code if lines are missing, and may be ordinary otherwise."""

_COMMENT_START = re.compile(r"\s*+(?:#++|/\*++|//++|--|<!--)\s*+")
_COMMENT_ENDS = ("*/", "-->")

_MIN_N_LINES = 2
"""Lines of code that a body must have had to be reported as emptied."""


def check_elision(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report lines that say "the rest stays", and bodies that were emptied."""
    problems = [
        Problem(
            rule="elision",
            message=f"This line stands for code that is missing: {text.strip()}",
            line=line,
        )
        for line, text in candidate.introduced
        if _is_elision(candidate, line, text)
    ]
    if not problems and not wants_hollow(candidate.instruction):
        problems += _hollowed(candidate)
    if not problems and not wants_stub(candidate.instruction):
        problems += _empty_blocks(candidate)
        problems += _dotted(candidate)
    return problems


def _is_elision(candidate: CheckedEdit, line: int, text: str) -> bool:
    column = find_elision(text, candidate.language)
    if column is None and len(candidate.new_lines) < len(candidate.old_lines):
        start = _COMMENT_START.match(text)
        if start and _WEAK.fullmatch(_without_end(text[start.end() :])):
            column = start.end()
    if column is None or candidate.is_value(line, column):
        return False
    has_words = re.search(r"\w", text) is not None
    wish = candidate.instruction
    return not (wants_text(wish, text.strip()) if has_words else wants_ellipsis(wish))


def _without_end(comment: str) -> str:
    """Leave the end of a comment out, and the blanks around it."""
    comment = comment.rstrip()
    for end in _COMMENT_ENDS:
        if comment.endswith(end):
            return comment.removesuffix(end).rstrip("*").rstrip()
    return comment


def _hollowed(candidate: CheckedEdit) -> Iterator[Problem]:
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.errors:
        return
    full = {
        key: one
        for key, one in _unique(candidate.defined_before, candidate.region_before)
        if _is_full(one)
    }
    for key, one in _unique(candidate.defined_after, candidate.region_after):
        if key in full and is_hollow(one.body):
            yield _gone(candidate, one)


def _dotted(candidate: CheckedEdit) -> Iterator[Problem]:
    """Yield problems for dots in the place of the code of a function of Python."""
    wish, tree = candidate.instruction, candidate.tree_after
    if not candidate.is_python or tree is None or tree.errors:
        return
    if wants_declaration(wish) or wants_nothing(wish):
        return
    old = dict(_unique(candidate.defined_before, candidate.region_before))
    for key, one in _unique(candidate.defined_after, candidate.region_after):
        is_dotted = statements_of(one.body).strip(": \t\n") == "..."
        if key in old and is_dotted and not is_hollow(old[key].body):
            yield _gone(candidate, one)


def _gone(candidate: CheckedEdit, one: Defined) -> Problem:
    return Problem(
        rule="elision",
        message=f"The body of `{one.definition.name}` is gone.",
        line=candidate.line_in_region(one.definition.first_line),
    )


def _empty_blocks(candidate: CheckedEdit) -> Iterator[Problem]:
    """Yield problems for dots in the place of a block of Python within a function."""
    if not candidate.is_python:
        return
    for line, text in candidate.introduced:
        above = next(
            (one for one in reversed(candidate.new_lines[:line]) if one.strip()), ""
        )
        if text.strip() == "..." and _BLOCK.match(above):
            yield Problem(
                rule="elision",
                message="This line stands for code that is missing: ...",
                line=line,
            )


def _unique(defined: Iterable[Defined], region: range) -> Iterator[tuple[Key, Defined]]:
    """Yield definitions with a unique key: of overloads only one has a body."""
    found = list(begin_in(region, defined))
    counts = Counter(one.key for one in found)
    return ((one.key, one) for one in found if counts[one.key] == 1)


def _is_full(one: Defined) -> bool:
    code = statements_of(one.body).splitlines()
    return sum(1 for line in code if re.search(r"\w", line)) >= _MIN_N_LINES
