"""The names that a scope of Python binds, each with the node that says to what."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from redline.checks.python.module_types import imported_names
from redline.checks.python.scope import FunctionNode

LAMBDAS = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


ScopeNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | LAMBDAS
SCOPES = FunctionNode | ast.ClassDef | LAMBDAS


def bound_names(node: ScopeNode) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a scope binds, each with the node that says to what."""
    if isinstance(node, FunctionNode | ast.Lambda):
        arguments = node.args
        for given in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            *(rest for rest in (arguments.vararg, arguments.kwarg) if rest),
        ):
            yield given.arg, given
    elif not isinstance(node, ast.ClassDef):
        for generator in node.generators:
            yield from _looped(generator)
    if isinstance(node, FunctionNode | ast.ClassDef):
        waiting: list[ast.AST] = list(node.body)
        while waiting:
            one = waiting.pop()
            yield from _bound_by(one)
            if not isinstance(one, FunctionNode | ast.ClassDef | LAMBDAS):
                waiting += ast.iter_child_nodes(one)


def _bound_by(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Import() | ast.ImportFrom():
            for name, _ in imported_names(node):
                yield name, node
        case ast.Assign(targets=targets):
            for target in targets:
                is_plain = isinstance(target, ast.Name)
                for name, at in _stored(target):
                    yield name, node if is_plain else at
        case (
            ast.AnnAssign(target=ast.Name(id=name))
            | ast.NamedExpr(target=ast.Name(id=name))
            | ast.withitem(optional_vars=ast.Name(id=name))
            | ast.FunctionDef(name=name)
            | ast.AsyncFunctionDef(name=name)
            | ast.ClassDef(name=name)
            | ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name, node
        case ast.For():
            yield from _looped(node)
        case _:
            for target in _targets(node):
                yield from _stored(target)


def _looped(loop: ast.For | ast.comprehension) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a loop sets, with the loop if it shows their types."""
    match loop.target:
        case ast.Name(id=name):
            yield name, loop
        case ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)]):
            yield first, loop
            yield second, loop
        case target:
            yield from _stored(target)


def place_in_target(target: ast.expr, name: str) -> int | None:
    """Return the place of a name in the pair that a loop sets; None: it is alone."""
    match target:
        case ast.Tuple(elts=[_, ast.Name(id=second)]):
            return int(second == name)
    return None


def _targets(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.withitem(optional_vars=ast.expr() as target):
            return [target]
        case ast.AsyncFor(target=target):
            return [target]
        case ast.AugAssign(target=target):
            return [target]
        case ast.Delete(targets=targets):
            return targets
    return []


def _stored(target: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, node
