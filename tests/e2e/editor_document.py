"""A document as an editor keeps it: nothing here is shared with the server's own text.

Positions are those of the protocol: lines end at LF, CRLF or CR and nowhere else (LSP
3.18, "Text Documents"), characters count units of the negotiated encoding.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]  # Any: JSON.

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_UNIT_BYTES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("", 0)}


class EditorDocument:
    """One open document, its version and its text."""

    def __init__(self, uri: str, text: str, *, encoding: str) -> None:
        self.uri = uri
        self.text = text
        self.version = 1
        self._encoding = encoding

    def apply(self, edits: Sequence[Json]) -> list[Json]:
        """Apply text edits that are all in the coordinates of the text before.

        Returns:
            The content changes that tell the server of it.
        """
        places = [
            (self.offset(e["range"]["start"]), self.offset(e["range"]["end"]), e)
            for e in edits
        ]
        places.sort(key=lambda place: (place[0], place[1]))
        for (_, end, _), (start, _, _) in itertools.pairwise(places):
            assert end <= start, "the edits overlap"
        changes = []
        # From the last to the first: none moves the ones before it.
        for start, end, edit in reversed(places):
            assert start <= end, "the edit's range is backwards"
            self.text = self.text[:start] + edit["newText"] + self.text[end:]
            changes.append({"range": edit["range"], "text": edit["newText"]})
        self.version += 1
        return changes

    def offset(self, position: Json) -> int:
        """Where a position is in the text; it must be there exactly."""
        lines = _LINE.findall(self.text)
        start = sum(map(len, lines[: position["line"]]))
        content = lines[position["line"]].rstrip("\r\n")
        for n_chars in range(len(content) + 1):
            if self._n_units(content[:n_chars]) == position["character"]:
                return start + n_chars
        raise AssertionError(f"{position} is no place of {content!r}")

    def position(self, offset: int) -> Json:
        """The position of a place in the text."""
        before = _LINE.findall(self.text[:offset])
        before = before[:-1] if len(before) > 1 and before[-1] == "" else before
        last = before[-1] if before else ""
        if last.endswith(("\r", "\n")):
            return {"line": len(before), "character": 0}
        return {"line": max(0, len(before) - 1), "character": self._n_units(last)}

    def _n_units(self, text: str) -> int:
        codec, n_bytes = _UNIT_BYTES[self._encoding]
        return len(text.encode(codec)) // n_bytes if codec else len(text)


def place(line: int, character: int = 0) -> Json:
    """A position."""
    return {"line": line, "character": character}


def lines(first: int, end: int) -> Json:
    """The range of whole lines from `first` up to, and without, `end`."""
    return {"start": place(first), "end": place(end)}


def span(start: tuple[int, int], end: tuple[int, int]) -> Json:
    """The range between two places."""
    return {"start": place(*start), "end": place(*end)}
