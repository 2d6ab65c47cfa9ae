"""Reads strings that a program joins as the one string that they are.

The joint is an operator, as in `"hunter" + "2"`, or nothing, as between two literals of
C and Python. Each half of a key may look harmless, or only the first one has a sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

# The quote first: it is searched much faster than what is before it.
_END, _START = r"[\"'`](?<=[\w+/=.~!@#%^*-].)", r"[\"'`](?=[\w+/=.~!@#%^*$-])"
_GAP = r"[ \t]{0,80}+(?:[\\_]?\n[ \t]{0,200}+)?"
"""Blanks, and at most one end of a line, perhaps with its sign in C or Visual Basic."""
_OPERATOR = r"(?:\+\+?|\.\.?|\|\||<>|[&^~])"
_PREFIX = r"[fFrRbBuUL@$]{0,2}"

_JOINT = re.compile(rf"{_END}{_GAP}(?:{_OPERATOR}{_GAP})?{_PREFIX}{_START}")
_JOINT_IN_SHELL = re.compile(rf"{_END}{_START}")
"""There, and in settings, two strings with a blank between them are two words."""

_MAY_BE_JOINED = re.compile(
    rf"\s*+(?:{_OPERATOR}[ \t]*+)?{_PREFIX}[\"'`]"
    rf"|.*[\"'`][ \t]*+(?:{_OPERATOR}[ \t]*+)?[\\_]?\Z"
)

_N_LINES_ABOVE = 2
"""How many lines above the first string may name it."""

_MAX_AROUND = 1_000
"""Characters before and after a group of joints that are read with it."""

MIN_PIECE = 4
"""A shorter piece of a secret tells little, and is in many other texts."""


class JoinedStrings(Struct, frozen=True):
    """Lines of a text in which strings are joined."""

    text: str
    """Without the joints."""
    starts: tuple[int, ...]
    """Where the parts between the joints begin in it."""
    places: tuple[int, ...]
    """Where they begin in the whole text."""

    def pieces(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return where a part of `text` is in the whole text; empty: in one string."""
        ends = (*self.starts[1:], len(self.text))
        parts = zip(self.starts, ends, self.places, strict=True)
        found = [
            (place + max(start, first) - first, place + min(end, last) - first)
            for first, last, place in parts
            if start < last and first < end
        ]
        is_whole = len(found) < 2
        return [] if is_whole else [x for x in found if x[1] - x[0] >= MIN_PIECE]


def joined_strings(text: str, *, is_code: bool) -> Iterator[JoinedStrings]:
    """Find the lines in which strings are joined.

    Args:
        text: The text.
        is_code: Whether two strings with blanks between them may be one.
    """
    group: list[tuple[int, int]] = []
    pattern = _JOINT if is_code else _JOINT_IN_SHELL
    for joint in pattern.finditer(text):
        if group and text.find("\n", group[-1][1], joint.start()) >= 0:
            yield _without(text, group)
            group = []
        group.append(joint.span())
    if group:
        yield _without(text, group)


def may_be_joined(line: str) -> bool:
    """Whether a string of a line may be joined with one of the next or last line."""
    return _MAY_BE_JOINED.match(line) is not None


def _without(text: str, joints: list[tuple[int, int]]) -> JoinedStrings:
    first = joints[0][0]
    for _ in range(_N_LINES_ABOVE + 1):
        first = text.rfind("\n", 0, max(0, first))
    first = max(first + 1, joints[0][0] - _MAX_AROUND)
    last = joints[-1][1]
    end = text.find("\n", last)
    end = min(len(text) if end < 0 else end, last + _MAX_AROUND)
    places = (first, *(stop for _, stop in joints))
    parts = [
        text[place:stop]
        for place, stop in zip(places, (*(a for a, _ in joints), end), strict=True)
    ]
    starts = [0]
    for part in parts[:-1]:
        starts.append(starts[-1] + len(part))
    return JoinedStrings("".join(parts), tuple(starts), places)
