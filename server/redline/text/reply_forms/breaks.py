"""Restores line ends and blanks that stand as other characters, as pages write them."""

from __future__ import annotations

import re

from redline.text.reply_forms.surroundings import Surroundings

_BREAKS = re.compile("[\u2028\u2029\x85\x0b]")
"""What separates lines in other texts than code."""
_MIN_N_LINES = 2
_NEW_PAGE = re.compile(r"^\x0c", re.MULTILINE)
_ENTITY = r"(?:&nbsp;|&#160;|&#xa0;|&ensp;|&emsp;|&#32;)"
_ONE = re.compile(_ENTITY)
_INDENT = re.compile(rf"(?:[ \t]|{_ENTITY})*+")


def has_break(line: str) -> bool:
    """Whether a line has a separator of lines, or the sign of a new page."""
    return "\x0c" in line or _BREAKS.search(line) is not None


def with_line_feeds(text: str, around: Surroundings) -> str | None:
    """Divide a single line at the separators, and remove the signs of new pages."""
    if "\x0c" in text and not around.has("\x0c"):
        text = _NEW_PAGE.sub("", text)
    elif not _BREAKS.search(text):
        return None
    line = text.strip("\n")
    n_texts = sum(map(bool, map(str.strip, _BREAKS.split(line))))
    if "\n" in line or n_texts < _MIN_N_LINES or any(map(_BREAKS.search, around.lines)):
        return text
    return _BREAKS.sub("\n", text)


def with_blanks(text: str, around: Surroundings) -> str | None:
    """Write the blanks that entities of HTML stand for in an indentation."""
    if not _ONE.search(text) or any(map(_ONE.search, around.lines)):
        return None
    lines = text.split("\n")
    return "\n".join(map(_with_blanks, lines))


def _with_blanks(line: str) -> str:
    found = _INDENT.match(line)
    at = found.end() if found else 0
    return _ONE.sub(" ", line[:at]) + line[at:]
