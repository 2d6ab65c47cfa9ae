"""Finds the end of a JSON object that arrives in chunks.

It checks only what finding the end needs: strings, brackets, and the character after a
string. It reads each character once, whatever the chunks are.
"""

from __future__ import annotations

import re
from typing import Literal

Step = Literal["more", "broken", "listed", "end"]
"""`more`: all text is read; `broken`: it is not JSON; `listed`: an object in a list
begins; `end`: the object is complete."""

_IN_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_MARK = re.compile(r'["{}\[\]]')
_NEXT = re.compile(r"\S")
_AFTER_STRING = ":,}]"
_CLOSES = {"}": "{", "]": "["}


class ObjectLexer:
    """Finds the end of an object that begins with a brace."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._is_in_string = False
        self._is_after_string = False

    def read(self, text: str, at: int, limit: int) -> tuple[Step, int]:
        """Continue reading.

        Args:
            text: The text so far.
            at: Where to continue: first the opening brace, then the returned index.
            limit: The index at which to stop.

        Returns:
            The event, and the index after it.
        """
        step: Step | None = None
        while step is None:
            if self._is_in_string:
                step, at = self._read_string(text, at, limit)
            elif self._is_after_string:
                step, at = self._read_after_string(text, at, limit)
            else:
                step, at = self._read_mark(text, at, limit)
        return step, at

    def _read_string(self, text: str, at: int, limit: int) -> tuple[Step | None, int]:
        found = _IN_STRING.match(text, at, limit)
        at = at if found is None else found.end()
        if text[at : min(at + 1, limit)] != '"':
            return "more", at
        self._is_in_string, self._is_after_string = False, True
        return None, at + 1

    def _read_after_string(
        self, text: str, at: int, limit: int
    ) -> tuple[Step | None, int]:
        found = _NEXT.search(text, at, limit)
        if found is None:
            return "more", min(len(text), limit)
        self._is_after_string = False
        return (None if found[0] in _AFTER_STRING else "broken"), found.start()

    def _read_mark(self, text: str, at: int, limit: int) -> tuple[Step | None, int]:
        found = _MARK.search(text, at, limit)
        if found is None:
            return "more", min(len(text), limit)
        if found[0] == '"':
            self._is_in_string = True
            return None, found.end()
        return self._bracket(found[0]), found.end()

    def _bracket(self, bracket: str) -> Step | None:
        opening = _CLOSES.get(bracket)
        if opening is None:
            is_listed = bracket == "{" and self._open[-1:] == ["["]
            self._open.append(bracket)
            return "listed" if is_listed else None
        if self._open.pop() != opening:
            return "broken"
        return None if self._open else "end"
