"""Restores the blank lines at the borders of a rewritten range."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile


class BlankEdges:
    """Passes lines on, surrounded by the range's own blank lines.

    Attributes:
        is_changed: Whether blank lines were added or removed.
    """

    def __init__(self, target: Sequence[str], *, is_fenced: bool) -> None:
        self._has_text = any(line.strip() for line in target)
        self._leading = list(takewhile(_is_blank, target))
        self._trailing = list(takewhile(_is_blank, reversed(target)))[::-1]
        self._is_fenced = is_fenced
        self._is_begun = False
        self._held: list[str] = []
        self.is_changed = False

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines that are certain now."""
        if _is_blank(line):
            self._held.append(line)
            return []
        held, self._held = self._held, []
        if not self._is_begun:
            self._is_begun = True
            held = self._edge(held, self._leading)
        return [*held, line]

    def finish(self) -> list[str]:
        """Return the blank lines that end the range; none if no text came."""
        return self._edge(self._held, self._trailing) if self._is_begun else []

    def _edge(self, held: list[str], own: list[str]) -> list[str]:
        if not self._has_text or (self._is_fenced and held) or len(held) == len(own):
            return held
        self.is_changed = True
        return own


def _is_blank(line: str) -> bool:
    return not line.strip()
