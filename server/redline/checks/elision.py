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
from redline.syntax.word_set import word_set
from redline.text.elision import find_elision, lines_are_lost, says_unchanged
from redline.text.indentation import indent_of

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

_NAMES_DOTS = re.compile(r"ellips|\.\.\.|dots", re.IGNORECASE)
_DOTS = re.compile(r"\s++\.\.\.\s*+(?:#.*)?")
_NO_STATEMENT = re.compile(
    r"\s*+(?:$|[@#]|def\b|class\b|async def\b|\.\.\.|\w++\s*+:)|.*(?:\"{3}|'{3})\s*+$"
)
"""Lines beside which three dots may be the whole body, or a body of a declaration."""

_ELIDED_CALL = re.compile(
    r"(?<![\w.])(?P<call>(?:\w++\.)*+(?P<name>\w++)\()\s*+\.\.\.\s*+\)"
)
_TAKES_ELLIPSIS = word_set(
    "Field Query Path Body Header Param Form File Cookie Argument Option Depends"
    " Security Mock patch cast Parameter attrib field call isinstance repr type str"
    " print"
)
"""Functions of Python to which three dots mean something."""

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
    wish = candidate.instruction
    if not problems and not wants_hollow(wish):
        problems += _hollowed(candidate)
    if not problems and not (wants_stub(wish) or wants_ellipsis(wish)):
        problems += _empty_blocks(candidate)
        problems += _dotted(candidate)
        problems += _elided_arguments(candidate)
    return problems


def _is_elision(candidate: CheckedEdit, line: int, text: str) -> bool:
    column = find_elision(text, candidate.language)
    if column is None and (start := _COMMENT_START.match(text)):
        comment = _without_end(text[start.end() :])
        is_shorter = len(candidate.new_lines) < len(candidate.old_lines)
        if (is_shorter and _WEAK.fullmatch(comment)) or (
            says_unchanged(comment)
            and lines_are_lost(candidate.old_lines, candidate.new_lines)
        ):
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


def _elided_arguments(candidate: CheckedEdit) -> Iterator[Problem]:
    """Yield problems for calls of Python whose arguments have become three dots."""
    if not candidate.is_python or _NAMES_DOTS.search(candidate.instruction):
        return
    old = "".join(candidate.old_lines)
    for line, text in candidate.introduced:
        for found in _ELIDED_CALL.finditer(text):
            if found["name"] in _TAKES_ELLIPSIS or candidate.is_text(
                line, found.start()
            ):
                continue
            call = re.escape(found["call"])
            if re.search(rf"(?<![\w.]){call}(?!\s*\.\.\.|\s*\))", old):
                yield Problem(
                    rule="elision",
                    message=f"The arguments of this call are missing: {found[0]}",
                    line=line,
                )


def _gone(candidate: CheckedEdit, one: Defined) -> Problem:
    return Problem(
        rule="elision",
        message=f"The body of `{one.definition.name}` is gone.",
        line=candidate.line_in_region(one.definition.first_line),
    )


def _empty_blocks(candidate: CheckedEdit) -> Iterator[Problem]:
    """Yield problems for dots in the place of statements of Python in a function."""
    if not candidate.is_python:
        return
    for line, text in candidate.introduced:
        if not _DOTS.fullmatch(text) or candidate.is_text(line, len(indent_of(text))):
            continue
        above, below = (
            next((one for one in lines if one.strip()), "")
            for lines in (
                reversed(candidate.new_lines[:line]),
                candidate.new_lines[line + 1 :],
            )
        )
        is_among = any(
            indent_of(one) == indent_of(text) and not _NO_STATEMENT.match(one)
            for one in (above, below)
        )
        if is_among or (_BLOCK.match(above) and text.strip() == "..."):
            yield Problem(
                rule="elision",
                message=f"This line stands for code that is missing: {text.strip()}",
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
