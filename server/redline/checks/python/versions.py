"""Code for one version of Python, or one operating system, and no other.

Names in such code need not exist in the environment that was found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from redline.checks.python.scope import lines_of, nested_statements

_WORDS = {
    "version_info", "version", "platform", "implementation", "hexversion",
    "python_implementation", "system", "PY2", "PY3", "PYPY", "WINDOWS", "WIN32",
    "IS_WINDOWS", "IS_WIN",
}  # fmt: skip
"""Names in conditions that test for a Python version or an operating system."""
_CONSTANT = re.compile(r"_?(?:PY|PYTHON|IS_PY|GE_PY|LT_PY)_?[23]")
"""Constants that projects set by the version, such as `_PY315_PLUS`."""


def asks_for_version(test: ast.expr) -> bool:
    """Whether a condition depends on the Python version or the operating system."""
    names = (
        getattr(part, field, "") for part in ast.walk(test) for field in ("attr", "id")
    )
    return any(name in _WORDS or _CONSTANT.match(name) for name in names)


def versioned_lines(tree: ast.Module) -> Collection[int]:
    """Return the lines, counted from 0, that only some versions run."""
    return {line for block in _blocks(tree) for line in block}


def _blocks(tree: ast.Module) -> Iterator[range]:
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and asks_for_version(node.test):
            yield lines_of(node)
        else:
            waiting += nested_statements(node)
