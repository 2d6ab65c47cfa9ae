"""Reads a reply that begins with code.

All of it is code, except a lone closing fence at the very end: some models forget the
opening one, some servers cut it off.
"""

from __future__ import annotations

from collections.abc import Sequence

from redline.text.fence import read_fence
from redline.text.reply import ReplyKind


class BareReader:
    """Reads the lines of a reply that begins with code.

    Attributes:
        kinds: The problems found.
    """

    def __init__(self, target: Sequence[str]) -> None:
        """Create a reader; fences that occur in `target` belong to the code."""
        self._target = frozenset(target)
        self._is_in_block = False
        self._held: list[str] = []
        self.kinds: set[ReplyKind] = set()

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines of code that are certain."""
        if self._held:
            self._held.append(line)
            return self._release() if line.strip() else []
        if not self._is_fence(line):
            return [line]
        fence = read_fence(line)
        if fence is not None and fence.is_bare and not self._is_in_block:
            self._held = [line]
            return []
        self._is_in_block = not self._is_in_block
        return [line]

    def finish(self) -> list[str]:
        """Drop a fence that nothing follows."""
        if self._held:
            self.kinds.add("fence")
        return self._held[1:]

    def _is_fence(self, line: str) -> bool:
        fence = read_fence(line)
        return fence is not None and fence.run[0] == "`" and line not in self._target

    def _release(self) -> list[str]:
        """Treat a held fence as an opening one, since text follows it."""
        held, self._held = self._held, []
        last = held[-1]
        self._is_in_block = not self._is_fence(last)
        return held
