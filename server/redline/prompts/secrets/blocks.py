"""Finds values that are lines of a string which begins on the line of their name.

Such a string is a here-document, also as the output of `cat`, or is in three quotes or
backticks. Its lines are judged as if each were on the line of the name, in quotes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from redline.prompts.secrets.signs import has_secret_word
from redline.prompts.secrets.stores import reads_secret

MAX_LINES = 20
"""Lines of a string that are read; a secret of more lines is found by its format."""

_QUOTES = ('"""', "'''", "`")

_HERE_DOCUMENT = re.compile(r"<<[<~-]?[ \t]?[\"'\\]?([A-Za-z_]\w{0,40})")

_WRAPPER = re.compile(
    r"(?:[\"']?(?:\$\(|`)\s{0,4}cat|(?:[\w.]{1,40}\()?(?:(?<![\w.])[A-Za-z]{1,2}#{0,3})?)"
    r"\s{0,4}\Z"
)
"""What may stand between a name and its string: a command, a call, a prefix."""

_MAX_WRAPPER = 60

_SEPARATORS = ("=", ":", "=>")


class ValueBlock(NamedTuple):
    """A string on several lines that has just begun."""

    before: str
    """What would stand in front of a line of it that is on the line of the name."""
    end: str
    """The quote, or the word, that ends it."""


class BlockLine(NamedTuple):
    value: tuple[int, int] | None
    """The span of the line's only word."""
    is_last: bool
    """Whether no value follows: the string ends, or is prose."""


def opened_block(line: str) -> ValueBlock | None:
    """Return the string that begins at the end of a line, after a name of a secret."""
    text = line.rstrip().removesuffix("\\").rstrip()
    quote = next(filter(text.endswith, _QUOTES), None)
    if quote is not None:
        head = text.removesuffix(quote)
        # A second quote ends a string.
        return None if quote in head else _block(head, quote)
    at = line.find("<<")
    begin = _HERE_DOCUMENT.match(line, at) if at >= 0 else None
    return None if begin is None else _block(line[:at], begin[1])


def read_line(line: str, block: ValueBlock) -> BlockLine:
    text = line.strip()
    if text.rstrip(";,)") == block.end:
        return BlockLine(None, is_last=True)
    has_end = block.end in _QUOTES and block.end in text
    if has_end:
        text = text[: text.index(block.end)]
    value = text.removesuffix("\\")
    if not value:
        return BlockLine(None, is_last=has_end)
    if value.endswith(":") or '"' in value or any(map(str.isspace, value)):
        return BlockLine(None, is_last=True)
    start = line.index(value)
    return BlockLine((start, start + len(value)), is_last=has_end)


def _block(head: str, end: str) -> ValueBlock | None:
    if reads_secret(head):
        return ValueBlock('secret="', end)
    if not has_secret_word(head):
        return None
    words = head.split()
    if "read" in words:
        # The shell's built-in: it assigns a line to the name.
        return ValueBlock(f'{words[-1]}="', end)
    wrapper = _WRAPPER.search(head, max(0, len(head) - _MAX_WRAPPER))
    head = head[: wrapper.start()] if wrapper is not None else head
    if not head.rstrip().endswith(_SEPARATORS):
        return None
    return ValueBlock(f'{head}"', end)
