"""A document's text, and its parts at the outermost level.

Rules tokenize only the parts that hold a name they look for, so their cost depends on
the uses of a name and not on the size of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import accumulate, islice

from redline.next_edits.next_edit import NextEdit, Rule
from redline.next_edits.tokens import Family, Token, family_of, tokens
from redline.text.position import Position, Range

MAX_TOKENIZED = 6_000
"""Characters that the rules may tokenize after a change, which takes under 10 ms."""

_MAX_QUOTES = 10_000
"""Quotes of long strings in a file whose parts are looked for."""

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

    def __init__(
        self,
        lines: Sequence[str],
        language: str,
        *,
        max_tokenized: int = MAX_TOKENIZED,
    ) -> None:
        self.lines = lines
        self.language = language
        self.family = family_of(language)
        self._tokenized: dict[int, list[Token]] = {}
        self.max_tokenized = self._n_left = max_tokenized

    @cached_property
    def text(self) -> str:
        """The whole text, with its line ends."""
        return "".join(self.lines)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(map(len, self.lines))]

    def line_start(self, line: int) -> int:
        """Return the offset of the first character of a line."""
        return self._starts[line]

    def position(self, offset: int) -> Position:
        line = min(bisect_right(self._starts, offset), len(self.lines)) - 1
        return Position(line, offset - self._starts[line])

    def offset(self, at: Position) -> int:
        return self._starts[at.line] + at.character

    def range(self, start: int, stop: int) -> Range:
        """Return the range between two offsets."""
        return Range(self.position(start), self.position(stop))

    def edit(self, rule: Rule, start: int, stop: int, text: str, why: str) -> NextEdit:
        """Return the replacement of the text between two offsets."""
        place = self.range(start, stop)
        old = self.text[start:stop]
        return NextEdit(rule=rule, range=place, old=old, text=text, why=why)

    def words(
        self, word: str, start: int = 0, stop: int | None = None
    ) -> Iterator[int]:
        """Yield the offsets of an identifier, also within strings and comments."""
        stop = len(self.text) if stop is None else stop
        at = self.text.find(word, start, stop)
        while at >= 0:
            end = at + len(word)
            if not (
                _is_word(self.text[at - 1 : at]) or _is_word(self.text[end : end + 1])
            ):
                yield at
            at = self.text.find(word, end, stop)

    def parts_with(self, *names: str) -> list[list[Token]]:
        """Return the tokens of the parts in which any of these names occurs.

        Raises:
            TooLongError: If they are too long.
        """
        parts: list[list[Token]] = []
        stop = -1
        for found in merge(*map(self.words, names)):
            if found < stop:
                continue
            start, stop = self.part_at(found)
            parts.append(self.tokens_between(start, stop))
        return parts

    def part_at(self, offset: int) -> tuple[int, int]:
        """Return the part around an offset: from a line that begins in the first column
        up to the next one.

        Raises:
            TooLongError: If it is longer than a rule may tokenize, or the text has too
                many long strings.
        """
        if self.family not in _NOT_FIRST:
            return 0, len(self.text)
        line = self.position(offset).line
        first, end = line, line + 1
        while first > 0 and not self._begins_part(first):
            first -= 1
            self._check_length(first, end)
        while end < len(self.lines) and not self._begins_part(end):
            end += 1
            self._check_length(first, end)
        return self._starts[first], self._starts[end]

    def _check_length(self, first: int, end: int) -> None:
        if self._starts[end] - self._starts[first] > self.max_tokenized:
            raise TooLongError

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
        # A line inside a long string begins in the first column, too.
        before = self._starts[line]
        return all(bisect_left(each, before) % 2 == 0 for each in self._quotes)

    @cached_property
    def _quotes(self) -> list[list[int]]:
        """The offsets of each kind of quote that long strings have."""
        found = []
        for quote in _QUOTES.get(self.family, ()):
            places = re.finditer(quote, self.text)
            found.append([one.start() for one in islice(places, _MAX_QUOTES + 1)])
            if len(found[-1]) > _MAX_QUOTES:
                raise TooLongError
        return found

    def token_at(self, offset: int) -> Token | None:
        """Return the token around an offset."""
        start, stop = self.part_at(offset)
        part = self.tokens_between(start, stop)
        index = bisect_right(part, offset, key=lambda one: one.start) - 1
        return part[index] if index >= 0 else None


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
