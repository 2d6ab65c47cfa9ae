"""K2: the same tokens were replaced at two places; the other places follow.

Once is not enough, and the places must be alike: both in strings or both in code, and
both behind a dot or before a call, or neither. A plain variable is offered only inside
its own function or class, where it is the same one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from redline.next_edits.journal import replaced
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.source import EditedSource

WITHIN_S = 60.0
MAX_CHARS = 80
_MAX_PLACES = 100
_WORD = re.compile(r"\w\w")


class _Usage(NamedTuple):
    """How a text is used at a place."""

    in_text: str
    is_member: bool
    is_called: bool
    keyword: str

    @property
    def is_variable(self) -> bool:
        return self == ("", False, False, "")


def repeat(
    source: EditedSource, pairs: Sequence[tuple[int, str, str]]
) -> list[NextEdit]:
    """Return further places of a replacement that was made twice.

    Args:
        source: The document.
        pairs: The lines that the user changed lately: number, old and new; the newest
            last.
    """
    made = [
        (line, what)
        for line, old, new in pairs
        if (what := replaced(old, new)) is not None
    ]
    if len(made) < 2:
        return []
    line, last = made[-1]
    old, new = last.old, last.new
    if not _WORD.search(old) or not new.strip() or len(old) > MAX_CHARS or "\n" in old:
        return []
    places = {
        source.line_start(where) + what.start
        for where, what in made
        if (what.old, what.new) == (old, new)
    }
    usage = _usage(source, source.line_start(line) + last.start, len(new))
    alike = [at for at in places if _usage(source, at, len(new)) == usage]
    if len(alike) < 2:
        return []
    first, end = 0, len(source.text)
    if usage.is_variable and last.is_word:
        first, end = source.part_at(source.line_start(line))
    starts = [
        start
        for start in _places(source, old, first, end)
        if not any(at <= start < at + len(new) for at in places)
        and _usage(source, start, len(old)) == usage
    ]
    if len(starts) > _MAX_PLACES:
        return []
    why = f"`{old}` became `{new}` at {len(alike)} places"
    return [
        source.edit("repeat", start, start + len(old), new, why) for start in starts
    ]


def _places(source: EditedSource, old: str, first: int, end: int) -> list[int]:
    before = r"(?<!\w)" if old[0].isalnum() or old[0] == "_" else ""
    after = r"(?!\w)" if old[-1].isalnum() or old[-1] == "_" else ""
    pattern = re.compile(before + re.escape(old) + after)
    return [found.start() for found in pattern.finditer(source.text, first, end)]


def _usage(source: EditedSource, start: int, length: int) -> _Usage:
    line = source.position(start).line
    left = source.text[source.line_start(line) : start].rstrip()
    right = source.text[start + length : start + length + 40].lstrip(" \t")
    word = re.search(r"(?:def|class|import|as|function|fn|func|let|const|var)\Z", left)
    token = source.token_at(start)
    in_text = (
        "" if token is None or token.kind not in ("string", "comment") else token.kind
    )
    return _Usage(
        in_text,
        left.endswith(".") and not left.endswith(".."),
        right.startswith("("),
        word[0] if word else "",
    )
