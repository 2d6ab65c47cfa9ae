"""Whether lines of a reply are copies of lines of the file.

Models that repeat a line often change its spacing, its quotation marks or a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from redline.text.common_lines import LcsRows
from redline.text.reply_forms.enclosed import CLOSERS, without_types

MIN_N_LETTERS = 3
"""Lines with fewer letters and digits recur, and prove nothing alone."""

_MAX_N_OWN = 12
"""Most lines of a range that are compared with a line of a reply."""

_MAX_N_CHARS = 300
"""Longer lines are only compared exactly."""

_MIN_LIKENESS = 0.8
"""Of two lines of which one was copied from the other; single words differ."""

_TELLING = re.compile(
    r"\s*+(?:(?:export|public|private|protected|internal|static|async|final|abstract"
    r"|pub|default|unsafe|override|virtual|const|let|var|val|type)\b.*+"
    r"|(?:return|raise|throw|import|from|use|using|package|require|include|#include|def"
    r"|class|fn|func|function|interface|struct|enum|impl|trait|module|namespace|if|elif"
    r"|for|while|switch|match|with|try|@\w++)\b.*+"
    r"|(?:CREATE|ALTER|DROP|INSERT INTO|GRANT|REVOKE) .*+"
    r"|[\w.$]++\s*+(?::=|[-+*/|&]?=(?!=)).*+|\w[^=(){};\"'`<>]*+=(?![=>]).*+|.*[:{(\[])\s*+$"
)
"""Lines that do not occur twice in a row: headers, imports, assignments, exits."""

HEADER = re.compile(
    r"(?<!\s)\s*+(?:(?:export|default|async|pub|public|private|protected|static)\s++)*+"
    r"(?:def|class|fn|func|function|interface|struct|impl|trait|module)\b"
)
"""The header of a definition."""

_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;|\"{3}|'{3}|<!--)")

_TRAILING_NOTE = re.compile(r"\s+(?://|#|--|/\*|<!--|;)")

_FREE = re.compile(r"[\W_]+")


def is_like(one: str, other: str) -> bool:
    """Whether a line may be a copy of another, but for spacing and single signs."""
    if one.strip() == other.strip() or _has_note_behind(one, other):
        return True
    if HEADER.match(one) and one.split("(")[0].split() != other.split("(")[0].split():
        return False
    first, second = letters_of(one), letters_of(other)
    if min(len(first), len(second)) < MIN_N_LETTERS:
        return _bare(one) == _bare(other)
    return first.lower() == second.lower() or (
        min(len(first), len(second)) > 2 * MIN_N_LETTERS
        and max(len(first), len(second)) < _MAX_N_CHARS
        and _shares_most(first, second)
    )


def _shares_most(first: str, second: str) -> bool:
    """Whether two texts have most of their characters in common, in one order."""
    wanted = _MIN_LIKENESS * (len(first) + len(second)) / 2
    if min(len(first), len(second)) <= wanted:
        return False
    return _n_shared(first, second) > wanted


def _n_shared(first: str, second: str) -> int:
    """Count the characters that two texts have in common, in one order."""
    rows = LcsRows(first)
    last = reduce(rows.after, second, rows.first)
    return len(first) - last.bit_count()


def are_nearer(
    reply: Sequence[str], outside: Sequence[str], own: Sequence[str]
) -> bool:
    """Whether lines, of which none is an exact copy, are more like the range's own."""
    pairs = [
        tuple(letters_of(line) for line in pair)
        for pair in zip(reply, outside, strict=True)
    ]
    if len(own) > _MAX_N_OWN or any(
        one == other or len(one) > _MAX_N_CHARS for one, other in pairs
    ):
        return False
    return all(
        any(
            _n_shared(one, letters_of(line)) > _n_shared(one, other)
            for line in own
            if len(line) < _MAX_N_CHARS
        )
        for one, other in pairs
    )


def is_copy(one: str, other: str) -> bool:
    """Whether a line says the same as another: blanks and signs may differ, and the
    words of a comment, also of one behind it, and the types in a function's header.
    """
    return (
        _has_note_behind(one, other)
        or letters_of(one) == letters_of(other)
        or _COMMENT.match(one) is not None
        or without_types(one) == without_types(other)
    )


def _has_note_behind(one: str, other: str) -> bool:
    """Whether a line is another one with a comment behind it."""
    text, rest = other.strip(), one.strip()
    return rest.startswith(text) and _TRAILING_NOTE.match(rest, len(text)) is not None


def _bare(line: str) -> str:
    """Return a line of brackets without blanks and separators."""
    return "".join(line.split()).strip(";,")


def is_telling(lines: Sequence[str]) -> bool:
    """Whether lines that stand next to each other twice cannot be intended."""
    worded = [
        line
        for line in lines
        if len(letters_of(line)) >= MIN_N_LETTERS and not CLOSERS.match(line)
    ]
    return len(worded) > 1 or any(map(_TELLING.match, worded))


def letters_of(line: str) -> str:
    """Return the letters and digits of a line."""
    return _FREE.sub("", line)
