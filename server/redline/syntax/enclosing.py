"""The nodes in some lines of a file, each with the functions and classes around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from redline.syntax.children import nth_child
from redline.syntax.declared_members import is_function
from redline.syntax.file_types import EnclosingCode, FileTypes
from redline.syntax.kinds import UNKNOWN, TypeKind
from redline.syntax.language import Language
from redline.syntax.links import field_of
from redline.syntax.type_names import type_name
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

_IMPORTS = word_set(
    "import_declaration package_declaration use_declaration using_directive"
    " import_statement namespace_use_declaration"
)
_MAX_N_FUNCTIONS = 50
"""Functions within more others are not read: nobody writes them, and each has to be
searched for a name."""


def nodes_in(
    types: FileTypes, lines: range
) -> Iterator[tuple[Node, Node | None, EnclosingCode]]:
    """Yield the nodes in some lines, each with the one around it; no imports."""
    waiting: list[tuple[Node, Node | None, EnclosingCode]] = [
        (types.tree.root, None, EnclosingCode())
    ]
    while waiting:
        node, above, scope = waiting.pop()
        if node.end_point.row < lines.start or node.start_point.row >= lines.stop:
            continue
        if node.type in _IMPORTS:
            continue
        yield node, above, scope
        if not node.named_child_count:
            continue
        inner = _inside(types, node, scope)
        if len(inner.functions) <= _MAX_N_FUNCTIONS:
            waiting.extend((one, node, inner) for one in node.named_children)


def _inside(types: FileTypes, node: Node, scope: EnclosingCode) -> EnclosingCode:
    classes, functions = scope.own_classes, scope.functions
    if node.type in ("function_expression", "function_declaration", "object"):
        classes = (*classes, UNKNOWN)  # These have a `this` of their own.
    elif not is_function(node):
        written = field_of(node, "type" if node.type == "impl_item" else "name")
        name = type_name(written, types.language) if written else ""
        if name in types.declared:
            classes = (*classes, TypeKind(name))
    else:
        owner = _receiver(node, types.language)
        classes = (*classes, TypeKind(owner)) if owner else classes
    if is_function(node):
        functions = (*functions, node)
    if (classes, functions) == (scope.own_classes, scope.functions):
        return scope
    return EnclosingCode(own_classes=classes, functions=functions)


def _receiver(function: Node, language: Language) -> str:
    """Return the class that a method is defined for outside of it, in C++."""
    if language is not Language.CPP or function.type != "function_definition":
        return ""
    name = function.child_by_field_name("declarator")
    while name is not None and name.type != "qualified_identifier":
        name = name.child_by_field_name("declarator") or nth_child(name, 0)
    return field_of(name, "scope") if name is not None else ""
