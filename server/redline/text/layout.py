"""Whether two texts differ in their layout only."""

from __future__ import annotations

_INDENTED = frozenset(
    {"coffeescript", "haml", "makefile", "nim", "pug", "python", "sass", "slim", "yaml"}
)
"""Language ids in which indentation has a meaning."""


def is_same_code(one: str, other: str, language: str) -> bool:
    """Whether two texts have the same code: formatted otherwise, or with lines moved.

    Args:
        one: A text.
        other: Another one.
        language: Their LSP language id.
    """
    if _code_lines(one) == _code_lines(other):
        return True
    if sorted(_code_lines(one)) == sorted(_code_lines(other)):
        return True
    return language not in _INDENTED and one.split() == other.split()


def _code_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
