"""Finds names and bodies of definitions where compiling a query would take too long.

Tree-sitter takes up to 70 ms to compile a query for a grammar as large as that of C++,
and nothing else in the process runs meanwhile. So the queries of such languages match
only the nodes, and this module examines their contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from redline.syntax.children import nth_child

if TYPE_CHECKING:
    from tree_sitter import Node

NamedNode = tuple["Node", "Node | None"]
"""A name, and the body if there is one."""

_BODIES = ("body", "accessors", "value")
"""Fields that hold a definition's body; the last two are C#'s and macros'."""

_FUNCTION_VALUES = frozenset(
    {"arrow_function", "function_expression", "generator_function"}
)
_FILE_LEVEL = frozenset(
    {
        "declaration_list",
        "field_declaration_list",
        "linkage_specification",
        "preproc_else",
        "preproc_if",
        "preproc_ifdef",
        "template_declaration",
        "translation_unit",
    }
)
"""Parents under which a declaration of C and C++ can be a prototype; in a function, a
variable may look like one."""

_NEED_BODY = frozenset(
    {"class_specifier", "enum_specifier", "struct_specifier", "union_specifier"}
)
"""Nodes of C and C++ that only mention a type if they have no body."""


def declared(node: Node) -> Iterator[NamedNode]:
    """Yield what a node defines: mostly one name, sometimes none."""
    read = _READERS.get(node.type, _by_fields)
    yield from read(node)


def _by_fields(node: Node) -> Iterator[NamedNode]:
    name = node.child_by_field_name("name")
    body = next(filter(None, map(node.child_by_field_name, _BODIES)), None)
    if name is not None and (body is not None or node.type not in _NEED_BODY):
        yield name, body


def _function_of_c(node: Node) -> Iterator[NamedNode]:
    declarator = _function_declarator(node)
    name = declarator and declarator.child_by_field_name("declarator")
    if name is not None:
        yield name, node.child_by_field_name("body")


def _prototype(node: Node) -> Iterator[NamedNode]:
    parent = node.parent
    if parent is not None and parent.type in _FILE_LEVEL:
        yield from _function_of_c(node)


def _function_declarator(node: Node) -> Node | None:
    """Return the declarator behind pointers and references."""
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type != "function_declarator":
        # A reference has no named field.
        is_reference = inner.type == "reference_declarator"
        inner = (
            nth_child(inner, 0)
            if is_reference
            else inner.child_by_field_name("declarator")
        )
    return inner


def _type_of_c(node: Node) -> Iterator[NamedNode]:
    name = node.child_by_field_name("declarator")
    if name is not None and name.type == "type_identifier":
        yield name, None


def _variables(node: Node) -> Iterator[NamedNode]:
    for child in node.named_children:
        if child.type == "variable_declarator":
            yield from _value(child, child.child_by_field_name("name"), "value")


def _assignment(node: Node) -> Iterator[NamedNode]:
    left = node.child_by_field_name("left")
    name = left and left.child_by_field_name("property")
    yield from _value(node, name, "right")


def _field(node: Node) -> Iterator[NamedNode]:
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    yield from _value(node, name, "value")


def _value(node: Node, name: Node | None, field: str) -> Iterator[NamedNode]:
    """Yield the function that is a node's value."""
    value = node.child_by_field_name(field)
    if name is not None and value is not None and value.type in _FUNCTION_VALUES:
        yield name, value.child_by_field_name("body")


_READERS: dict[str, Callable[[Node], Iterator[NamedNode]]] = {
    "assignment_expression": _assignment,
    "declaration": _prototype,
    "field_declaration": _prototype,
    "field_definition": _field,
    "function_definition": _function_of_c,
    "lexical_declaration": _variables,
    "public_field_definition": _field,
    "type_definition": _type_of_c,
    "variable_declaration": _variables,
}
