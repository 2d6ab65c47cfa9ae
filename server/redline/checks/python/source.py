"""Python text as a syntax tree, or nothing where it cannot be read.

Nothing is run or imported. A text that this interpreter cannot parse, be it broken or
of a newer Python, is not judged at all.
"""

from __future__ import annotations

import ast
import functools
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

MAX_CHARS = 1_000_000
"""Longer texts are left alone: they would take longer to parse (about 0.2 s for a
million characters, CPython 3.11) than a check may."""

_parsing = threading.Lock()
# The filters of warnings belong to the whole process; two threads that change and
# restore them at once would leave them changed.


@functools.lru_cache(maxsize=2)
def parse(text: str) -> ast.Module | None:
    """Parse a whole file; None if it is no Python that can be judged.

    The last two trees are kept, because each rule asks for the same ones.
    """
    return parse_once(text)


def parse_once(text: str) -> ast.Module | None:
    """Parse a whole file that will not be asked for again."""
    if len(text) > MAX_CHARS:
        return None
    try:
        with quietly():
            return ast.parse(without_mark(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # MemoryError is how CPython's parser reports that brackets nest too deeply.
        return None


def without_mark(text: str) -> str:
    """Return a text without its byte order mark, which `ast` takes for code.

    Python itself skips the mark when it reads a file, and so does tree-sitter.
    """
    return text.removeprefix("\ufeff")


@contextmanager
def quietly() -> Iterator[None]:
    """Parse without warnings: a stray `\\d` is not what is asked."""
    with _parsing, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
