"""The rule `undefined-name`: names that are defined nowhere.

Ruff finds them (its rule F821); it runs as a program on the text, reads nothing else
and
runs none of it. A name that the file already used without a definition is not reported:
something outside may define it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.scope import (
    FunctionNode,
    dotted_name,
    lines_of,
    read_contents,
    read_scope,
    touching,
)
from redline.checks.python.source import parse
from redline.checks.python.versions import versioned_lines
from redline.checks.ruff import check_text
from redline.errors import LinterError

RULE = "undefined-name"

TIMEOUT_S = 5.0
"""For one run; 1,500 lines take about 6 ms including the start of the program
(ruff 0.17.5)."""

_OPTIONS = (
    "--ignore-noqa",
    "--select=F821",
    # Names that gettext and IPython add to the builtins, and one of typeshed.
    '--config=builtins = ["_", "ngettext", "get_ipython", "display", "ellipsis"]',
)

_FILL_SCOPES = (
    "globals()", "exec(", "__builtins__", "builtins.", "_convert_(", "global_enum",
)  # fmt: skip
"""Ways in which a file defines names that are not visible in its text."""

_NAME = re.compile(r"`([^`]+)`")


def check_names(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterator[Problem]:
    """Report names that are defined nowhere.

    Args:
        candidate: The candidate to check.
        environment: Unused; every Python rule takes one.
    """
    for name, line in undefined_names(candidate):
        yield _problem(candidate, name, line)


def undefined_names(candidate: CheckedEdit) -> Iterator[tuple[str, int]]:
    """Yield names that only the new file uses undefined, each with a line of it."""
    if not candidate.is_python:
        return
    if any(sign in candidate.text_after for sign in _FILL_SCOPES):
        return
    if candidate.text_before == candidate.text_after:
        return
    tree = parse(candidate.text_after)
    if tree is None:
        return
    after = _undefined(candidate.text_after)
    if not after:
        return
    known = {name for name, _ in _undefined(candidate.text_before)}
    known |= read_contents(candidate.text_after, tree).names.keys()
    unread = _unread_lines(tree)
    for name, line in after:
        if name in known or line in unread or name.startswith("__"):
            continue
        if name not in _bound_around(tree, line):
            known.add(name)  # One problem a name is enough.
            yield name, line


def _bound_around(tree: ast.Module, line: int) -> set[str]:
    """Return names that the functions around a line bind, even after it.

    Ruff reports such a name as undefined if it is deleted at the end, bound in a later
    iteration of a loop, or declared here and bound by an inner function.
    """
    return {
        name
        for node in touching(tree, range(line, line + 1))
        if isinstance(node, FunctionNode)
        for name in read_scope(node.body)
    }


def _unread_lines(tree: ast.Module) -> set[int]:
    """Return lines whose names need not exist: other versions, and literal types.

    Ruff recognizes `Literal` by its import, and reads the words in one that comes from
    elsewhere as names.
    """
    lines = set(versioned_lines(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            name = dotted_name(node.value) or ""
            if name.endswith("Literal"):
                lines.update(lines_of(node))
    return lines


def _problem(candidate: CheckedEdit, name: str, line: int) -> Problem:
    place = candidate.line_in_region(line)
    if place is None:
        message = f"`{name}` in line {line + 1} of the file is not defined any more."
    else:
        message = f"`{name}` is not defined anywhere."
    return Problem(rule=RULE, message=message, line=place)


@lru_cache(maxsize=4)
def _undefined(text: str) -> list[tuple[str, int]]:
    """Return names that ruff finds undefined, each with its line counted from 0.

    Empty if ruff cannot be run: no finding is better than a guess.
    """
    try:
        findings = check_text(
            text, path="text.py", options=_OPTIONS, timeout_s=TIMEOUT_S
        )
    except LinterError:
        return []
    return [
        (found[1], finding.location.row - 1)
        for finding in findings
        if finding.code == "F821" and (found := _NAME.search(finding.message))
    ]
