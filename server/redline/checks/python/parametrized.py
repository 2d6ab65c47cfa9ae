"""`phantom-parameter`: names that a test is parametrized with and does not take."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.source import parse


def check_parametrized(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report parametrized names that are no parameters of the function below."""
    if not any("parametrize" in line for line in candidate.new_lines):
        return
    tree = parse(candidate.text_after)
    for node in ast.walk(tree) if tree else ():
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        arguments = node.args
        known = {
            one.arg
            for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        }
        for decorator in node.decorator_list:
            line = decorator.lineno - 1
            if line not in candidate.region_after or arguments.kwarg:
                continue
            for name in _names(decorator):
                if name not in known:
                    yield Problem(
                        rule="phantom-parameter",
                        message=f"`{node.name}` has no parameter `{name}`.",
                        line=line - candidate.region_after.start,
                    )


def _names(decorator: ast.expr) -> list[str]:
    """Return the names that a decorator gives values to, if they are written there."""
    if not isinstance(decorator, ast.Call) or not decorator.args:
        return []
    function = decorator.func
    if not isinstance(function, ast.Attribute) or function.attr != "parametrize":
        return []
    first = decorator.args[0]
    if isinstance(first, ast.Tuple | ast.List):
        values = [
            one.value if isinstance(one, ast.Constant) else None for one in first.elts
        ]
        return [one for one in values if isinstance(one, str)]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return [name.strip() for name in first.value.split(",") if name.strip()]
    return []
