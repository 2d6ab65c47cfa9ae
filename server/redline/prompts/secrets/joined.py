"""Reads strings that a program joins as the one string that they are.

The joint is an operator, as in `"hunter" + "2"`, or nothing, as between two literals of
C and Python. Each half of a key may look harmless, or only the first one has a sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

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
_LONE_OPERATOR = re.compile(rf"\s*+{_OPERATOR}[ \t]*+\Z")

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
        """Return where a part of `text` is in the whole text."""
        ends = (*self.starts[1:], len(self.text))
        parts = zip(self.starts, ends, self.places, strict=True)
        return [
            (place + max(start, first) - first, place + min(end, last) - first)
            for first, last, place in parts
            if start < last and first < end
        ]


def joined_strings(
    text: str, lines: Sequence[str], parts: Sequence[int], *, is_code: bool
) -> Iterator[JoinedStrings]:
    """Find the lines in which strings are joined.

    Args:
        text: The text.
        lines: Its lines.
        parts: The numbers of those that may be joined, and of others.
        is_code: Whether two strings with blanks between them may be one.
    """
    group: list[tuple[int, int]] = []
    pattern = _JOINT if is_code else _JOINT_IN_SHELL
    for start, end in _runs(lines, parts):
        for joint in pattern.finditer(text, start, end):
            if group and text.find("\n", group[-1][1], joint.start()) >= 0:
                yield _without(text, group)
                group = []
            group.append(joint.span())
    if group:
        yield _without(text, group)


@lru_cache(maxsize=8_192)
def may_be_joined(line: str) -> bool:
    """Whether a line has a joint, or may have one with the next or last line."""
    if not any(map(line.__contains__, "\"'`")):
        # Most lines.
        return _LONE_OPERATOR.match(line) is not None
    return _MAY_BE_JOINED.match(line) is not None or _has_joint(line)


@lru_cache(maxsize=8_192)
def _has_joint(line: str) -> bool:
    return _JOINT.search(line) is not None


def _runs(lines: Sequence[str], parts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where lines next to each other begin and end that may be joined."""
    joinable = [at for at in parts if may_be_joined(lines[at])]
    done = start = 0
    for at, before, after in zip(
        joinable, (-2, *joinable), (*joinable[1:], -1), strict=False
    ):
        is_first, is_last = at != before + 1, at + 1 != after
        if is_first and is_last and not _has_joint(lines[at]):
            continue
        if is_first:
            start += sum(map(len, lines[done:at])) + at - done
            done = at
        if is_last:
            end = start + sum(map(len, lines[done : at + 1])) + at + 1 - done
            yield start, end
            start, done = end, at + 1


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
