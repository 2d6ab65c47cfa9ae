"""Callers in Go that take another number of results than a changed function has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.problem import Problem

_RULE = "phantom-parameter"
_MAX_N_CHARS = 1_000
"""Longer lines are data; so much is read behind a header."""


def wrong_results(
    candidate: CheckedEdit, code: str, name: str, n_values: int
) -> Iterator[Problem]:
    """Yield a problem for the first caller outside of the range.

    Args:
        candidate: The edit.
        code: The file after it, without texts.
        name: The function.
        n_values: How many values it returns now.
    """
    word = re.escape(name)
    form = re.compile(
        r"^\s*+(?:(?:if|for|switch|var)\s++)?+(?P<names>[\w., ]+):?=\s*+(?:\w++\.)*+"
        rf"{word}\("
    )
    single = re.compile(rf"\b(?:len|string|append|int|float64)\((?:\w+\.)?{word}\(")
    for number, line in enumerate(code.split("\n")):
        if number in candidate.region_after or len(line) > _MAX_N_CHARS:
            continue
        found = form.match(line)
        takes_one = n_values != 1 and single.search(line) is not None
        if takes_one or (found and found["names"].count(",") + 1 != n_values):
            yield Problem(
                rule=_RULE,
                message=(
                    f"`{name}` now returns {n_values} values, and line {number + 1} of"
                    " the file takes another number."
                ),
            )
            return


def n_results(code: str, place: int) -> int:
    """Return how many values a function has by what stands behind its parameters."""
    rest = code[place : place + _MAX_N_CHARS].lstrip(" \t")
    if rest.startswith("("):
        return len(parts(in_brackets(rest, 0) or ""))
    return int(rest[:1] not in ("{", "\n", ""))
