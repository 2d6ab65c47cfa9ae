"""Chains of members, calls and elements, such as `a.b(1).c[0]`, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.children import nth_child
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
    is_unwrapped: bool = False
    """Whether it is what the owner wraps: what is awaited, or not an error."""
    is_pointer: bool = False
    """Whether the member is one of what the owner points to."""


ACCESSES = {
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "field_expression": ("value", "field"),
    "scoped_identifier": ("path", "name"),
    "method_invocation": ("object", "name"),
    "field_access": ("object", "field"),
    "attribute": ("object", "attribute"),
    "member_access_expression": ("expression", "name"),
    "conditional_access_expression": ("condition", ""),
    "method_reference": ("", ""),
    "member_call_expression": ("object", "name"),
    "nullsafe_member_call_expression": ("object", "name"),
    "nullsafe_member_access_expression": ("object", "name"),
    "scoped_call_expression": ("scope", "name"),
    "class_constant_access_expression": ("", ""),
    "qualified_identifier": ("scope", "name"),
}
"""The fields of the owner and the member, by node type."""

_OTHER_FIELDS = {
    "member_access_expression": "object",  # PHP
    "field_expression": "argument",  # C++
}

CALLS = frozenset(
    {"call_expression", "call", "invocation_expression", "new_expression"}
)
OWN_CALLS = word_set(
    "method_invocation member_call_expression nullsafe_member_call_expression"
    " scoped_call_expression"
)
"""Accesses that are calls themselves."""

_INDEXED = {
    "subscript_expression": ("object", "index"),
    "subscript": ("value", "subscript"),
    "index_expression": ("operand", "index"),
    "element_access_expression": ("expression", "subscript"),
    "array_access": ("array", "index"),
}
"""An element of a list, with the fields of the list and the index."""

_SLICES = frozenset({"slice", "range_expression", "slice_expression"})


_SAME = word_set(
    "parenthesized_expression reference_expression non_null_expression"
    " postfix_unary_expression pointer_expression"
)
"""Expressions that have the type of what is in them."""
_UNWRAPPED = frozenset({"await_expression", "try_expression"})


def access_of(node: Node) -> tuple[Node | None, Node] | None:
    """Return the owner and the name of a member that a node takes; None: it is none.

    Without an owner the member is one of the own class.
    """
    if node.type not in ACCESSES:
        return None
    owner_field, name_field = ACCESSES[node.type]
    if not owner_field:
        owner, name = nth_child(node, 0), nth_child(node, 1)
        return None if owner is None or name is None else (owner, name)
    owner = node.child_by_field_name(owner_field)
    if owner is None and node.type in _OTHER_FIELDS:
        owner = node.child_by_field_name(_OTHER_FIELDS[node.type])
    name = node.child_by_field_name(name_field) if name_field else nth_child(node, 1)
    if name is not None and name.type == "member_binding_expression":
        name = name.child_by_field_name("name")
    elif not name_field:
        return None
    if name is None or (owner is None and node.type != "member_access_expression"):
        return None
    if name.type == "variable_name" and node.type in OWN_CALLS:
        return None  # PHP: the variable has the name of the method.
    return owner, name


def link_of(node: Node) -> Link | None:
    """Return the last link of a chain of members; None: an expression is none."""
    if node.type in _SAME or node.type in _UNWRAPPED:
        inner = (
            node.child_by_field_name("value")
            or node.child_by_field_name("argument")
            or nth_child(node, 0)
        )
        return Link(owner=inner, is_unwrapped=node.type in _UNWRAPPED)
    if node.type in _INDEXED:
        return _index_link(node)
    if node.type == "array" and node.named_child_count == 1:
        only = node.named_children[0]
        is_copy = only.type == "spread_element"
        return Link(owner=nth_child(only, 0), is_copy=True) if is_copy else None
    member, is_call = node, node.type in OWN_CALLS
    if node.type in CALLS:
        function = node.child_by_field_name("function")
        if function is None:
            return None
        if function.type == "generic_function":  # Rust
            function = function.child_by_field_name("function") or function
        member, is_call = function, True
    found = access_of(member)
    if found is None:
        return None
    return Link(
        owner=found[0],
        member=name_of(found[1]).partition("<")[0].lstrip("$"),
        is_call=is_call,
        is_pointer=any(one.type == "->" for one in member.children),
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


def field_of(node: Node, field: str) -> str:
    return name_of(node.child_by_field_name(field)) if field else ""
