"""One fault that a rule has found: where it is, what it is, and how it is mended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redline.findings.finding import Category, Severity

_MAX_TITLE_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFix:
    """New text for some lines."""

    first: int
    """Index of the first of them."""
    end: int
    """After the last one; the same as `first`: something is put in before it."""
    new_lines: tuple[str, ...]

    def for_lines(self, lines: Sequence[str], first: int, end: int) -> str:
        """Write the new text of lines around those that are mended."""
        new = [*lines[first : self.first], *self.new_lines, *lines[self.end : end]]
        return "\n".join(new)


def no_fix() -> LineFix | None:
    """Make none."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFault:
    """What is wrong with some lines of an excerpt."""

    first: int
    """Index in the excerpt's lines."""
    end: int
    rule: str
    category: Category
    severity: Severity
    title: str
    """One line."""
    explanation: str
    fix: Callable[[], LineFix | None] = no_fix
    """Makes the fix, which takes a while: only for what is told."""
    breaks_syntax: bool = False


def short_title(message: str) -> str:
    """Make one line of a message, as long as a title may be."""
    title = " ".join(message.split()).rstrip(".")
    if len(title) <= _MAX_TITLE_CHARS:
        return title
    return title[: _MAX_TITLE_CHARS - 1].rstrip() + "…"
