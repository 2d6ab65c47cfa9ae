"""Python text as a syntax tree, or None if it cannot be read.

Nothing is run or imported. A text that this interpreter cannot parse, because it is
broken or for a newer Python, is not checked at all.
"""

from __future__ import annotations

import ast
import functools
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

MAX_CHARS = 1_000_000
"""Longest text that is parsed: a longer one would take more time than a check may use
(about 0.2 s for a million characters, CPython 3.11)."""

_parsing = threading.Lock()
# Warning filters belong to the whole process; two threads that change and restore them
# at once would leave them changed.


@functools.lru_cache(maxsize=2)
def parse(text: str) -> ast.Module | None:
    """Parse a whole file; None if it is not Python that can be checked.

    The last two trees are cached, because every rule needs the same ones.
    """
    return parse_once(text)


def parse_once(text: str) -> ast.Module | None:
    """Parse a whole file without caching the tree."""
    if len(text) > MAX_CHARS:
        return None
    try:
        with quietly():
            return ast.parse(without_mark(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # MemoryError is how CPython's parser reports that brackets nest too deeply.
        return None


def without_mark(text: str) -> str:
    """Return a text without its byte order mark, which `ast` reads as code.

    Python itself skips the mark when it reads a file, and so does tree-sitter.
    """
    return text.removeprefix("\ufeff")


@contextmanager
def quietly() -> Iterator[None]:
    """Parse without warnings such as the one for a stray `\\d`."""
    with _parsing, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
