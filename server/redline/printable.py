"""Text that others wrote, made safe for a terminal and a log.

A server, a file or a file name may hold control characters and ANSI sequences, which
move a terminal's cursor and recolour it, and bidirectional controls, which turn the
order of words. They become a visible mark: taken out, what is left could read as
another text. It stands below all rooms, because the log needs it.

`redline.text.markdown` has the same for messages and for Markdown.
"""

from __future__ import annotations

MARK = "\ufffd"
"""Stands for what is not shown."""

_LAYOUT = frozenset("\n\t")


def printable(text: str) -> str:
    """Mark every character that is not shown as itself; lines and tabs stay."""
    if text.isprintable():
        return text
    return "".join(map(_shown, text))


def printable_line(text: str) -> str:
    """Do the same on one line."""
    return printable(" ".join(text.split()))


def _shown(one: str) -> str:
    if one.isprintable() or one in _LAYOUT:
        return one
    return " " if one.isspace() and one > "\x7f" else MARK
