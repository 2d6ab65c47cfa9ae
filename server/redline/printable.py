"""Makes text from outside safe for a terminal and a log.

A server, a file or a file name may hold control characters and ANSI sequences, which
move a terminal's cursor and recolour it, and bidirectional controls, which reorder
words. Each becomes a visible mark: without it, the remaining text could read as
something else. All rooms may import this module, because the log needs it.

`redline.text.markdown` does the same for messages and Markdown.
"""

from __future__ import annotations

MARK = "\ufffd"
"""Stands for what is not shown."""

_LAYOUT = frozenset("\n\t")


def printable(text: str) -> str:
    """Replace control characters by a mark; line feeds and tabs stay."""
    if text.isprintable():
        return text
    return "".join(map(_shown, text))


def printable_line(text: str) -> str:
    """Do the same as `printable` and join the lines into one."""
    return printable(" ".join(text.split()))


def json_page(value: object) -> str:
    """Return a value as JSON, indented, with a final newline.

    Characters that a terminal would obey or not show, such as bidirectional controls,
    are escaped.
    """
    import msgspec

    page = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    return "".join(map(_escaped, page)) + "\n"


def _escaped(one: str) -> str:
    if one.isprintable() or one == "\n":
        return one
    code = one.encode("utf-16-be").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def _shown(one: str) -> str:
    if one.isprintable() or one in _LAYOUT:
        return one
    return " " if one.isspace() and one > "\x7f" else MARK
