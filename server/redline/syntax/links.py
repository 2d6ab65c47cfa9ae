"""Chains of members, calls and elements, such as `a.b(1).c[0]`, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.type_names import name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class Link(Struct, frozen=True, kw_only=True):
    """One link of a chain of members."""

    owner: Node | None
    """The rest of the chain; None: the own class."""
    member: str | None = None
    """What the link takes of the owner; None: the owner itself, in parentheses."""
    is_call: bool = False
    is_index: bool = False
    is_copy: bool = False
    """Whether it is an array of the owner's elements."""


ACCESSES = {
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "field_expression": ("value", "field"),
    "scoped_identifier": ("path", "name"),
    "method_invocation": ("object", "name"),
    "field_access": ("object", "field"),
    "attribute": ("object", "attribute"),
    "member_access_expression": ("expression", "name"),
}
"""The fields of the owner and the member, by node type."""

CALLS = frozenset(
    {"call_expression", "call", "invocation_expression", "new_expression"}
)
_INDEXED = {
    "subscript_expression": ("object", "index"),
    "subscript": ("value", "subscript"),
    "index_expression": ("operand", "index"),
    "element_access_expression": ("expression", "subscript"),
    "array_access": ("array", "index"),
}
"""An element of a list, with the fields of the list and the index."""

_SLICES = frozenset({"slice", "range_expression"})


_SAME = word_set("parenthesized_expression reference_expression non_null_expression")
"""Expressions that have the type of what is in them."""


def link_of(node: Node) -> Link | None:
    """Return the last link of a chain of members; None: an expression is none."""
    if node.type in _SAME:
        inner = node.child_by_field_name("value") or nth_child(node, 0)
        return Link(owner=inner)
    if node.type in _INDEXED:
        return _index_link(node)
    if node.type == "array" and node.named_child_count == 1:
        only = node.named_children[0]
        is_copy = only.type == "spread_element"
        return Link(owner=nth_child(only, 0), is_copy=True) if is_copy else None
    member, is_call = node, node.type == "method_invocation"
    if node.type in CALLS:
        function = node.child_by_field_name("function")
        if function is None:
            return None
        member, is_call = function, True
    if member.type not in ACCESSES:
        return None
    owner_field, name_field = ACCESSES[member.type]
    return Link(
        owner=member.child_by_field_name(owner_field),
        member=field_of(member, name_field),
        is_call=is_call,
    )


def _index_link(node: Node) -> Link:
    """Return the link of an element of a list, or of a part of it."""
    list_field, index_field = _INDEXED[node.type]
    of = node.child_by_field_name(list_field) or nth_child(node, 0)  # Rust
    index = node.child_by_field_name(index_field) or nth_child(node, 1)
    while index is not None and index.type in ("bracketed_argument_list", "argument"):
        index = nth_child(index, 0)
    is_part = index is not None and index.type in _SLICES
    return Link(owner=of, is_index=not is_part)


def nth_child(node: Node, n: int) -> Node | None:
    """Return a named child by its number; None: it has fewer."""
    children = node.named_children
    return children[n] if n < len(children) else None


def field_of(node: Node, field: str) -> str:
    return name_of(node.child_by_field_name(field)) if field else ""
