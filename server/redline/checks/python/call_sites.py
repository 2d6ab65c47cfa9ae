"""The calls of a file, each with its enclosing scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from redline.checks.python.definition import UNCLEAR, Class, Definition
from redline.checks.python.scope import (
    dotted_name,
    read_class,
    read_parameters,
    read_scope,
    touches_one,
)

OwnerKind = Literal["instance", "class"]


class CallScope(Struct, frozen=True, kw_only=True):
    """A function, class, lambda or comprehension around a call."""

    names: Mapping[str, Definition]
    own_class: Class | None = None
    """The class, if this is a class body."""

    receiver: str | None = None
    """In a method: the name of its first parameter, `self` or `cls`."""

    receiver_kind: OwnerKind = "instance"
    """What the receiver refers to."""


Scopes = tuple[CallScope, ...]
"""Outermost first, without the module's own."""


class CallSite(Struct, frozen=True, kw_only=True):
    node: ast.Call
    scopes: Scopes


_Place = tuple[ast.AST, Scopes]
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def calls_of(tree: ast.Module, lines: Iterable[int] | None) -> Iterator[CallSite]:
    """Yield the calls of a file.

    Args:
        tree: The file.
        lines: Yield only calls that touch one of these lines, counted from 0.
    """
    wanted = None if lines is None else sorted(lines)
    waiting: list[_Place] = [(tree, ())]
    while waiting:
        node, scopes = waiting.pop()
        if wanted is not None and not touches_one(node, wanted):
            continue
        if isinstance(node, ast.Call):
            yield CallSite(node=node, scopes=scopes)
        waiting += _inside(node, scopes)


def _inside(node: ast.AST, scopes: Scopes) -> Iterator[_Place]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            inner = (*scopes, _function_scope(node, scopes))
            body: list[ast.AST] = list(node.body)
        case ast.ClassDef():
            found = read_class(node)
            inner = (*scopes, CallScope(names=found.members, own_class=found))
            body = list(node.body)
        case ast.Lambda():
            inner = (
                *scopes,
                CallScope(names=dict.fromkeys(_names(node.args), UNCLEAR)),
            )
            body = [node.body]
        case _ if isinstance(node, _COMPREHENSIONS):
            targets = [name for g in node.generators for name in _stored(g.target)]
            scopes = (*scopes, CallScope(names=dict.fromkeys(targets, UNCLEAR)))
            inner, body = scopes, []
        case _:
            inner, body = scopes, []
    known = {id(child) for child in body}
    for child in ast.iter_child_nodes(node):
        yield child, inner if id(child) in known else scopes


def _function_scope(
    node: ast.FunctionDef | ast.AsyncFunctionDef, scopes: Scopes
) -> CallScope:
    names = read_parameters(node.args)
    parameters = set(names)
    for name, definition in read_scope(node.body).items():
        names[name] = UNCLEAR if name in names else definition
    kind = _receiver_kind(node) if scopes and scopes[-1].own_class else None
    positional = [a.arg for a in node.args.posonlyargs + node.args.args]
    if kind is None or not positional or names[positional[0]] is not UNCLEAR:
        return CallScope(names=names)
    receiver = positional[0]
    is_kept = receiver in parameters and receiver not in read_scope(node.body)
    return CallScope(
        names=names, receiver=receiver if is_kept else None, receiver_kind=kind
    )


def _receiver_kind(node: ast.FunctionDef | ast.AsyncFunctionDef) -> OwnerKind | None:
    """Return what a method's first parameter refers to; None if uncertain."""
    if node.name in ("__new__", "__init_subclass__", "__class_getitem__"):
        return None
    names = [dotted_name(decorator) for decorator in node.decorator_list]
    match names:
        case []:
            return "instance"
        case ["classmethod"]:
            return "class"
        case ["property"]:
            return "instance"
    return None


def _names(arguments: ast.arguments) -> list[str]:
    return list(read_parameters(arguments))


def _stored(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
