"""`phantom-parameter`: callers that take a result of another shape.

A function of the file returned a tuple, and the edit returns one of another length, or
a dictionary; a caller in the file that the edit leaves alone still takes the old one
apart.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.scope import all_statements
from redline.checks.python.source import parse

_RULE = "phantom-parameter"
_DICT = "a dictionary"
_ONE = "one value"

_Function = ast.FunctionDef | ast.AsyncFunctionDef
Shape = int | str
"""The number of a tuple's values, or what else it is."""


def check_result_shapes(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first caller of each function that no longer fits its result."""
    if not any("return" in line for line in candidate.new_lines):
        return
    before, after = parse(candidate.text_before), parse(candidate.text_after)
    if before is None or after is None:
        return
    new = {
        name: shape
        for name, function in _functions(after).items()
        if _touches(function, candidate.region_after)
        and (shape := _shape(function)) is not None
    }
    old = _functions(before) if new else {}
    changed = {
        name: shape
        for name, shape in new.items()
        if name in old and (was := _shape(old[name])) is not None and was != shape
    }
    if changed:
        yield from _misfits(candidate, after, changed)


def _functions(tree: ast.Module) -> Mapping[str, _Function]:
    """Return the functions of which there is one of the name."""
    found = [one for one in all_statements(tree.body) if isinstance(one, _Function)]
    counts = Counter(one.name for one in found)
    return {
        one.name: one
        for one in found
        if counts[one.name] == 1 and not _is_changed(one.decorator_list)
    }


def _is_changed(decorators: list[ast.expr]) -> bool:
    names = {ast.unparse(one) for one in decorators}
    return bool(names - {"staticmethod", "classmethod"})


def _touches(function: _Function, lines: range) -> bool:
    last = function.end_lineno or function.lineno
    return function.lineno - 1 < lines.stop and lines.start < last


def _shape(function: _Function) -> Shape | None:
    """Return the shape of every result that is not `None`; None: it is not known."""
    shapes: set[Shape | None] = set()
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return None
        if isinstance(node, ast.Return) and node.value is not None:
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                shapes.add(_shape_of(node.value))
        elif not isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
    return shapes.pop() if len(shapes) == 1 else None


def _shape_of(value: ast.expr) -> Shape | None:
    if isinstance(value, ast.Tuple | ast.List):
        is_open = any(isinstance(one, ast.Starred) for one in value.elts)
        is_empty_list = isinstance(value, ast.List) and not value.elts
        return None if is_open or is_empty_list else len(value.elts)
    if isinstance(value, ast.Dict | ast.DictComp):
        return _DICT
    if isinstance(value, ast.Constant | ast.JoinedStr | ast.Compare):
        return _ONE
    return None


def _misfits(
    candidate: CheckedEdit, tree: ast.Module, changed: Mapping[str, Shape]
) -> Iterator[Problem]:
    reported: set[str] = set()
    for node in ast.walk(tree):
        name, taken = _taken(node)
        line = getattr(node, "lineno", 0) - 1
        if name not in changed or name in reported or line in candidate.region_after:
            continue
        shape = changed[name]
        if _fits(shape, taken):
            continue
        reported.add(name)
        returned = f"{shape} values" if isinstance(shape, int) else shape
        yield Problem(
            rule=_RULE,
            message=f"`{name}` now returns {returned}, and line {line + 1} of the file"
            f" takes it apart as before: `{ast.unparse(node)[:60]}`.",
        )


def _taken(node: ast.AST) -> tuple[str, tuple[int, bool] | int]:
    """Return the function of a call, and what is taken of its result: how many values
    and whether all, or the one of a number."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Tuple | ast.List):
            n_open = sum(isinstance(one, ast.Starred) for one in target.elts)
            n_values = len(target.elts) - n_open
            return _called(node.value), (n_values, not n_open)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        number = node.slice.value
        if isinstance(number, int):
            return _called(node.value), number
    return "", 0


def _called(value: ast.expr) -> str:
    if isinstance(value, ast.Await):
        value = value.value
    if not isinstance(value, ast.Call):
        return ""
    if isinstance(value.func, ast.Name):
        return value.func.id
    owner = value.func.value if isinstance(value.func, ast.Attribute) else None
    is_own = isinstance(owner, ast.Name) and owner.id in ("self", "cls")
    return value.func.attr if is_own and isinstance(value.func, ast.Attribute) else ""


def _fits(shape: Shape, taken: tuple[int, bool] | int) -> bool:
    if isinstance(taken, int):
        return shape != _DICT and (isinstance(shape, str) or -shape <= taken < shape)
    n_values, is_all = taken
    if isinstance(shape, str):
        return False
    return shape == n_values if is_all else shape >= n_values
