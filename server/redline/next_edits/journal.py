"""What the user did: keys settled into changes.

Keys in the same lines are one change, with the lines as they were before the first of
them. The last change stays open: it grows while the user types in its lines, so a name
that is typed after a pause is still one change.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from redline.text.line_diff import common_head
from redline.text.position import Range

N_REMEMBERED = 8
MAX_LINES = 200
"""A larger change is a paste or a formatter: nothing follows from it."""

MAX_CHARS = 8_000
"""Of its lines before and after, together. A longer line is no line of a person, and
would hold the server up whenever the user pauses."""

_PIECE = re.compile(r"\w+|\s|[^\w\s]")


class TokenReplacement(Struct, frozen=True, kw_only=True):
    """One run of tokens that was replaced by another."""

    start: int
    """Offset in the old text, and in the new one."""
    old: str
    new: str

    @property
    def is_word(self) -> bool:
        """Whether one identifier was replaced by another."""
        return self.old.isidentifier() and self.new.isidentifier()


@lru_cache(maxsize=64)
def replaced(old: str, new: str) -> TokenReplacement | None:
    """Find the shortest run of pieces that differs; None: the texts are equal."""
    if old == new:
        return None
    old_pieces, new_pieces = _PIECE.findall(old), _PIECE.findall(new)
    head = common_head(old_pieces, new_pieces)
    tail = common_head(old_pieces[head:][::-1], new_pieces[head:][::-1])
    start = sum(map(len, old_pieces[:head]))
    return TokenReplacement(
        start=start,
        old="".join(old_pieces[head : len(old_pieces) - tail]),
        new="".join(new_pieces[head : len(new_pieces) - tail]),
    )


class UserChange(Struct, frozen=True, kw_only=True):
    """Lines before and after a change; line ends included."""

    first: int
    """The first line, now."""
    old: tuple[str, ...]
    new: tuple[str, ...]
    at_s: float
    """When the last key of it was typed."""
    is_accepted: bool = False
    """Whether it is an accepted offer, which may be changed again."""

    @property
    def end(self) -> int:
        """The line behind the last one, now."""
        return self.first + len(self.new)

    @property
    def line_pairs(self) -> list[tuple[int, str, str]]:
        """The changed lines: number, old and new; empty if lines came or went."""
        if len(self.old) != len(self.new):
            return []
        pairs = zip(self.old, self.new, strict=True)
        return [
            (self.first + number, old, new)
            for number, (old, new) in enumerate(pairs)
            if old != new
        ]

    @property
    def replacement(self) -> TokenReplacement | None:
        return replaced("".join(self.old), "".join(self.new))


class Journal:
    """The last changes of one document, the newest last."""

    def __init__(self) -> None:
        self._changes: deque[UserChange] = deque(maxlen=N_REMEMBERED)
        self.is_undone = False
        """Whether the last change restored what was there before."""

    @property
    def changes(self) -> tuple[UserChange, ...]:
        """The changes that still differ from what was there before, the newest last."""
        return tuple(one for one in self._changes if one.old != one.new)

    def record(
        self,
        replaced_lines: Range,
        old_lines: Sequence[str],
        new_lines: Sequence[str],
        now_s: float,
        *,
        is_accepted: bool = False,
    ) -> None:
        """Record one change of the text.

        Args:
            replaced_lines: The replaced range, in the text before.
            old_lines: Its whole lines before.
            new_lines: The whole lines that are there instead.
            now_s: The time.
            is_accepted: Whether it is an accepted offer.
        """
        if max(len(old_lines), len(new_lines)) > MAX_LINES:
            self.clear()
            return
        first, old_end = replaced_lines.start.line, replaced_lines.end.line + 1
        change = UserChange(
            first=first,
            old=tuple(old_lines),
            new=tuple(new_lines),
            at_s=now_s,
            is_accepted=is_accepted,
        )
        is_inverse = any(
            one.old == change.new and one.new == change.old and one.first == first
            for one in self._changes
        )
        n_moved = len(new_lines) - len(old_lines)
        joined: list[UserChange] = []
        for one in self._changes:
            if one.end <= first:
                joined.append(one)
            elif one.first >= old_end:
                joined.append(replace(one, first=one.first + n_moved))
            elif one is self._changes[-1] and one.is_accepted == is_accepted:
                change = _joined(one, change, old_end)
            # Of an older change in the same lines, nothing is certain any more.
        if sum(map(len, (*change.old, *change.new))) > MAX_CHARS:
            self.clear()
            return
        self.is_undone = is_inverse or change.old == change.new
        self._changes = deque((*joined, change), maxlen=N_REMEMBERED)

    def clear(self) -> None:
        self._changes.clear()
        self.is_undone = False


def _joined(open_change: UserChange, change: UserChange, old_end: int) -> UserChange:
    """Extend the open change by one that shares a line with it.

    What the open change does not cover of the new one's old lines was there before
    both.
    """
    before = change.old[: max(0, open_change.first - change.first)]
    after = change.old[len(change.old) - max(0, old_end - open_change.end) :]
    if old_end <= open_change.end:
        after = ()
    # Lines of the open change above and below the new one.
    above = open_change.new[: max(0, change.first - open_change.first)]
    below = open_change.new[len(open_change.new) - max(0, open_change.end - old_end) :]
    if open_change.end <= old_end:
        below = ()
    return replace(
        change,
        first=min(open_change.first, change.first),
        old=(*before, *open_change.old, *after),
        new=(*above, *change.new, *below),
    )
