"""Finds values on the lines after, or before, the line of their name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from redline.prompts.secrets import neighbours
from redline.prompts.secrets.blocks import MAX_LINES as MAX_BLOCK_LINES
from redline.prompts.secrets.blocks import ValueBlock, opened_block, read_line
from redline.prompts.secrets.kinds import Kind
from redline.prompts.secrets.line import Span, secrets_of_line
from redline.prompts.secrets.names import NAME, Promise, promise_of

_TEXT = (Kind.PROSE, Kind.SETTINGS)
"""Where a word on a line of its own is no name of code."""


class PairsOfLines:
    """Reads the lines of a text one after the other."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._block: ValueBlock | None = None
        """The string on several lines that has begun after a name."""
        self._n_left_of_block = 0
        self._n_left = 0
        """Lines in which a value may follow."""
        self._before: Span | None = None
        """The value of the line before, if that names itself one."""
        self._is_strong = False
        """Whether the name promises a secret whatever its value is."""
        self._is_member = False
        """Whether the name is a string of a list; others follow it there."""
        self._is_element = False
        """Whether the name is that of an XML element, which holds text."""

    @property
    def is_open(self) -> bool:
        """Whether the next line may hold the value of a name."""
        return self._n_left > 0 or self._block is not None

    def feed(self, line: str, start: int) -> tuple[bool, Sequence[Span]]:
        """Read a line that starts there; returns whether it ends with a name, and the
        values that are certain now.
        """
        of_block = self._in_block(line, start)
        has_name, found = self._next_to_name(line, start)
        if self._block is None and (block := opened_block(line)) is not None:
            self._block, self._n_left_of_block = block, MAX_BLOCK_LINES
        return has_name or self._block is not None, (*of_block, *found)

    def _in_block(self, line: str, start: int) -> Sequence[Span]:
        """Judge a line of a string as if it were on the line of its name."""
        if self._block is None:
            return ()
        before = self._block.before
        value, is_last = read_line(line, self._block)
        self._n_left_of_block -= 1
        if is_last or not self._n_left_of_block:
            self._block = None
        if value is None:
            return ()
        text = f'{line[slice(*value)]}"'
        return secrets_behind(before, text, start + value[0], self._kind)

    def _next_to_name(self, line: str, start: int) -> tuple[bool, Sequence[Span]]:
        has_name = _ends_with_name(line)
        if not (has_name or self._n_left or self._before or "alue" in line):
            return False, ()
        found: list[Span] = []
        if has_name and self._before is not None and neighbours.names_value(line):
            found.append(self._before)
        is_text = self._kind in _TEXT or self._is_element
        value = neighbours.lone_value(line, is_named=self._is_strong, is_text=is_text)
        is_between = value is None and neighbours.may_be_between(line)
        self._before = None
        if value is not None:
            value = (start + value[0], start + value[1])
            self._before = value if neighbours.is_value_field(line) else None
            if self._n_left and not (
                self._is_member and not neighbours.is_opaque(line.strip(" \t\"',"))
            ):
                # Strings that are put together are values on several lines.
                found.append(value)
        if has_name:
            names = (found[0] for found in NAME.finditer(line))
            self._is_strong = Promise.STRONG in map(promise_of, names)
            self._is_member = neighbours.is_member(line)
            self._is_element = line.endswith(">")
            self._n_left = neighbours.MAX_BETWEEN
        elif is_between and self._n_left:
            self._n_left -= 1
        elif value is None:
            self._n_left = 0
            self._is_strong = False
        return has_name, found


@lru_cache(maxsize=8_192)
def _ends_with_name(line: str) -> bool:
    if not neighbours.has_name(line):
        return False
    before, sign, _ = line.partition(" #")
    return neighbours.expects_value(line) or (
        bool(sign) and neighbours.expects_value(before.rstrip())
    )


def secrets_behind(before: str, text: str, start: int, kind: Kind) -> Sequence[Span]:
    """Judge a text that starts there as if it were on one line with its name."""
    shift = start - len(before)
    return [
        (shift + a, shift + b)
        for a, b in secrets_of_line(before + text, kind)
        if a >= len(before)
    ]
