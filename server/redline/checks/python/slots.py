"""`phantom-member` in Python: attributes that are set and that `__slots__` lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.source import parse


def check_slots(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report attributes of the region's lines that an object has no place for."""
    if not candidate.is_python or "__slots__" not in candidate.text_after:
        return
    if not any("self." in line for _, line in candidate.introduced):
        return
    tree = parse(candidate.text_after)
    start = candidate.region_after.start
    introduced = {start + number for number, _ in candidate.introduced}
    for node in ast.walk(tree) if tree else ():
        if not isinstance(node, ast.ClassDef) or (names := _names(node)) is None:
            continue
        for one in ast.walk(node):
            if _is_set(one) and one.attr not in names and one.lineno - 1 in introduced:
                yield Problem(
                    rule="phantom-member",
                    message=f"`__slots__` of `{node.name}` lacks `{one.attr}`.",
                    line=one.lineno - 1 - start,
                )


def _is_set(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _names(node: ast.ClassDef) -> set[str] | None:
    """Return the attributes that may be set; None: any, or it is not known."""
    if node.bases or node.keywords or node.decorator_list:
        return None
    if any(isinstance(one, ast.ClassDef) for one in ast.walk(node) if one is not node):
        return None
    slots = [one.value for one in node.body if _is_slots(one)]
    if len(slots) != 1 or not isinstance(slots[0], ast.Tuple | ast.List):
        return None
    values = [getattr(one, "value", None) for one in slots[0].elts]
    names = {one for one in values if isinstance(one, str)}
    functions = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    if len(names) < len(values) or "__dict__" in names or "__setattr__" in functions:
        return None
    return names | functions | _assigned(node)


def _assigned(node: ast.ClassDef) -> set[str]:
    """Return the names of the class, such as descriptors."""
    return {
        one.id
        for statement in node.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for one in ast.walk(statement)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }


def _is_slots(node: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and any(
        isinstance(one, ast.Name) and one.id == "__slots__" for one in node.targets
    )
