"""A document's text, and its parts at the outermost level.

Rules tokenize only the parts that hold a name they look for, so their cost depends on
the uses of a name and not on the size of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from redline.next_edits.next_edit import NextEdit, Rule
from redline.next_edits.tokens import Family, Token, family_of, tokens
from redline.text.position import Position, Range

MAX_TOKENIZED = 6_000
"""Characters that the rules may tokenize after a change, which takes under 10 ms; a
rule that needs more offers nothing."""

_QUOTES: dict[Family, tuple[str, ...]] = {
    "python": ('"""', "'''"),
    "braces": ("`",),
}
_NOT_FIRST: dict[Family, str] = {
    "python": " \t\r\n)]}#",
    "braces": " \t\r\n)]}{/*",
}
"""Characters that do not begin a part in the first column."""


class TooLongError(Exception):
    """A rule would have to read too much."""


class EditedSource:
    """The text of a document at one version."""

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self.lines = lines
        self.language = language
        self.family = family_of(language)
        self.text = "".join(lines)
        self._tokenized: dict[int, list[Token]] = {}
        self._n_left = MAX_TOKENIZED

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(map(len, self.lines))]

    def line_start(self, line: int) -> int:
        """Return the offset of the first character of a line."""
        return self._starts[line]

    def position(self, offset: int) -> Position:
        """Return the position of an offset."""
        line = min(bisect_right(self._starts, offset), len(self.lines)) - 1
        return Position(line, offset - self._starts[line])

    def offset(self, at: Position) -> int:
        """Return the offset of a position."""
        return self._starts[at.line] + at.character

    def range(self, start: int, stop: int) -> Range:
        """Return the range between two offsets."""
        return Range(self.position(start), self.position(stop))

    def edit(self, rule: Rule, start: int, stop: int, text: str, why: str) -> NextEdit:
        """Return the replacement of the text between two offsets."""
        place = self.range(start, stop)
        old = self.text[start:stop]
        return NextEdit(rule=rule, range=place, old=old, text=text, why=why)

    def parts_with(self, *names: str) -> list[list[Token]]:
        """Return the tokens of the parts in which any of these names occurs.

        Raises:
            TooLongError: If they are too long.
        """
        pattern = "|".join(map(re.escape, names))
        parts: list[list[Token]] = []
        stop = -1
        for found in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", self.text):
            if found.start() < stop:
                continue
            start, stop = self.part_at(found.start())
            parts.append(self.tokens_between(start, stop))
        return parts

    def part_at(self, offset: int) -> tuple[int, int]:
        """Return the part around an offset: from a line that begins in the first column
        up to the next one."""
        if self.family not in _NOT_FIRST:
            return 0, len(self.text)
        line = self.position(offset).line
        first = line
        while first > 0 and not self._begins_part(first):
            first -= 1
        end = line + 1
        while end < len(self.lines) and not self._begins_part(end):
            end += 1
        return self._starts[first], self._starts[end]

    def tokens_between(self, start: int, stop: int) -> list[Token]:
        """Return the tokens of a part.

        Raises:
            TooLongError: If too much was tokenized for this document already.
        """
        if start not in self._tokenized:
            self._n_left -= stop - start
            if self._n_left < 0:
                raise TooLongError
            self._tokenized[start] = tokens(self.text, self.family, start, stop)
        return self._tokenized[start]

    def _begins_part(self, line: int) -> bool:
        text = self.lines[line]
        if not text or text[0] in _NOT_FIRST[self.family]:
            return False
        before = self._starts[line]
        # A line inside a long string begins in the first column, too.
        return all(
            self.text.count(quote, 0, before) % 2 == 0
            for quote in _QUOTES.get(self.family, ())
        )

    def token_at(self, offset: int) -> Token | None:
        """Return the token around an offset."""
        start, stop = self.part_at(offset)
        part = self.tokens_between(start, stop)
        index = bisect_right(part, offset, key=lambda one: one.start) - 1
        return part[index] if index >= 0 else None
