"""The names that a function binds, with their types.

A type is that of a declaration, of a literal or created object, or of an expression
that has to be looked up: what a variable is set to, the list of a loop, or the list
whose method calls a function with each element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.declared_types import is_function
from redline.syntax.element_types import EACH, UNKNOWN, TypeKind, kind_of, kind_of_value
from redline.syntax.language import Language
from redline.syntax.links import ACCESSES, field_of, link_of
from redline.syntax.type_names import name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class TypeSource(Struct, frozen=True, kw_only=True):
    """An expression whose type a name has, or whose elements' type."""

    node: Node
    is_element: bool = False


class TypePart(Struct, frozen=True, kw_only=True):
    """A property of a type, taken out of an object by its name."""

    owner: TypeKind
    name: str


Bound = TypeKind | TypeSource | TypePart


_BINDINGS = {
    "required_parameter": ("pattern", "type", "value"),
    "optional_parameter": ("pattern", "type", "value"),
    "variable_declarator": ("name", "type", "value"),
    "parameter_declaration": ("name", "type", ""),
    "variadic_parameter_declaration": ("name", "", ""),
    "var_spec": ("name", "type", "value"),
    "short_var_declaration": ("left", "", "right"),
    "parameter": ("pattern", "type", ""),
    "let_declaration": ("pattern", "type", "value"),
    "formal_parameter": ("name", "type", ""),
    "enhanced_for_statement": ("name", "type", "value"),
    "resource": ("name", "type", "value"),
    "typed_default_parameter": ("name", "type", ""),
    "default_parameter": ("name", "", ""),
    "assignment": ("left", "type", "right"),
    "assignment_expression": ("left", "", "right"),
    "augmented_assignment_expression": ("left", "", ""),
    "augmented_assignment": ("left", "", ""),
    "range_clause": ("left", "", "right"),
    "for_in_statement": ("left", "", "right"),
    "for_statement": ("left", "", "right"),
    "for_in_clause": ("left", "", "right"),
    "as_pattern": ("alias", "", ""),
    "assignment_statement": ("left", "", ""),
    "for_expression": ("pattern", "", "value"),
    "foreach_statement": ("left", "type", "right"),
    "catch_clause": ("parameter", "", ""),
    "named_expression": ("name", "", "value"),
    "typed_parameter": ("", "type", ""),
}
"""Nodes that bind names, with the fields of the names, the type and the value."""

_LOOPS = word_set(
    "enhanced_for_statement range_clause for_in_statement for_statement for_in_clause"
    " for_expression foreach_statement"
)
"""Those of them whose names are set to each element of the value."""

_ASSIGNMENTS = word_set(
    "assignment_expression augmented_assignment_expression assignment_statement"
)
"""Those that change no type, except in JavaScript."""

_UNTYPED = word_set(
    "formal_parameters lambda_parameters parameters type_parameter closure_parameters"
)
"""Lists of names without a type."""

_SIMPLE_NAMES = frozenset({"identifier", "field_identifier"})
_INFERRED = frozenset({"", "var", "let", "auto"})
_ARGUMENTS = frozenset({"argument", "arguments", "argument_list"})


def bindings(function: Node, language: Language) -> Iterator[tuple[str, Bound]]:
    """Yield the names that a function, or a file, binds; some more than once."""
    own = list(_parameters(function))
    given = _given(function, language)
    for position, one in enumerate(own):
        if one is not None:
            yield name_of(one), given.get(position, UNKNOWN)
    taken = {one.id for one in own if one is not None}
    waiting = [(one, function) for one in function.named_children]
    while waiting:
        node, outer = waiting.pop()
        if node.type in _BINDINGS:
            yield from _binding(node, outer, taken, language)
        elif node.type == "variable_declaration":
            yield from _of_csharp(node, language)
        elif node.type in _UNTYPED:
            for one in node.named_children:
                if one.type.endswith("identifier") and one.id not in taken:
                    yield name_of(one), UNKNOWN
        if not is_function(node):
            waiting.extend((one, node) for one in node.named_children)


def _of_csharp(declaration: Node, language: Language) -> Iterator[tuple[str, Bound]]:
    written = field_of(declaration, "type")
    for one in declaration.named_children:
        if one.type != "variable_declarator":
            continue
        name, *values = one.named_children
        if written not in _INFERRED:
            yield name_of(name), kind_of(written, language)
        else:
            yield name_of(name), _of_value(values[-1] if values else None, language)


def _given(function: Node, language: Language) -> Mapping[int, TypeSource]:
    """Return what a function is called with, by position: elements of a list."""
    outer = function.parent
    while outer is not None and outer.type in _ARGUMENTS:
        outer = outer.parent
    link = None if outer is None or outer is function.parent else link_of(outer)
    if link is None or link.owner is None or link.member is None:
        return {}
    positions = EACH.get(language, {}).get(link.member, ())
    return dict.fromkeys(positions, TypeSource(node=link.owner, is_element=True))


def _binding(
    node: Node, outer: Node, taken: set[int], language: Language
) -> Iterator[tuple[str, Bound]]:
    """Yield the names of one node, without those of parameters that are read."""
    if node.type in _ASSIGNMENTS and language is not Language.JAVASCRIPT:
        return
    name_field, type_field, value_field = _BINDINGS[node.type]
    names = node.children_by_field_name(name_field) if name_field else []
    if node.type == "parameter" and not names:
        names = node.children_by_field_name("name")  # C#
    if node.type == "typed_parameter" and node.named_child(0) is not None:
        names = [node.named_child(0)]
    names = [name for name in names if name.id not in taken]
    is_simple = len(names) == 1 and names[0].named_child_count <= 1
    written = field_of(node, type_field)
    if node.type == "variable_declarator" and not written:
        written = field_of(outer, "type")  # Java
    kind: Bound = UNKNOWN
    value = node.child_by_field_name(value_field) if value_field else None
    if written not in _INFERRED:
        kind = kind_of(written, language)
    elif node.type in _LOOPS:
        if value is not None and (node.type != "for_in_statement" or _is_of(node)):
            kind = TypeSource(node=value, is_element=True)
    elif is_simple:
        kind = _of_value(value, language)
    for name in names:
        yield from _named(name, kind, node.type, is_simple=is_simple)


def _named(
    name: Node, kind: Bound, binding: str, *, is_simple: bool
) -> Iterator[tuple[str, Bound]]:
    """Yield the names of a pattern that a type or value is of."""
    if name.type in _SIMPLE_NAMES:
        yield name_of(name), kind
    elif binding == "range_clause":
        index, *elements = name.named_children
        yield name_of(index), UNKNOWN
        yield from ((name_of(one), kind) for one in elements)
    elif name.type == "object_pattern" and isinstance(kind, TypeKind) and kind.name:
        for one in name.named_children:
            if one.type == "shorthand_property_identifier_pattern":
                yield name_of(one), TypePart(owner=kind, name=name_of(one))
            else:
                yield from ((inner, UNKNOWN) for inner in _identifiers(one))
    else:
        is_only = name.type == "expression_list" and is_simple
        for inner in _identifiers(name):
            yield inner, kind if is_only else UNKNOWN


def _of_value(value: Node | None, language: Language) -> Bound:
    """Return the type of a value, or the value if it has to be looked up."""
    while value is not None and value.type == "expression_list":
        value = value.named_child(0) if value.named_child_count == 1 else None
    if value is None:
        return UNKNOWN
    kind = kind_of_value(value, language)
    is_looked_up = value.type == "identifier" or link_of(value) is not None
    return TypeSource(node=value) if kind == UNKNOWN and is_looked_up else kind


def _parameters(function: Node) -> Iterator[Node | None]:
    """Yield the names of the parameters without a type, by position; None: no name."""
    if function.type not in _LAMBDAS:
        return
    given = function.child_by_field_name("parameter") or function.child_by_field_name(
        "parameters"
    )
    if given is None:
        return
    is_one = given.type in ("identifier", "implicit_parameter")
    for one in [given] if is_one else given.named_children:
        name = one
        if one.type in ("required_parameter", "parameter"):
            has_type = one.child_by_field_name("type") is not None
            inner = one.child_by_field_name("pattern") or one.child_by_field_name(
                "name"
            )
            name = one if has_type or inner is None else inner
        elif one.type == "reference_pattern" and one.named_child(0) is not None:
            name = one.named_children[0]
        yield name if name.type in ("identifier", "implicit_parameter") else None


_LAMBDAS = word_set(
    "arrow_function function_expression lambda_expression closure_expression lambda"
)


def _is_of(loop: Node) -> bool:
    return any(child.type == "of" for child in loop.children)


def _identifiers(node: Node) -> Iterator[str]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type.endswith(("identifier", "identifier_pattern")):
            yield name_of(one)
        if one.type not in ACCESSES:
            # What a default value binds is found on its own.
            inner = (each for each in one.named_children if each.type not in _BINDINGS)
            waiting.extend(inner)
