"""`compile-error` in Python: fields for which `dataclass` raises an exception.

A default that is a list, dictionary or set, and a field without a default behind one
that has it, as in `dataclasses` of Python 3.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.source import parse

_RULE = "compile-error"
_MUTABLE = (
    ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp
)  # fmt: skip
_IMPORT = re.compile(r"^(?:from dataclasses import|import dataclasses)\b", re.MULTILINE)
_MAKERS = frozenset({"list", "dict", "set"})


def check_dataclass_fields(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report fields of the region that the class statement refuses."""
    text = candidate.text_after
    if not _IMPORT.search(text) or "pydantic" in text:
        return
    tree = parse(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ClassDef) and (call := _decorator(node)):
            for line, message in _faults(node, call):
                if line in candidate.region_after:
                    yield Problem(
                        rule=_RULE,
                        message=message,
                        line=line - candidate.region_after.start,
                    )


def _decorator(node: ast.ClassDef) -> ast.expr | None:
    """Return the decorator that makes it a dataclass of the standard library."""
    for one in node.decorator_list:
        called = one.func if isinstance(one, ast.Call) else one
        if ast.unparse(called) in ("dataclass", "dataclasses.dataclass"):
            return one
    return None


def _faults(node: ast.ClassDef, decorator: ast.expr) -> Iterator[tuple[int, str]]:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    is_by_name = any(one.arg in ("kw_only", "init") for one in keywords)
    with_default = ""
    for name, one in _fields(node):
        if "KW_ONLY" in ast.unparse(one.annotation):
            is_by_name = True
        elif _is_mutable(one.value):
            yield (
                one.lineno - 1,
                f"`dataclass` refuses the mutable default of `{name}`; use"
                " `field(default_factory=…)`.",
            )
        elif one.value is not None:
            with_default = name if _is_default(one.value) else with_default
        elif with_default and not is_by_name:
            yield (
                one.lineno - 1,
                f"`{name}` has no default and follows `{with_default}`, which has one;"
                " `dataclass` refuses that.",
            )


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, ast.AnnAssign]]:
    for one in node.body:
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        if "ClassVar" not in ast.unparse(one.annotation):
            yield one.target.id, one


def _is_default(value: ast.expr) -> bool:
    """Whether it gives a parameter of the class a default, for certain."""
    if not isinstance(value, ast.Call):
        return True
    words = {keyword.arg for keyword in value.keywords}
    is_open = words & {"init", "kw_only", None}
    return not is_open and bool(words & {"default", "default_factory"})


def _is_mutable(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in _MAKERS
    return isinstance(value, _MUTABLE)
