"""A cursor and the lines around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from redline.completion.brackets import Openings, carried, open_in, quote_before
from redline.completion.prose import depth_above

TAB_WIDTH = 4
"""Columns of a tab when depths are compared."""

N_AROUND = 64
"""Lines that are read above and below a cursor."""

N_WATCHED = 20
"""Lines above and below that must be as they were for a reply to fit."""

_OPENERS = (":", "{", "(", "[", "=>", "->", " then", " do")
_HEAD = re.compile(
    r"[ \t}]*(?:if|elif|else|for|while|try|except|finally|with|def|class|async|match|"
    r"case|function|switch|catch|do|fn|func|impl|struct|enum|interface|loop|unless|"
    r"begin|module|trait)\b"
)
_DEFINITION = re.compile(
    r"[ \t}]*(?:def|class|async|function|fn|func|impl|struct|interface|trait|export|"
    r"public|private|protected|static|pub|sub|module)\b"
)


Definitions: TypeAlias = tuple[tuple[int, int], ...]
"""How far away the first line of each is, from 0 on, and its depth; the nearest first.
"""


class Around(Struct, frozen=True, kw_only=True, dict=True):
    """The lines around a cursor's, at most `N_AROUND` in each direction.

    They are the same for all keys in one line, and so is what is read from them.
    """

    language: str
    above: tuple[str, ...] = ()
    """The lines above, the nearest last."""
    below: tuple[str, ...] = ()
    """The lines below, the nearest first."""

    def read(self) -> None:
        """Read what the filters of a reply ask for, before the reply arrives."""
        _ = self.next_line, self.last_line, self.code_above, self.code_below
        _ = self.openings, self.prose_depth, self.unit

    @cached_property
    def next_line(self) -> str:
        """The next line below that is not blank; empty if there is none."""
        return next((line for line in self.below if line.strip()), "")

    @cached_property
    def last_line(self) -> str:
        """The nearest line above that is not blank; empty if there is none."""
        return next((line for line in reversed(self.above) if line.strip()), "")

    @cached_property
    def code_above(self) -> tuple[str, ...]:
        """The lines above that are not blank, without white space at their ends."""
        return tuple(text for line in self.above if (text := line.strip()))

    @cached_property
    def code_below(self) -> tuple[str, ...]:
        """The lines below that are not blank."""
        return tuple(line for line in self.below if line.strip())

    @cached_property
    def definitions_above(self) -> Definitions:
        """The definitions that begin in the nearest lines above."""
        return _definitions(self.above[: -N_WATCHED - 1 : -1])

    @cached_property
    def definitions_below(self) -> Definitions:
        """The definitions that begin in the nearest lines below."""
        return _definitions(self.below[:N_WATCHED])

    @cached_property
    def openings(self) -> Openings:
        """What is open where the cursor's line begins."""
        start = Openings()
        if len(self.above) == N_AROUND:
            start = Openings(quote=quote_before(self.above, self.language))
        return open_in(self.above, self.language, start)

    @cached_property
    def prose_depth(self) -> int:
        """The brackets that the last paragraph of comments or a long string opened."""
        quote = carried(self.openings.quote)
        return depth_above(self.above, self.language, quote)

    @cached_property
    def unit(self) -> str:
        """The indentation of one level; empty if the lines do not show it."""
        if self.language == "makefile":
            return "\t"  # A recipe begins with one.
        return _shown_unit([*self.above, *self.below])


class Place(Struct, frozen=True, kw_only=True, dict=True):
    """A cursor in its line."""

    left: str
    """The cursor's line before the cursor."""
    right: str
    """The cursor's line after the cursor, without its end."""
    around: Around

    @property
    def language(self) -> str:
        """The LSP language id."""
        return self.around.language

    @property
    def above(self) -> tuple[str, ...]:
        """The lines above, the nearest last."""
        return self.around.above

    @property
    def below(self) -> tuple[str, ...]:
        """The lines below, the nearest first."""
        return self.around.below

    @property
    def next_line(self) -> str:
        """The next line below that is not blank; empty if there is none."""
        return self.around.next_line

    @property
    def last_line(self) -> str:
        """The nearest line above that is not blank; empty if there is none."""
        return self.around.last_line

    @cached_property
    def openings(self) -> Openings:
        """What is open at the cursor."""
        return open_in([self.left], self.language, self.around.openings)

    @cached_property
    def unit(self) -> str:
        """The indentation of one level: a tab, or the file's number of blanks."""
        return self.around.unit or indent_unit([self.left + self.right])

    @property
    def is_blank(self) -> bool:
        """Whether nothing but white space precedes the cursor in its line."""
        return not self.left.strip()


def indent_of(line: str) -> str:
    """Return the white space that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def depth_of(line: str) -> int:
    """Return the width of a line's indentation in columns."""
    return width(indent_of(line))


def width(white: str) -> int:
    """Return the columns that white space fills."""
    return len(white.expandtabs(TAB_WIDTH)) if "\t" in white else len(white)


def white_space(columns: int, unit: str) -> str:
    """Write an indentation of some columns in a file's style."""
    if unit == "\t":
        return "\t" * (columns // TAB_WIDTH) + " " * (columns % TAB_WIDTH)
    return " " * columns


def indent_unit(lines: Sequence[str]) -> str:
    """Return the indentation of one level; four blanks if the lines do not show it."""
    return _shown_unit(lines) or " " * 4


def _shown_unit(lines: Sequence[str]) -> str:
    """Return the indentation of one level; empty if the lines do not show it."""
    smallest = 0
    for line in lines:
        if not line or line[0] not in " \t":
            continue
        if line[0] == "\t":
            return "\t"
        n_blanks = len(line) - len(line.lstrip(" "))
        is_text = n_blanks < len(line) and line[n_blanks] not in "*\t"
        if is_text and n_blanks > 1 and (not smallest or n_blanks < smallest):
            smallest = n_blanks
    return " " * smallest if smallest in (2, 3, 4, 8) else ""


def opens_block(line: str) -> bool:
    """Whether the lines after this one are expected to be indented more."""
    text = line.rstrip()
    if not text.endswith(_OPENERS):
        return False
    if text.endswith(":"):
        # Not an argument, an attribute or a label.
        return _HEAD.match(text) is not None
    return True


def is_definition(line: str) -> bool:
    """Whether a line looks like the first of a function or class."""
    return _DEFINITION.match(line) is not None


def _definitions(nearest: Sequence[str]) -> Definitions:
    return tuple(
        (at, depth_of(line)) for at, line in enumerate(nearest) if is_definition(line)
    )
