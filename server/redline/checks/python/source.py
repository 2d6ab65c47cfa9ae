"""Python text as a syntax tree, or None if it cannot be read, and the reason.

Nothing is run or imported. A text that this interpreter cannot parse, because it is
broken or for a newer Python, is not checked at all.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from redline.syntax.facts import SyntaxFault

MAX_CHARS = 1_000_000
"""Longest text that is parsed: a longer one would take more time than a check may use
(about 0.2 s for a million characters, CPython 3.11)."""

_parsing = threading.Lock()
# Warning filters belong to the whole process; two threads that change and restore them
# at once would leave them changed.

NEWER_STATEMENTS = (
    # PEP 695: Python 3.12.
    (
        (3, 12),
        "type parameters",
        re.compile(r"^\s*+(?:type\s+\w+|(?:async\s+)?def\s+\w+\s*\[|class\s+\w+\s*\[)"),
    ),
    # PEP 696: Python 3.13.
    (
        (3, 13),
        "defaults of type parameters",
        re.compile(r"^\s*+(?:type\s+\w+|(?:async\s+)?def\s+\w+|class\s+\w+)\s*\[.*="),
    ),
    # PEP 758: Python 3.14.
    (
        (3, 14),
        "several exceptions without brackets",
        re.compile(r"^\s*+except\*?\s+[\w.]+\s*,"),
    ),
)
"""Statements that came with a version, and what they have."""

_NEWER = (
    *((version, pattern) for version, _, pattern in NEWER_STATEMENTS),
    # PEP 701, any expression in an f-string: Python 3.12.
    ((3, 12), re.compile(r".*\b[rR]?[fF][rR]?['\"]")),
    # PEP 750, template strings: Python 3.14.
    ((3, 14), re.compile(r".*\b[rR]?[tT][rR]?['\"]")),
)
"""Lines that only a newer Python can parse, each with that version. A document may be
for a newer Python than the one that runs Redline."""


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


def python_fault(text: str) -> SyntaxFault | None:
    """Return the syntax fault of a Python file; None if none is certain."""
    if len(text) > MAX_CHARS or parse(text) is not None:
        return None
    try:
        with quietly():
            ast.parse(without_mark(text))
    except SyntaxError as error:
        return _fault(error)
    except (ValueError, RecursionError, MemoryError):
        pass  # Too deep to be judged; `parse` says the same.
    return None


def _fault(error: SyntaxError) -> SyntaxFault | None:
    line = error.text or ""
    if any(sys.version_info < since and form.match(line) for since, form in _NEWER):
        return None
    return SyntaxFault(
        line=(error.lineno or 1) - 1,
        column=max((error.offset or 1) - 1, 0),
        message=error.msg,
    )
