"""Which errors of a checker an edit adds: it had printed others for the original."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from redline.text.line_diff import LineHunk
from redline.traces.checkers import CheckerError

_CHANGED = -1
"""The place of all lines that the edit changes."""

_LINE_NUMBER = re.compile(r"(?<=line )\d+")
"""Part of a message that moves with the lines: "already defined on line 12"."""

_Key = tuple[str, int, str]


def new_errors(
    before: Sequence[CheckerError],
    after: Sequence[CheckerError],
    *,
    path: str,
    hunks: Sequence[LineHunk],
) -> list[CheckerError]:
    """Return the errors that an edit adds.

    An error is the same if its message is, and its line, counted as if the edit had
    moved it; in the changed lines, wherever it is. If an error is gone, errors
    elsewhere may have been hidden by it, so only those in the changed lines count.

    Args:
        before: The errors of the original.
        after: Those with the edit.
        path: The edited file, as the errors name it.
        hunks: The changes, in order and disjoint, in lines of the original.
    """
    changed = _changed_lines(hunks)

    def key_before(one: CheckerError) -> _Key:
        place = _moved(one.line - 1, hunks) if one.path == path else one.line
        return one.path, place, _words(one)

    def key_after(one: CheckerError) -> _Key:
        place = one.line
        if one.path == path:
            line = one.line - 1
            place = _CHANGED if any(line in each for each in changed) else line
        return one.path, place, _words(one)

    left = Counter(map(key_before, before))
    added: list[CheckerError] = []
    for one in after:
        key = key_after(one)
        if left[key]:
            left[key] -= 1
        else:
            added.append(one)
    if left.total():
        return [one for one in added if key_after(one)[:2] == (path, _CHANGED)]
    return added


def _moved(line: int, hunks: Sequence[LineHunk]) -> int:
    """Return where the edit moves a line of the original, both from 0."""
    shift = 0
    for hunk in hunks:
        if hunk.start <= line < hunk.end:
            return _CHANGED
        if hunk.end <= line:
            shift += hunk.shift
    return line + shift


def _changed_lines(hunks: Sequence[LineHunk]) -> list[range]:
    """Return the lines that the edit has written."""
    found = []
    shift = 0
    for hunk in hunks:
        start = hunk.start + shift
        found.append(range(start, start + len(hunk.lines)))
        shift += hunk.shift
    return found


def _words(error: CheckerError) -> str:
    return _LINE_NUMBER.sub("", error.message)
