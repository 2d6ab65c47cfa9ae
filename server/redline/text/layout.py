"""Whether two texts differ in their layout only."""

from __future__ import annotations

_INDENTED = frozenset(
    {"coffeescript", "haml", "makefile", "nim", "pug", "python", "sass", "slim", "yaml"}
)
"""Language ids in which indentation has a meaning."""


def is_same_code(one: str, other: str, language: str) -> bool:
    """Whether two texts differ in blank lines, indentation and line ends only.

    Blanks inside a line count, because they may be in a string. So does the order of
    lines, and where a line ends.

    Args:
        one: A text.
        other: Another one.
        language: Their LSP language id.
    """
    is_indented = language in _INDENTED
    return _code_lines(one, is_indented) == _code_lines(other, is_indented)


def _code_lines(text: str, is_indented: bool) -> list[str]:
    lines = (
        line.rstrip() if is_indented else line.strip() for line in text.split("\n")
    )
    return [line for line in lines if line]
