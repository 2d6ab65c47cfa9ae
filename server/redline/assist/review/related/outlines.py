"""Outlines of files of others, made in a parser process that ends itself.

A text can be made to keep a parser busy for minutes, or to need gigabytes. Such a file
has an empty outline; the search for related places continues with the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from redline.errors import ParserEndedError
from redline.parsing.parser_process import ParserProcess
from redline.parsing.work import Work
from redline.syntax.language import Language
from redline.syntax.outline import Outline, outline
from redline.syntax.tree import parse

_FILE_LIMIT_S = 3.0
"""Time limit of one file; ordinary ones take less than half a second."""


class OutlineOf(Protocol):
    def __call__(self, text: str, language: Language) -> Outline: ...


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    language: Language


def read_outline(source: SourceText) -> Outline:
    return outline(parse(source.text, source.language))


OUTLINE: Work[SourceText, Outline] = Work(
    function="redline.assist.review.related.outlines:read_outline", result=Outline
)


class Outlines:
    """Asks a parser process, and starts another after a file that ended it."""

    def __init__(self, *, is_late: Callable[[], bool]) -> None:
        """Create it; the process starts with the first file.

        Args:
            is_late: Whether to parse no more: outlines are empty from then on.
        """
        self._is_late = is_late
        self.wasted_s = 0.0
        """Time spent on files whose outlines could not be made."""
        self._process: ParserProcess | None = None

    def __call__(self, text: str, language: Language) -> Outline:
        if self._is_late():
            return Outline()
        source = SourceText(text=text, language=language)
        began = time.monotonic()
        try:
            if self._process is None:
                self._process = ParserProcess(limit_s=_FILE_LIMIT_S)
            return self._process.call(OUTLINE, source)
        except ParserEndedError:
            self.close()
            self.wasted_s += time.monotonic() - began
            return Outline()

    def close(self) -> None:
        """End the process; idempotent."""
        if self._process is not None:
            self._process.close()
            self._process = None
