"""Splits text that arrives in pieces, cut anywhere, into lines."""

from __future__ import annotations

from redline.text.lines import split_lines, strip_end


class LineBuffer:
    """Collects pieces of a text and returns its lines without their ends."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._is_after_return = False

    def feed(self, piece: str) -> list[str]:
        """Add a piece; return the lines that are complete now."""
        # A carriage return at the end of a piece may be half of a line end.
        if not (self._is_after_return or "\n" in piece or "\r" in piece):
            self._pieces.append(piece)
            return []
        lines = split_lines("".join(self._pieces) + piece)
        rest = lines.pop()
        self._is_after_return = not rest and lines[-1:] != [] and lines[-1][-1] == "\r"
        self._pieces = [lines.pop() if self._is_after_return else rest]
        return [strip_end(line) for line in lines]

    def finish(self) -> list[str]:
        """Return the last line if it has no end."""
        lines = split_lines("".join(self._pieces))
        self._pieces = []
        self._is_after_return = False
        return [strip_end(line) for line in lines if line]
