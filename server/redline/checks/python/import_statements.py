"""The import statements of a file, and whether each may fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from redline.checks.python.definition import Imported
from redline.checks.python.scope import dotted_name
from redline.checks.python.versions import asks_for_version

_IMPORT_FAILURES = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


class ImportedHere(Struct, frozen=True, kw_only=True):
    """One name or module that a file imports."""

    imported: Imported
    line: int
    """Counted from 0."""

    is_guarded: bool
    """Whether the file handles its absence."""


def imports_of(tree: ast.Module) -> Iterator[ImportedHere]:
    """Yield all imports of a file, including those in functions."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, is_guarded = waiting.pop()
        match node:
            case ast.Import():
                for alias in node.names:
                    yield _here(Imported(module=alias.name), alias, is_guarded)
            case ast.ImportFrom():
                for alias in node.names:
                    found = Imported(
                        module=node.module or "", level=node.level, name=alias.name
                    )
                    yield _here(found, alias, is_guarded)
            case ast.stmt() | ast.Module() | ast.ExceptHandler() | ast.match_case():
                waiting += _children(node, is_guarded)


def _here(imported: Imported, alias: ast.alias, is_guarded: bool) -> ImportedHere:
    return ImportedHere(imported=imported, line=alias.lineno - 1, is_guarded=is_guarded)


def _children(node: ast.AST, is_guarded: bool) -> Iterator[tuple[ast.AST, bool]]:
    is_guarded = is_guarded or _guards(node)
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child, is_guarded


def _guards(node: ast.AST) -> bool:
    match node:
        # The handlers too: their imports replace the failed one.
        case ast.Try(handlers=handlers) if handlers:
            return any(_catches(handler.type) for handler in handlers)
        case ast.With(items=items):
            return any(_suppresses(item.context_expr) for item in items)
        case ast.If(test=test):
            return asks_for_version(test)
    return False


def _catches(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(_catches(element) for element in kind.elts)
    return kind is None or _last_name(kind) in _IMPORT_FAILURES


def _suppresses(context: ast.expr) -> bool:
    if not isinstance(context, ast.Call):
        return False
    name = (dotted_name(context.func) or "").rpartition(".")[2]
    # `pytest.raises(ImportError)` expects a failure.
    return name in ("suppress", "raises", "assertRaises") and any(
        _catches(argument) for argument in context.args
    )


def _last_name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
