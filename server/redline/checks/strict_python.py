"""Faults that Python's own parser finds in a text that the grammar accepts."""

from __future__ import annotations

import ast
import re
import sys

from redline.checks.python.source import MAX_CHARS, parse, quietly, without_mark
from redline.syntax.facts import SyntaxFault

_NEWER = (
    # PEP 695, type parameters: Python 3.12.
    (
        (3, 12),
        re.compile(r"\s*(?:type\s+\w+|(?:async\s+)?def\s+\w+\s*\[|class\s+\w+\s*\[)"),
    ),
    # PEP 701, any expression in an f-string: Python 3.12.
    ((3, 12), re.compile(r".*\b[rR]?[fF][rR]?['\"]")),
    # PEP 696, defaults of type parameters: Python 3.13.
    (
        (3, 13),
        re.compile(r"\s*(?:type\s+\w+|(?:async\s+)?def\s+\w+|class\s+\w+)\s*\[.*="),
    ),
    # PEP 758, several exceptions without brackets: Python 3.14.
    ((3, 14), re.compile(r"\s*except\*?\s+[\w.]+\s*,")),
    # PEP 750, template strings: Python 3.14.
    ((3, 14), re.compile(r".*\b[rR]?[tT][rR]?['\"]")),
)
"""Lines that only a newer Python can parse, each with that version. A document may be
for a newer Python than the one that runs Redline."""


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
