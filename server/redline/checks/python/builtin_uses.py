"""Members and keyword arguments of Python's own types and functions.

The type of a parameter or a field of `self` is known if it is annotated, or set only to
literals of one type. Built-in functions count if nothing in the file has their name.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.scope import FunctionNode, touches
from redline.checks.python.source import parse

_KINDS: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (str, int, float, bytes, bytearray, list, dict, set, frozenset, tuple)
}
_LITERALS: tuple[tuple[type[ast.expr], type], ...] = (
    (ast.Dict, dict),
    (ast.DictComp, dict),
    (ast.List, list),
    (ast.ListComp, list),
    (ast.Set, set),
    (ast.SetComp, set),
    (ast.JoinedStr, str),
)
_Types = Mapping[str, type | None]
"""The type of each name; None if it is not known, or may be several."""


def check_builtin_uses(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report what built-in types and functions do not have."""
    if not candidate.is_python or not any(
        "." in li or "(" in li for li in _new(candidate)
    ):
        return
    tree = parse(candidate.text_after)
    if tree is None:
        return
    has_path = re.search(
        r"^from pathlib import [^\n]*\bPath\b", candidate.text_after, re.M
    )
    kinds = {**_KINDS, "Path": Path} if has_path else _KINDS
    for node, types in _nodes(tree, {}, {}, kinds, candidate.region_after):
        yield from _problems(node, types, tree, candidate)


def _new(candidate: CheckedEdit) -> Iterator[str]:
    return (text for _, text in candidate.introduced)


@lru_cache(maxsize=1)
def _bound(tree: ast.Module) -> set[str]:
    """Return the names that a file binds anywhere."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found.add(name)
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
    return found


def _nodes(
    node: ast.AST,
    fields: _Types,
    names: _Types,
    kinds: Mapping[str, type],
    lines: range,
) -> Iterator[tuple[ast.AST, _Types]]:
    """Yield the nodes in some lines, each with the types of the names it sees."""
    if isinstance(node, ast.stmt) and not touches(node, lines):
        return
    if isinstance(node, ast.ClassDef):
        fields = _fields(node, kinds)
    elif isinstance(node, FunctionNode):
        names = {**names, **_parameters(node, kinds)}
    if getattr(node, "lineno", 0) - 1 in lines:
        yield node, {**names, **fields}
    for child in ast.iter_child_nodes(node):
        yield from _nodes(child, fields, names, kinds, lines)


def _parameters(
    node: ast.FunctionDef | ast.AsyncFunctionDef, kinds: Mapping[str, type]
) -> dict[str, type | None]:
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    found = {one.arg: _annotated(one.annotation, kinds) for one in given}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found[inner.id] = None
    return found


def _fields(node: ast.ClassDef, kinds: Mapping[str, type]) -> dict[str, type | None]:
    found: dict[str, set[type | None]] = {}
    for inner in ast.walk(node):
        match inner:
            case ast.AnnAssign(target=target, annotation=annotation):
                kind = _annotated(annotation, kinds)
                found.setdefault(_field(target), set()).add(kind)
            case ast.Assign(targets=targets, value=value):
                for one in targets:
                    found.setdefault(_field(one), set()).add(_literal(value))
    return {
        name: next(iter(some)) if len(some) == 1 else None
        for name, some in found.items()
        if name
    }


def _field(target: ast.expr) -> str:
    match target:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return f"self.{name}"
    return ""


def _annotated(node: ast.expr | None, kinds: Mapping[str, type]) -> type | None:
    match node:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return kinds.get(name)
    return None


def _literal(node: ast.expr) -> type | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return type(node.value)
    return next((kind for form, kind in _LITERALS if isinstance(node, form)), None)


def _problems(
    node: ast.AST, types: _Types, tree: ast.Module, candidate: CheckedEdit
) -> Iterator[Problem]:
    match node:
        case ast.Attribute(value=owner, attr=name):
            kind = _type_of(owner, types)
            lacks = kind is not None and not hasattr(kind, name)
            if kind is not None and lacks and not _was_there(rf"\.{name}\b", candidate):
                message = f"`{kind.__name__}` has no `{name}`."
                yield _problem("phantom-member", message, node.lineno, candidate)
        case ast.Call(func=ast.Name(id=name), keywords=keywords) if keywords:
            function = getattr(builtins, name, None)
            if (
                function is not None
                and not isinstance(function, type)
                and name not in _bound(tree)
            ):
                yield from _keywords(function, node, candidate)
        case ast.Call(func=ast.Attribute(value=owner, attr=name), keywords=[_, *_]):
            kind = _type_of(owner, types)
            method = None if kind is None else getattr(kind, name, None)
            if method is not None:
                yield from _keywords(method, node, candidate)


def _type_of(owner: ast.expr, types: _Types) -> type | None:
    match owner:
        case ast.Name(id=name):
            return types.get(name)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return types.get(f"self.{name}")
        case ast.Constant(value=str()):
            return str
    return None


def _keywords(
    function: Callable[..., object], call: ast.Call, candidate: CheckedEdit
) -> Iterator[Problem]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return  # Some of C have no signature.
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters):
        return
    by_name = {
        one.name
        for one in parameters
        if one.kind is not inspect.Parameter.POSITIONAL_ONLY
    }
    for keyword in call.keywords:
        is_unknown = keyword.arg is not None and keyword.arg not in by_name
        if is_unknown and not _was_there(rf"\b{keyword.arg}\s*=", candidate):
            name = getattr(function, "__name__", "the function")
            yield _problem(
                "phantom-parameter",
                f"`{name}` takes no keyword argument `{keyword.arg}`.",
                keyword.value.lineno,
                candidate,
            )


def _was_there(pattern: str, candidate: CheckedEdit) -> bool:
    return any(re.search(pattern, line) for line in candidate.old_lines)


def _problem(rule: str, message: str, line: int, candidate: CheckedEdit) -> Problem:
    return Problem(rule=rule, message=message, line=candidate.line_in_region(line - 1))
