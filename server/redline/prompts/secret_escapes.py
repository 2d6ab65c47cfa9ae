"""Text inside strings: code in a notebook, JSON in JSON, a program that writes one."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\([^\n])")
_CHARS = {"n": "\n", "r": "\r", "t": "\t"}


def has_inner_quote(line: str) -> bool:
    """Whether a line has a quote that is escaped, as it is inside a string."""
    return '\\"' in line or "\\'" in line


def unescaped(line: str) -> tuple[str, list[int]]:
    """Replace each escape of two characters by what it stands for.

    Returns:
        The text, and where each of its characters starts in the line; then the length
        of the line.
    """
    pieces: list[str] = []
    starts: list[int] = []
    end = 0
    for escape in _ESCAPE.finditer(line):
        begin = escape.start()
        pieces += line[end:begin], _CHARS.get(escape[1], escape[1])
        starts += range(end, begin + 1)
        end = escape.end()
    pieces.append(line[end:])
    starts += range(end, len(line) + 1)
    return "".join(pieces), starts
