"""Counts the lines of a completion that may be shown, in a parser process.

A line is cut with all that follow it if it imports a module or name that does not
exist, or if the file has more syntax errors with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.check_process import environment_of
from redline.checks.completion_check import CompletionCheck, is_import
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.imports import check_imports
from redline.syntax.language import Language, language_of
from redline.syntax.tree import parse

_MAX_CUT = 3
"""Last lines that are cut one after the other, before all but the first are."""

_UNFINISHED = re.compile(r"\bimport\s*\([^)]*$|\bimport\s*\\$")
_GUARD = re.compile(r"\s*(?:try|except|with|if|else)\b")


def n_good_lines(check: CompletionCheck) -> int:
    """Return how many lines of a text may be shown; 0: nothing."""
    n_lines = len(check.new)
    if check.environment is not None:
        n_lines = _n_before_unknown_import(check, environment_of(check.environment))
    language = language_of(check.path, check.language)
    if n_lines < 2 or language is None:
        return n_lines
    return _n_parsed(check, n_lines, language)


def _n_parsed(check: CompletionCheck, n_lines: int, language: Language) -> int:
    """Return the lines after which there are no more errors than without the text."""
    n_before = _n_errors(check.lines, language)
    first = max(1, n_lines - _MAX_CUT)
    tried: list[int] = [*range(n_lines, first - 1, -1), 1]
    for n_kept in tried:
        if _n_errors(_with_text(check, n_kept), language) <= n_before:
            return n_kept
    return 0


def _n_errors(lines: Sequence[str], language: Language) -> int:
    return len(parse("\n".join(lines) + "\n", language).errors)


def _with_text(check: CompletionCheck, n_kept: int) -> list[str]:
    """Return the lines with the first lines of the text inserted."""
    new = [*check.new[:n_kept]]
    new[0] = check.left + new[0]
    new[-1] += check.right
    return [*check.lines[: check.at], *new, *check.lines[check.at + 1 :]]


def _n_before_unknown_import(
    check: CompletionCheck, environment: PythonEnvironment
) -> int:
    """Return the lines before the first unguarded import of what does not exist."""
    whole = _with_text(check, len(check.new))
    before = [_statement(line) for line in check.imports]
    for number in range(len(check.new)):
        line = whole[check.at + number]
        if not is_import(line) or _is_guarded(whole, check.at + number):
            continue
        edit = CheckedEdit(
            before=before,
            after=[*before, _statement(line)],
            region_before=range(len(before), len(before)),
            region_after=range(len(before), len(before) + 1),
            language=check.language,
            path=check.path,
        )
        if any(check_imports(edit, environment)):
            return number
    return len(check.new)


def _statement(line: str) -> str:
    """Return an import as a line of its own; without names that are on later lines."""
    return _UNFINISHED.sub("import *", line.strip()) + "\n"


def _is_guarded(lines: Sequence[str], at: int) -> bool:
    """Whether a line is in a block that may handle a failure."""
    depth = _depth(lines[at])
    for line in reversed(lines[:at]):
        if line.strip() and _depth(line) < depth:
            return _GUARD.match(line) is not None
    return False


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
