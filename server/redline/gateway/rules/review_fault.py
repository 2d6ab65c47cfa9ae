"""One fault that a rule has found, with its place and its fix."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from redline.findings.finding import Category, Severity

_MAX_TITLE_CHARS = 80


class LineFix(Struct, frozen=True, kw_only=True):
    """New text for some lines."""

    first: int
    """Index of the first line."""
    end: int
    """Index after the last line; equal to `first` for an insertion before it."""
    new_lines: tuple[str, ...]

    def for_lines(self, lines: Sequence[str], first: int, end: int) -> str:
        """Return the new text of a range of lines that contains the fixed ones."""
        new = [*lines[first : self.first], *self.new_lines, *lines[self.end : end]]
        return "\n".join(new)


def no_fix() -> LineFix | None:
    return None


class CodeFault(Struct, frozen=True, kw_only=True):
    """A fault in some lines of an excerpt."""

    first: int
    """Index of the first line in the excerpt."""
    end: int
    rule: str
    category: Category
    severity: Severity
    title: str
    """The title, on one line."""
    explanation: str
    fix: Callable[[], LineFix | None] = no_fix
    """Makes the fix; slow, so it is called only for reported faults."""
    breaks_syntax: bool = False


def short_title(message: str) -> str:
    """Shorten a message to one line of a title's length."""
    title = " ".join(message.split()).rstrip(".")
    if len(title) <= _MAX_TITLE_CHARS:
        return title
    return title[: _MAX_TITLE_CHARS - 1].rstrip() + "…"
