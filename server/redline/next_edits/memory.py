"""What the user rejected, so that it is not offered again."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal, NamedTuple

from redline.next_edits.next_edit import NextEdit

PAUSE_S = 5.0
"""Nothing is offered this long after a rejection."""

_FORGET_S = 1800.0
_MAX_REMEMBERED = 64
_IGNORED_AS_REJECTED = 2
_MAX_ABOVE = 300
_HEADER = re.compile(
    r"\s*(?:async\s+|export\s+|pub\s+|public\s+|static\s+)*"
    r"(?:def|class|function|fn|func|impl|interface)\b"
)

DismissReason = Literal["rejected", "ignored", "typed"]


class _Key(NamedTuple):
    old: str
    new: str
    around: str
    """The header of the function or class around it."""


class Rejections:
    """The rejected edits of one document; an edit is known by its lines' text."""

    def __init__(self) -> None:
        self._times: OrderedDict[_Key, tuple[int, float]] = OrderedDict()
        self._rejected_s = -PAUSE_S

    def note(
        self,
        edit: NextEdit,
        lines: Sequence[str],
        reason: DismissReason,
        now_s: float,
    ) -> None:
        """Record that an edit was rejected, or that the user left it alone."""
        if reason == "typed":
            return
        key = _key(edit, lines)
        weight = _IGNORED_AS_REJECTED if reason == "rejected" else 1
        self._times[key] = (self._times.pop(key, (0, 0.0))[0] + weight, now_s)
        while len(self._times) > _MAX_REMEMBERED:
            self._times.popitem(last=False)
        if reason == "rejected":
            self._rejected_s = now_s

    def is_pausing(self, now_s: float) -> bool:
        """Whether the last rejection is too recent to offer anything."""
        return now_s - self._rejected_s < PAUSE_S

    def refuses(self, edit: NextEdit, lines: Sequence[str], now_s: float) -> bool:
        """Whether the user has rejected this edit."""
        if not self._times:
            return False
        count, at_s = self._times.get(_key(edit, lines), (0, 0.0))
        return count >= _IGNORED_AS_REJECTED and now_s - at_s < _FORGET_S


def _key(edit: NextEdit, lines: Sequence[str]) -> _Key:
    first, last = edit.range.start.line, edit.range.end.line
    text = "".join(lines[first : last + 1])
    place = f"{edit.range.start.character}:{edit.text}"
    return _Key(text, place, _around(lines, first))


def _around(lines: Sequence[str], line: int) -> str:
    for number in range(min(line, len(lines)) - 1, max(-1, line - _MAX_ABOVE), -1):
        if _HEADER.match(lines[number]):
            return lines[number]
    return ""
