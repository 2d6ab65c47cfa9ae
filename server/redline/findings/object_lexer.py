"""Follows one JSON object from its opening brace to its closing one, as far as it goes.

Only what is needed to find the end: strings, brackets, and that a string is followed by
what may follow one. It looks at each character once, whatever the chunks are.
"""

from __future__ import annotations

import re
from typing import Literal

Step = Literal["more", "broken", "listed", "end"]
"""`more`: the text is used up; `broken`: it is no JSON; `listed`: an object begins that
is in a list; `end`: the object is over."""

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
        """Read on.

        Args:
            text: What there is of it; no more is read than to the limit.
            at: Where to read on, the opening brace at first, then what was returned.
            limit: Where to stop.

        Returns:
            What has happened, and the place after it.
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
