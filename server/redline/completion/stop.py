"""Where a reply must end: too long, out of its scope, repeated, or standing below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from redline.completion.brackets import CLOSERS, LONG_QUOTES, carried, open_in
from redline.completion.indent import DEDENTS
from redline.completion.place import Place, depth_of, opens_block

MAX_LINES = 8
MAX_LINE = 320
"""Characters of a line."""

_CONTINUES = re.compile(
    r"\s*(?:\}\s*)?(?:else|elif|except|finally|catch|case|default)\b"
)
_REPEATED = re.compile(r"(.{2,9}?)\1{4,}|(.{10,80}?)\2{2,}")
_MAX_CYCLE = 3


class Stopped(Struct, frozen=True):
    """The lines to keep, and whether the reply ends there."""

    lines: tuple[str, ...]
    has_ended: bool
    n_held: int = 0
    """The last of them, if they repeat as many lines before: they may begin a loop, and
    are shown when a further line shows that they do not."""


def stop(lines: Sequence[str], place: Place, *, n_left: int = 0) -> Stopped:
    """Cut the lines of a text to insert.

    Args:
        lines: The complete lines; the first continues the cursor's line.
        place: The cursor.
        n_left: The white space before the cursor that the text replaces.
    """
    head = place.left[: len(place.left) - n_left]
    # With what stands before the cursor: a reply may repeat the cursor's line.
    written = [head + lines[0], *lines[1:]] if lines else []
    scope = _Scope(written[0] if written else head, head, place)
    for at, line in enumerate(lines):
        whole = written[at]
        if at == MAX_LINES or len(whole) > max(MAX_LINE, len(head) + MAX_LINE):
            return Stopped(tuple(lines[:at]), has_ended=True)
        if (found := _repeat_in(line)) is not None:
            kept = line[:found]
            return Stopped(
                (*lines[:at], kept) if kept.strip() else tuple(lines[:at]), True
            )
        if _stands_below(whole, at, place) or (at and scope.ends_before(lines, at)):
            return Stopped(_without_blank_end(lines[:at]), has_ended=True)
        if (cut := _cycle_start(written, at)) is not None:
            return Stopped(tuple(lines[:cut]), has_ended=True)
    has_ended = len(lines) >= MAX_LINES
    return Stopped(tuple(lines), has_ended, 0 if has_ended else _n_repeating(written))


class _Scope:
    """The block that a text may not leave."""

    def __init__(self, first: str, head: str, place: Place) -> None:
        self._place = place
        starts_own_line = not first[len(head) :].strip() and head.strip()
        self._base = depth_of(first)
        self._is_header = opens_block(first) or bool(
            starts_own_line and opens_block(head)
        )

    def ends_before(self, lines: Sequence[str], at: int) -> bool:
        """Whether a line is outside."""
        line = lines[at]
        if not line.strip() or self._is_in_text(lines[:at]):
            return False
        depth = depth_of(line)
        if at > 1 and not lines[at - 1].strip():
            before = next((one for one in lines[at - 1 :: -1] if one.strip()), "")
            if depth < depth_of(before) and at > 1 and before is not lines[0]:
                return True
        is_deep = depth > self._base if self._is_header else depth >= self._base
        if is_deep:
            return False
        if _CONTINUES.match(line) and depth == self._base:
            return False
        return not self._closes(lines[:at], line, depth)

    def _is_in_text(self, before: Sequence[str]) -> bool:
        """Whether a long string goes on after some lines: its depths are no scopes."""
        place = self._place
        openings = open_in(before, place.language, place.openings)
        return carried(openings.quote) in LONG_QUOTES

    def _closes(self, before: Sequence[str], line: str, depth: int) -> bool:
        if not (DEDENTS.match(line) and line.lstrip()[0] in CLOSERS):
            return False
        if depth < self._base:
            return False
        place = self._place
        opened = open_in([place.left + before[0], *before[1:]], place.language).closers
        return line.lstrip()[0] in opened


def _stands_below(whole: str, at: int, place: Place) -> bool:
    """Whether a line repeats the next one below the cursor."""
    below = place.next_line
    if at == 0 and not place.is_blank:
        return False
    is_same = whole.strip() == below.strip() and any(map(str.isalnum, below))
    return bool(below) and is_same


@lru_cache(maxsize=512)
def _repeat_in(line: str) -> int | None:
    """Return where a text that repeats itself in a line begins its first repeat."""
    for found in _REPEATED.finditer(line):
        text = found[1] or found[2]
        if text.strip() and len(set(text)) > 1:
            return found.start() + len(text)
    return None


def _cycle_start(lines: Sequence[str], at: int) -> int | None:
    """Return the line from which lines are repeated for the second time."""
    for n_lines in range(1, _MAX_CYCLE + 1):
        if _is_cycle(lines[: at + 1], n_lines, n_times=3):
            return at + 1 - 2 * n_lines
    return None


def _n_repeating(lines: Sequence[str]) -> int:
    """Return how many of the last lines repeat those before; 0: none do."""
    sizes = range(1, _MAX_CYCLE + 1)
    return next((n for n in sizes if _is_cycle(lines, n, n_times=2)), 0)


def _is_cycle(lines: Sequence[str], n_lines: int, *, n_times: int) -> bool:
    """Whether the last lines are the same few some times; blank ones do not count."""
    first = len(lines) - n_times * n_lines
    if first < 0:
        return False
    parts = [
        [line.strip() for line in lines[start : start + n_lines]]
        for start in range(first, len(lines), n_lines)
    ]
    return any(parts[0]) and all(one == other for one, other in pairwise(parts))


def _without_blank_end(lines: Sequence[str]) -> tuple[str, ...]:
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return tuple(kept)
