"""What a piece of Python certainly lacks: a docstring, type hints, f-strings, order.

It finds less than the rules, never more: they read the whole file and take their time,
while a menu must be there in a few milliseconds.
"""

from __future__ import annotations

import ast
import re
import string
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias, TypeGuard

from msgspec import Struct

from redline.text.lines import strip_end

_MAX_CHARS = 10_000
"""Longest text that is parsed: about 5 ms (CPython 3.11)."""

_OTHERS_SAY = frozenset({"overload", "setter", "deleter"})
"""Decorators of functions that share the docstring of another."""
_OPEN_RESULT = frozenset({"overload", "abstractmethod"})

_IMPORT = re.compile(r"(?P<how>import|from) (?P<module>[a-z.]*[a-z])(?: import \w+)?$")
"""A plain import of one module whose sort position is beyond doubt."""

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class PythonNeeds(Struct, frozen=True, kw_only=True):
    """What the rules would certainly add to some code or change in it."""

    docstring: bool = False
    types: bool = False
    f_strings: bool = False


def read_needs(text: str, name: str | None) -> PythonNeeds:
    """Return what whole lines of code lack; they may be indented.

    Args:
        text: The lines.
        name: The name of the definition that they hold; None: they hold none.
    """
    tree = _parse(text) if len(text) <= _MAX_CHARS else None
    if tree is None:
        return PythonNeeds()
    node = next(_definitions(tree, name), None)
    return PythonNeeds(
        docstring=node is not None and _needs_docstring(node),
        types=node is not None and _needs_types(node, text),
        f_strings=("%" in text or ".format" in text) and _has_old_format(tree),
    )


def are_unsorted_imports(lines: Sequence[str], line: int) -> bool:
    """Whether a top-level import and an adjacent one are out of order."""
    near = [strip_end(each) for each in lines[max(line - 1, 0) : line + 2]]
    found = [_IMPORT.match(each) for each in near]
    at = min(line, 1)
    if at >= len(found) or found[at] is None:
        return False
    is_unsorted = any(a and b and _key(a) > _key(b) for a, b in pairwise(found))
    return is_unsorted and not _is_in_string(lines[:line])


def _is_in_string(before: Sequence[str]) -> bool:
    """Whether a triple-quoted string is open, judged by counting quotes."""
    text = "".join(before)
    return any(text.count(quotes) % 2 for quotes in ('"""', "'''"))


def _key(found: re.Match[str]) -> tuple[bool, str]:
    return found["how"] == "from", found["module"]


def _parse(text: str) -> ast.Module | None:
    # Indented code is wrapped in a block, so that its lines stay unchanged.
    head = "if 1:\n" if text[:1] in (" ", "\t") else ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(head + text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _definitions(
    tree: ast.Module, name: str | None
) -> Iterator[_Function | ast.ClassDef]:
    for node in ast.walk(tree):
        if _is_definition(node) and node.name == name:
            yield node


def _is_definition(node: ast.AST) -> TypeGuard[_Function | ast.ClassDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _needs_docstring(node: _Function | ast.ClassDef) -> bool:
    """Whether a function without a docstring raises what one could name."""
    if isinstance(node, ast.ClassDef) or node.name == "_" or node.name[:2] == "__":
        return False
    if ast.get_docstring(node, clean=False) is not None:
        return False
    own = list(_own_nodes(node))
    is_caught = any(isinstance(each, ast.Try | ast.TryStar) for each in own)
    names_one = any(isinstance(each, ast.Raise) and _is_class(each) for each in own)
    return names_one and not is_caught and not _decorators(node) & _OTHERS_SAY


def _is_class(node: ast.Raise) -> bool:
    """Whether a statement raises a class, judged by the spelling of its name."""
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    match raised:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name):
            return name[:1].isupper() and not name.isupper()
        case _:
            return False


def _decorators(node: _Function | ast.ClassDef) -> set[str]:
    return {
        ast.unparse(each).partition("(")[0].rpartition(".")[2]
        for each in node.decorator_list
    }


# Types.


def _needs_types(node: _Function | ast.ClassDef, text: str) -> bool:
    if "# type:" in text:
        return False
    if isinstance(node, ast.ClassDef):
        return any(
            isinstance(each, _Function)
            and (each.name == "__init__" or _returns_nothing(each))
            and each.returns is None
            for each in node.body
        )
    return node.returns is None and _returns_nothing(node)


def _returns_nothing(function: _Function) -> bool:
    """Whether no `return` has a value, and the end of the body is reached."""
    if _decorators(function) & _OPEN_RESULT or _is_placeholder(function):
        return False
    own = list(_own_nodes(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own):
        return False
    returns = [node for node in own if isinstance(node, ast.Return)]
    if any(node.value is not None for node in returns):
        return False
    return bool(returns) or not any(
        isinstance(node, ast.Raise | ast.While | ast.Try | ast.TryStar | ast.Match)
        for node in own
    )


def _is_placeholder(function: _Function) -> bool:
    return all(
        isinstance(each, ast.Pass | ast.Raise)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in function.body
    )


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a function's nodes, without those of definitions inside it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not (_is_definition(child) or isinstance(child, ast.Lambda)):
            yield from _own_nodes(child)


# f-strings.


def _has_old_format(tree: ast.Module) -> bool:
    return any(_is_percent(node) or _is_format(node) for node in _outside_fields(tree))


def _outside_fields(node: ast.AST) -> Iterator[ast.AST]:
    """Walk nodes that are not part of an f-string."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield child
            yield from _outside_fields(child)


def _is_percent(node: ast.AST) -> bool:
    """Whether a node is `"… %s …" % (name, …)`."""
    match node:
        case ast.BinOp(
            left=ast.Constant(value=str(text)),
            op=ast.Mod(),
            right=ast.Tuple(elts=values),
        ):
            n_fields = text.count("%s")
            is_all = text.count("%") == n_fields == len(values)
            return is_all and n_fields > 0 and _is_plain(text) and _are_names(values)
        case _:
            return False


def _is_format(node: ast.AST) -> bool:
    """Whether a node is `"… {} …".format(name, …)`."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format"),
            args=values,
            keywords=[],
        ):
            n_fields = text.count("{}")
            rest = text.replace("{}", "")
            is_all = n_fields == len(values) and n_fields > 0
            return is_all and _is_plain(rest) and _are_names(values)
        case _:
            return False


def _is_plain(text: str) -> bool:
    allowed = set(string.ascii_letters + string.digits + " .,:;!?%-_/()[]=")
    return set(text) <= allowed


def _are_names(values: Sequence[ast.expr]) -> bool:
    return all(isinstance(value, ast.Name) for value in values)
