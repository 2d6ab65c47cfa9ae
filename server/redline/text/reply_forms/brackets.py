"""Whether a text closes the brackets that it opens; strings and comments are skipped.

It reads any language roughly: a wrong count makes a reply uncertain, not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from redline.text.indentation import indent_of

_TOKEN = re.compile(
    r"\\.|\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\\n])*+`"
    r"|(?:(?<=\s)|^)(?://|#(?!\[|\{)).*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|[()\[\]{}]",
)
_MAX_N_CHARS = 2_000
"""Longer lines are data."""

_DEPTHS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_UNFINISHED = re.compile(r"(?:[-+*/%&|^=<>,.:(\[{\\?]|\b(?:and|or|not|in))\s*$")
_CLOSER = re.compile(r"[)\]}]+[;,]?")


def depth(lines: Iterable[str]) -> int:
    """Return how many more brackets are opened than closed."""
    return sum(
        _DEPTHS.get(found[0], 0)
        for line in lines
        if len(line) < _MAX_N_CHARS
        for found in _TOKEN.finditer(line)
    )


def is_whole(lines: Sequence[str], target: Sequence[str]) -> bool:
    """Whether a text that lacks its end mark is certainly not cut off.

    Its last line must be that of its range, or close it, as deep as the range's does.

    Args:
        lines: The text that may be incomplete.
        target: The range, which it replaces.
    """
    new, own = _filled(lines), _filled(target)
    if not new or not own or _UNFINISHED.search(new[-1]):
        return False
    if depth(lines) != depth(target) or _relative(new) != _relative(own):
        return False
    return _is_same_end(new[-1], own[-1])


def ends_like(lines: Sequence[str], target: Sequence[str]) -> bool:
    """Whether a text ends with the line that its range ends with."""
    new, own = _filled(lines), _filled(target)
    return bool(new and own) and _is_same_end(new[-1], own[-1])


def _filled(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def _relative(lines: Sequence[str]) -> int:
    """Return how much deeper the last line is indented than the first."""
    return len(indent_of(lines[-1])) - len(indent_of(lines[0]))


def _is_same_end(one: str, other: str) -> bool:
    return one.strip() == other.strip() or (
        _CLOSER.fullmatch(one.strip()) is not None
        and _CLOSER.fullmatch(other.strip()) is not None
    )
