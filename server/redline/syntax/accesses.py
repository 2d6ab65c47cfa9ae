"""The members that code uses, with the type of what they are members of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.children import nth_child
from redline.syntax.enclosing import nodes_in
from redline.syntax.file_types import EnclosingCode, FileTypes
from redline.syntax.kinds import UNKNOWN, TypeKind, kind_of
from redline.syntax.links import (
    ACCESSES,
    CALLS,
    OWN_CALLS,
    access_of,
    field_of,
)
from redline.syntax.standard_results import POINTERS, held
from redline.syntax.type_names import name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class Access(Struct, frozen=True, kw_only=True):
    """One use of a member, `owner.name`."""

    line: int
    name: str
    owner: str
    """The name of a type; if `is_direct`, what is written before the member: the name
    of a type, a module or a package."""
    kind: TypeKind = UNKNOWN
    """The type, unless `is_direct`."""
    is_direct: bool
    is_class: bool = False
    """Whether the owner is the type itself, and no value of it."""
    is_call: bool


def accesses(
    types: FileTypes, lines: range, *, known: Collection[str] = ()
) -> Iterator[Access]:
    """Yield the members that are used in some lines, in no certain order.

    Args:
        types: The types of the file.
        lines: Line numbers.
        known: Names of members that are left out.
    """
    return _Reader(types, lines, known).accesses()


class _Reader:
    """Reads the accesses in some lines of a file."""

    def __init__(self, types: FileTypes, lines: range, known: Collection[str]) -> None:
        self._types = types
        self._language = types.language
        self._lines = lines
        self._known = known

    def accesses(self) -> Iterator[Access]:
        for node, above, scope in nodes_in(self._types, self._lines):
            yield from self._of_node(node, above, scope)

    def _of_node(
        self, node: Node, above: Node | None, scope: EnclosingCode
    ) -> Iterator[Access]:
        """Yield the members that one node itself uses."""
        if node.type in ACCESSES:
            found = self._access(node, above, scope)
            if found is not None and found.line in self._lines:
                yield found
        elif node.type in _LITERALS:
            yield from self._fields_given(node, scope)
        elif node.type in ("with_expression", "is_pattern_expression"):
            yield from self._fields_changed(node, scope)
        elif node.type == "struct_pattern":
            kind = self._written(node.child_by_field_name("type"), scope)
            yield from self._fields(node.named_children, kind)
        elif node.type == "object_pattern" and above is not None:
            kind = self._types.type(above.child_by_field_name("value"), scope)
            if above.type == "variable_declarator":
                yield from self._fields(node.named_children, kind)

    def _written(self, node: Node | None, scope: EnclosingCode) -> TypeKind:
        name = name_of(node)
        if name == "Self":
            return scope.own_class
        return kind_of(name, self._language)

    def _fields_changed(self, node: Node, scope: EnclosingCode) -> Iterator[Access]:
        """Yield the fields of a record that its copy, or a pattern, names."""
        kind = self._types.type(nth_child(node, 0), scope)
        waiting = list(node.named_children[1:])
        while waiting and kind.name:
            one = waiting.pop()
            if one.type in ("recursive_pattern", "property_pattern_clause"):
                waiting.extend(one.named_children)
                continue
            if one.type == "subpattern" or node.type == "with_expression":
                yield from self._field(nth_child(one, 0), kind)

    def _fields(self, parts: list[Node], kind: TypeKind) -> Iterator[Access]:
        """Yield the fields that the parts of a pattern or literal name."""
        for one in parts if kind.name else ():
            name = (
                one
                if one.type == "shorthand_property_identifier_pattern"
                else one.child_by_field_name("name")
                or one.child_by_field_name("key")
                or one.child_by_field_name("left")
            )
            yield from self._field(name, kind)

    def _field(self, name: Node | None, kind: TypeKind) -> Iterator[Access]:
        if name is None or name.start_point.row not in self._lines:
            return
        if not name.type.endswith(("identifier", "identifier_pattern")):
            return
        if name_of(name) not in self._known:
            yield Access(
                line=name.start_point.row,
                name=name_of(name),
                owner=kind.name,
                kind=kind,
                is_direct=False,
                is_call=False,
            )

    def _fields_given(self, node: Node, scope: EnclosingCode) -> Iterator[Access]:
        """Yield the fields that a literal of a type sets by their names."""
        type_field, body_field = _LITERALS[node.type]
        written = field_of(node, type_field)
        kind = self._written(node.child_by_field_name(type_field), scope)
        body = node.child_by_field_name(body_field)
        is_type = kind.name not in _LISTED and (
            node.type != "variable_declarator" or bool(written)
        )
        for entry in body.named_children if is_type and body is not None else ():
            yield from self._field(_given_name(entry), kind)

    def _access(
        self, node: Node, above: Node | None, scope: EnclosingCode
    ) -> Access | None:
        found = access_of(node)
        if found is None:
            return None
        owner, member = found
        # Without the sign of a private member of JavaScript, as declared.
        name = name_of(member).partition("<")[0].lstrip("#$")
        if name in self._known or not name or name.isdigit():
            return None
        kind, direct = self._owner(owner, scope)
        if any(one.type == "->" for one in node.children) and kind.name in POINTERS:
            kind = held(kind)
        if not kind.name and not direct:
            return None
        call = node if node.type in OWN_CALLS else above
        is_call = call is not None and (
            node.type in OWN_CALLS
            or (call.type in CALLS and call.child_by_field_name("function") == node)
        )
        return Access(
            line=member.start_point.row,
            name=name,
            owner=kind.name or direct,
            kind=kind,
            is_direct=not kind.name,
            is_class=owner is not None and name_of(owner) == kind.name,
            is_call=is_call,
        )

    def _owner(self, node: Node | None, scope: EnclosingCode) -> tuple[TypeKind, str]:
        """Return the type of an expression, else what is written in its place."""
        kind = self._types.type(node, scope)
        if kind.name or node is None or node.type not in _DIRECT:
            return kind, ""
        name = name_of(node)
        first = name.partition("::")[0].partition(".")[0]
        if self._types.is_bound(first, scope):
            return UNKNOWN, ""
        return UNKNOWN, name.partition("<")[0].rstrip(":")


_LITERALS = {
    "composite_literal": ("type", "body"),
    "struct_expression": ("name", "body"),
    "object_creation_expression": ("type", "initializer"),
    "variable_declarator": ("type", "value"),
}
"""Literals of a type, or variables that are set to one, with the fields of both."""

_LISTED = frozenset({"", "[]", "map"})
"""Types of literals that have no fields."""


def _given_name(entry: Node) -> Node | None:
    """Return the name of the field that a part of a literal sets."""
    match entry.type:
        case "keyed_element":
            key = entry.child_by_field_name("key")
            name = None if key is None else nth_child(key, 0)
        case "field_initializer":
            name = entry.child_by_field_name("field")
        case "assignment_expression":
            name = entry.child_by_field_name("left")
        case "pair":
            name = entry.child_by_field_name("key")
        case _:
            return None
    return name if name is not None and name.type.endswith("identifier") else None


_DIRECT = word_set(
    "identifier type_identifier package_identifier scoped_identifier"
    " predefined_type generic_type primitive_type qualified_name"
)
