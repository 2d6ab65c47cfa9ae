"""Reads a module's definitions from its text."""

from __future__ import annotations

import ast
import re

from redline.checks.python.definition import (
    UNCLEAR,
    Contents,
    Imported,
)
from redline.checks.python.scope import read_scope, statements

_SET_ATTRIBUTE = re.compile(r"\.\s*+(\w++)\s*+(?::[^=\n]{1,200}+)?=(?!=)")
_SETATTR = re.compile(r"\bsetattr\s*+\([^,\n]{1,200}+,\s*+[\"'](\w+)[\"']")
_REBINDING = re.compile(r"^[ \t]*(?:global|nonlocal)\b([^\n#;]+)", re.MULTILINE)
_WALRUS = re.compile(r"\b(\w+)\s*:=")
_WORD = re.compile(r"\w+")

_MAKES_NAMES = (
    "def __getattr__(", "globals()", "vars()", "locals()", "exec(", "execfile(",
    "sys.modules[", "setattr(sys.modules", "setattr(module", "setattr(mod,",
    "setattr(this", "setattr(current", "__getattr__ =", "__getattr__,",
    "lazy.attach(", "lazy_loader.attach", "attach_stub(", "_convert_(", "global_enum",
)  # fmt: skip
"""Signs that a module gets names that its text does not bind. A method `__getattr__`
matches too, which only loses a check."""


def read_contents(text: str, tree: ast.Module) -> Contents:
    """Read a module.

    Args:
        text: The whole file.
        tree: Its syntax tree.
    """
    names = read_scope(tree.body)
    for name in _rebound(text) | set(_WALRUS.findall(text)):
        names[name] = UNCLEAR
    return Contents(
        names=names,
        stars=_stars(tree),
        is_open=any(sign in text for sign in _MAKES_NAMES),
        set_attributes=frozenset(_SET_ATTRIBUTE.findall(text) + _SETATTR.findall(text)),
    )


def _rebound(text: str) -> set[str]:
    return {name for found in _REBINDING.findall(text) for name in _WORD.findall(found)}


def _stars(tree: ast.Module) -> tuple[Imported, ...]:
    return tuple(
        Imported(module=statement.module or "", level=statement.level)
        for statement in statements(tree.body)
        if isinstance(statement, ast.ImportFrom)
        and any(alias.name == "*" for alias in statement.names)
    )
