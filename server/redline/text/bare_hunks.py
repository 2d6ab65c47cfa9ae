"""Applies a diff that has no heads: by lines with signs, or by words with marks.

The old text of each change must stand at one place of the target only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_OLD, _NEW, _SIGNS = "-< ", "+> ", "-<+> "
_MARKS = "+-<>@ \t"
"""What a diff has in front of lines."""
_CHANGED = ("-", "+", "<", ">")
_HEAD = re.compile(
    r"@@|--- |\+{3} |diff |index |\\ No|\d+(?:,\d+)?[acd]\d|[`~]{3}|\s*$"
)
"""What begins a line between the changes of a diff."""
_GONE = re.compile(r"\[-((?:(?!-\]|\[-).)++)-\]")
_CAME = re.compile(r"\{\+((?:(?!\+\}|\{\+).)++)\+\}")
"""The marks of `git diff --word-diff`."""
_WIDTHS = (1, 2)
_MIN_N_LETTERS = 8
"""Letters and digits of old lines that are not there by chance."""


def with_hunks_applied(lines: Sequence[str], target: Sequence[str]) -> list[str] | None:
    """Return the target after all changes; None if a line or its place is not certain.

    Each line has a sign in front, and perhaps a blank.
    """
    is_change = any(line.startswith(_CHANGED) for line in lines)
    if not is_change or any(line.startswith(_CHANGED) for line in target):
        return None
    applied = (_applied(lines, target, width) for width in _WIDTHS)
    return next((new for new in applied if new is not None), None)


def with_words_applied(lines: Sequence[str], target: Sequence[str]) -> list[str] | None:
    """Return the new text of a diff by words, as git's; None if its old one is not
    the target."""
    text = "\n".join(lines)
    if not (_GONE.search(text) or _CAME.search(text)):
        return None
    old = _GONE.sub(r"\1", _CAME.sub("", text)).split("\n")
    if _texts(old) != _texts(target):
        return None
    return _CAME.sub(r"\1", _GONE.sub("", text)).split("\n")


def _texts(lines: Sequence[str]) -> list[list[str]]:
    return [line.split() for line in lines if line.strip()]


def _applied(
    lines: Sequence[str], target: Sequence[str], width: int
) -> list[str] | None:
    found, start = [line.rstrip() for line in target], 0
    own, texts = (list(filter(str.strip, each)) for each in (found, lines))
    signed = [line if line in own else line[width:] for line in map(str.rstrip, texts)]
    if signed == own:
        return None  # Signs before lines may be what was asked for.
    hunks = list(_hunks(lines, width))
    added = {text.strip(_MARKS) for _, new in hunks for text in new}
    if added and added <= {line.strip(_MARKS) for line in found}:
        return None  # Lines of the range with signs before them.
    for old, new in hunks:
        stops = range(start, len(found) - len(old) + 1)
        places = [at for at in stops if found[at : at + len(old)] == old]
        if len(places) != 1 or _n_letters(old) < _MIN_N_LETTERS:
            return None
        found[places[0] : places[0] + len(old)] = new
        start = places[0] + len(new)
    return found if start else None


def _hunks(lines: Sequence[str], width: int) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the old and the new lines of each change; none at all for other lines."""
    old: list[str] = []
    new: list[str] = []
    for line in (*lines, ""):
        text = line[width:].rstrip()
        if line.startswith("? ") or line == "---":
            continue  # It marks letters, or parts the old lines from the new ones.
        if _HEAD.match(line):
            if old or new:
                yield old, new
            old, new = [], []
        elif line[:1] not in _SIGNS or line[1:width].strip():
            yield [], []
        else:
            old += [text] * (line[0] in _OLD)
            new += [text] * (line[0] in _NEW)


def _n_letters(lines: Sequence[str]) -> int:
    return sum(map(str.isalnum, "".join(lines)))
