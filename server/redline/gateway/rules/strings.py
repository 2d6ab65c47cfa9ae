"""String literals of Python code: their values, and which of them are docstrings."""

from __future__ import annotations

import ast
import re

import libcst as cst

# Python warns about all other escapes and will reject them in the future.
_ODD_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\[^\n\\'\"abfnrtv0-7xNuU]")


def string_value(node: cst.SimpleString) -> str | bytes | None:
    """Return the value of a literal; None if it is not certain."""
    if "r" not in node.prefix.lower() and _ODD_ESCAPE.search(node.raw_value):
        return None
    try:
        return node.evaluated_value
    except (SyntaxError, ValueError):
        return None


def literal_value(text: str) -> int | float | complex | str | bytes | None:
    if _ODD_ESCAPE.search(text):
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, int | float | complex | str | bytes) else None


def has_docstring(node: cst.Module | cst.FunctionDef | cst.ClassDef) -> bool:
    """Whether a module, function or class has a docstring, even an empty one."""
    body = node.body if isinstance(node, cst.Module) else node.body.body
    first: cst.CSTNode | None = body[0] if body else None
    if isinstance(first, cst.SimpleStatementLine):
        first = first.body[0]
    return first is not None and is_docstring(first)


def is_docstring(statement: cst.CSTNode) -> bool:
    """Whether a statement would be a docstring at the start of a body."""
    return isinstance(statement, cst.Expr) and _is_text(statement.value)


def _is_text(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.ConcatenatedString):
        return _is_text(node.left) and _is_text(node.right)
    return isinstance(node, cst.SimpleString) and "b" not in node.prefix.lower()
