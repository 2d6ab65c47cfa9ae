"""Compares a contract to the definitions of a Python module, as values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from redline.plans.plan import Contract

BODY_SIGNS = " \t\r\n:{;="
"""The signs between a signature and its body."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef
Fault = tuple[str, int | None]
"""A sentence, and the line from 0 that it is about."""


def python_fault(contract: Contract, module: ast.Module) -> Fault | None:
    """Return how a module differs from a contract; None: it does not.

    Parameters have the same names, order, defaults and stars; types count where the
    contract has them.
    """
    wanted = _parsed_signature(contract.signature)
    found = _python_definition(module, contract.name.split("."))
    if found is None:
        return f"`{contract.name}` is not defined.", None
    line = found.lineno - 1
    if isinstance(wanted, _Function):
        if not isinstance(found, _Function):
            return f"`{contract.name}` is not a function.", line
        fault = _function_fault(wanted, found)
        if fault is not None:
            return (
                f"`{contract.name}` {fault}; the contract is `{_head(wanted)}`.",
                line,
            )
    if isinstance(wanted, ast.ClassDef) and not isinstance(found, ast.ClassDef):
        return f"`{contract.name}` is not a class.", line
    return None


def parsed(source: str) -> ast.Module | None:
    """Parse a module; None: this version of Python does not read it."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parsed_signature(signature: str) -> ast.stmt | None:
    head = signature.strip().rstrip(BODY_SIGNS)
    for source in (f"{head}: ...", f"{head}:\n    pass", signature.strip()):
        module = parsed(source)
        if module is not None and len(module.body) == 1:
            return module.body[0]
    return None


def _python_definition(module: ast.Module, names: Sequence[str]) -> ast.stmt | None:
    scope: Sequence[ast.stmt] = module.body
    found: ast.stmt | None = None
    for name in names:
        found = next((one for one in _statements(scope) if _defines(one, name)), None)
        if found is None:
            return None
        scope = found.body if isinstance(found, ast.ClassDef) else ()
    return found


def _statements(scope: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a scope, also inside of `if` and `try`."""
    for one in scope:
        yield one
        if isinstance(one, ast.If | ast.Try):
            yield from _statements(one.body)
            yield from _statements(one.orelse)
        if isinstance(one, ast.Try):
            for handler in one.handlers:
                yield from _statements(handler.body)


def _defines(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, _Function | ast.ClassDef):
        return statement.name == name
    targets: Sequence[ast.expr] = ()
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = (statement.target,)
    return any(isinstance(one, ast.Name) and one.id == name for one in targets)


def _function_fault(wanted: _Function, found: _Function) -> str | None:
    if isinstance(wanted, ast.AsyncFunctionDef) != isinstance(
        found, ast.AsyncFunctionDef
    ):
        return "is async" if isinstance(wanted, ast.FunctionDef) else "is not async"
    if _parameters(wanted.args) != _parameters(found.args):
        return f"has the parameters ({ast.unparse(found.args)})"
    for one, other in zip(_all(wanted.args), _all(found.args), strict=True):
        if one.annotation is not None and _text(one.annotation) != _text(
            other.annotation
        ):
            return f"has another type of `{one.arg}`"
    if wanted.returns is not None and _text(wanted.returns) != _text(found.returns):
        return f"returns `{_text(found.returns) or 'nothing that is annotated'}`"
    return None


def _parameters(args: ast.arguments) -> tuple[object, ...]:
    """Return the names, their order, the defaults and the stars, without types."""
    return (
        [one.arg for one in args.posonlyargs],
        [one.arg for one in args.args],
        args.vararg and args.vararg.arg,
        [one.arg for one in args.kwonlyargs],
        args.kwarg and args.kwarg.arg,
        [_text(one) for one in args.defaults],
        [one and _text(one) for one in args.kw_defaults],
    )


def _all(args: ast.arguments) -> list[ast.arg]:
    stars = [one for one in (args.vararg, args.kwarg) if one is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *stars]


def _text(node: ast.expr | None) -> str:
    """Write an expression; a quoted type is the same as a plain one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace(" ", "")
    return "" if node is None else ast.unparse(node).replace(" ", "")


def _head(function: _Function) -> str:
    returns = "" if function.returns is None else f" -> {ast.unparse(function.returns)}"
    return f"def {function.name}({ast.unparse(function.args)}){returns}"
