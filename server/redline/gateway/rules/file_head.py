"""The head of a Python file: comments, docstring and imports."""

from __future__ import annotations

import re

import libcst as cst

from redline.gateway.rules.python_source import PythonSource
from redline.gateway.rules.strings import is_docstring

_CODING = re.compile(r"#.*?coding[:=]")  # PEP 263
_COMMENTS = re.compile(r"(?:#[^\n]*\n)+\n+")


def is_blank_line(text: str, offset: int) -> bool:
    """Whether only white space follows an offset on its line."""
    end = text.find("\n", offset)
    return not text[offset : end if end >= 0 else len(text)].strip()


def after_file_comments(text: str) -> int:
    """Return the offset after the comments that belong to the whole file."""
    at = 0
    while text.startswith("#!", at) or _CODING.match(text, at):
        at = next_line(text, at)
    found = _COMMENTS.match(text, at)
    return found.end() if found else at


def after_imports(source: PythonSource) -> int | None:
    """Return the offset of the line after the docstring and imports of a file.

    Returns:
        None if there are neither.
    """
    last: cst.CSTNode | None = None
    for at, statement in enumerate(source.module.body):
        if not (_is_import(statement) or (at == 0 and _is_docstring(statement))):
            break
        last = statement
    if last is None:
        return None
    return next_line(source.text, source.span(last)[1] - 1)


def next_line(text: str, offset: int) -> int:
    """Return the offset where the line after the one of `offset` starts."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1


def _is_docstring(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[part]):
            return is_docstring(part)
    return False


def _is_import(statement: cst.CSTNode) -> bool:
    """Whether a statement only imports, perhaps under a condition."""
    match statement:
        case cst.SimpleStatementLine(body=parts):
            return all(isinstance(p, cst.Import | cst.ImportFrom) for p in parts)
        case cst.If(body=body, orelse=None):
            return all(map(_is_import, body.body))
        case cst.Try(body=body, orelse=None, finalbody=None):
            return all(map(_is_import, body.body))
    return False
