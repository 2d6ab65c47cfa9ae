"""The names that a function binds, with where their types come from.

A type is that of a declaration, of a literal or created object, or of an expression
that has to be looked up, of whose type a part is taken: an element in a loop, a part of
a tuple, a property, or what an option holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.children import nth_child
from redline.syntax.declared_members import is_function
from redline.syntax.kinds import UNKNOWN, TypeKind, kind_of, kind_of_value
from redline.syntax.language import Language
from redline.syntax.links import ACCESSES, CALLS, field_of, link_of
from redline.syntax.standard_results import EACH
from redline.syntax.type_names import name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

ELEMENT = "element"
HELD = "held"

Step = str | int
"""What is taken of a type: `ELEMENT`, `HELD`, a part by its number, or a member by its
name after a dot. With a colon before its number, it is what a method's function is
called with."""


class TypeSource(Struct, frozen=True, kw_only=True):
    """An expression or a type, and what is taken of it."""

    node: Node | None = None
    kind: TypeKind = UNKNOWN
    """The type, if there is no expression."""
    steps: tuple[Step, ...] = ()


Bound = TypeKind | TypeSource


_BINDINGS = {
    "required_parameter": ("pattern", "type", "value"),
    "optional_parameter": ("pattern", "type", "value"),
    "variable_declarator": ("name", "type", "value"),
    "parameter_declaration": ("name", "type", ""),
    "variadic_parameter_declaration": ("name", "type", ""),
    "var_spec": ("name", "type", "value"),
    "short_var_declaration": ("left", "", "right"),
    "parameter": ("pattern", "type", ""),
    "let_declaration": ("pattern", "type", "value"),
    "let_condition": ("pattern", "", "value"),
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
    "instanceof_expression": ("name", "right", ""),
    "declaration_pattern": ("name", "type", ""),
    "declaration_expression": ("name", "type", ""),
    "type_switch_statement": ("alias", "", ""),
    "simple_parameter": ("name", "type", ""),
    "property_promotion_parameter": ("name", "type", ""),
    "for_range_loop": ("declarator", "type", "right"),
    "optional_parameter_declaration": ("declarator", "type", ""),
}
"""Nodes that bind names, with the fields of the names, the type and the value."""

_LOOPS = word_set(
    "enhanced_for_statement range_clause for_in_statement for_statement for_in_clause"
    " for_expression foreach_statement for_range_loop"
)
"""Those of them whose names are set to each element of the value."""

_ASSIGNMENTS = word_set(
    "assignment_expression augmented_assignment_expression assignment_statement"
)
"""Those that change no type, except in JavaScript and PHP."""
_CHANGING = frozenset({Language.JAVASCRIPT, Language.PHP})

_UNTYPED = word_set(
    "formal_parameters lambda_parameters parameters type_parameter closure_parameters"
    " inferred_parameters"
)
"""Lists of names without a type."""

_SIMPLE_NAMES = word_set("identifier field_identifier variable_name implicit_parameter")
_INFERRED = frozenset({"", "var", "let", "auto"})
_ARGUMENTS = frozenset({"argument", "arguments", "argument_list"})
_HOLDING = frozenset({"Some", "Ok"})
_WRAPPED = word_set(
    "reference_pattern mut_pattern ref_pattern reference_declarator pointer_declarator"
    " match_pattern by_ref"
)
"""Patterns of the whole value."""


def bindings(function: Node, language: Language) -> Iterator[tuple[str, Bound]]:
    """Yield the names that a function, or a file, binds; some more than once."""
    own = list(_parameters(function))
    owner = _given(function, language)
    for position, one in enumerate(own):
        if one is None:
            continue
        source = (
            UNKNOWN
            if owner is None
            else TypeSource(node=owner[0], steps=(f":{position}{owner[1]}",))
        )
        yield from _named(one, source)
    taken = {one.id for one in own if one is not None}
    waiting = [(one, function) for one in function.named_children]
    while waiting:
        node, outer = waiting.pop()
        yield from _of_node(node, outer, taken, language)
        if not is_function(node):
            waiting.extend((one, node) for one in node.named_children)


def _of_node(
    node: Node, outer: Node, taken: set[int], language: Language
) -> Iterator[tuple[str, Bound]]:
    """Yield the names that one node itself binds."""
    if node.type in _BINDINGS:
        yield from _binding(node, outer, taken, language)
    elif node.type == "variable_declaration":
        yield from _of_csharp(node, language)
    elif node.type == "declaration" and language is Language.CPP:
        yield from _of_cpp(node)
    elif node.type == "match_expression":
        yield from _of_match(node)
    elif node.type == "type_pattern":
        written = name_of(nth_child(node, 0))
        yield name_of(nth_child(node, 1)), kind_of(written, language)
    elif node.type in _UNTYPED:
        for one in node.named_children:
            if one.type.endswith("identifier") and one.id not in taken:
                yield name_of(one), UNKNOWN


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


def _of_cpp(declaration: Node) -> Iterator[tuple[str, Bound]]:
    """Yield the variables of a declaration of C++."""
    written = field_of(declaration, "type")
    for one in declaration.children_by_field_name("declarator"):
        value = one.child_by_field_name("value")
        inner = one.child_by_field_name("declarator") or one
        bound: Bound = kind_of(written, Language.CPP)
        if written in _INFERRED:
            bound = _of_value(value, Language.CPP)
        elif one.type == "function_declarator":
            bound = UNKNOWN
        yield from _named(inner if one.type == "init_declarator" else one, bound)


def _of_match(match: Node) -> Iterator[tuple[str, Bound]]:
    """Yield the names of the patterns of a `match` of Rust."""
    body = match.child_by_field_name("body")
    value = match.child_by_field_name("value")
    for arm in body.named_children if body is not None and value is not None else ():
        pattern = arm.child_by_field_name("pattern")
        inner = None if pattern is None else nth_child(pattern, 0)
        if inner is not None:
            yield from _named(inner, TypeSource(node=value), is_match=True)


def _given(function: Node, language: Language) -> tuple[Node, str] | None:
    """Return the owner of a method that a function is given to, and its name."""
    outer = function.parent
    while outer is not None and outer.type in _ARGUMENTS:
        outer = outer.parent
    link = None if outer is None or outer is function.parent else link_of(outer)
    if link is None or link.owner is None or link.member is None:
        return None
    is_known = link.member in EACH.get(language, {})
    return (link.owner, link.member) if is_known else None


def _binding(
    node: Node, outer: Node, taken: set[int], language: Language
) -> Iterator[tuple[str, Bound]]:
    """Yield the names of one node, without those of parameters that are read."""
    if node.type in _ASSIGNMENTS and language not in _CHANGING:
        return
    if outer.type == "variable_declaration" and language is Language.CSHARP:
        return  # See `_of_csharp`.
    if node.type == "foreach_statement" and language is Language.PHP:
        yield from _of_php_loop(node)
        return
    value_field = _BINDINGS[node.type][2]
    value = node.child_by_field_name(value_field) if value_field else None
    bound = _bound(node, outer, value, language)
    for name in _bound_names(node, language):
        if name.id in taken:
            continue
        if node.type == "range_clause":
            yield from _of_range(name, bound)
        elif name.type == "expression_list":
            yield from _of_list(name, value, language)
        else:
            yield from _named(name, bound)


def _bound_names(node: Node, language: Language) -> list[Node]:
    name_field = _BINDINGS[node.type][0]
    if language is Language.CPP and node.type == "parameter_declaration":
        name_field = "declarator"
    names = node.children_by_field_name(name_field) if name_field else []
    if node.type == "parameter" and not names:
        return node.children_by_field_name("name")  # C#
    if node.type == "typed_parameter":
        return node.named_children[:1]
    return names


def _bound(node: Node, outer: Node, value: Node | None, language: Language) -> Bound:
    written = field_of(node, _BINDINGS[node.type][1])
    if node.type == "variadic_parameter_declaration":
        written = f"[]{written}"
    if node.type == "variable_declarator" and not written:
        written = field_of(outer, "type")  # Java
    if written not in _INFERRED:
        return kind_of(written, language)
    if node.type in _LOOPS:
        is_read = node.type != "for_in_statement" or _is_of(node)
        known = value is not None and is_read
        return TypeSource(node=value, steps=(ELEMENT,)) if known else UNKNOWN
    if node.type == "declaration_expression":
        return _tried(node)
    return _of_value(value, language)


def _of_range(names: Node, bound: Bound) -> Iterator[tuple[str, Bound]]:
    index, *elements = names.named_children
    yield name_of(index), UNKNOWN
    yield from ((name_of(one), bound) for one in elements)


def _of_list(
    names: Node, value: Node | None, language: Language
) -> Iterator[tuple[str, Bound]]:
    """Yield names that are set to several values, or to the parts of one."""
    values = [] if value is None else value.named_children
    several = len(values) == names.named_child_count
    for position, name in enumerate(names.named_children):
        if several:
            yield from _named(name, _of_value(values[position], language))
        elif len(values) == 1 and (values[0].type in CALLS or position == 0):
            source = _of_value(values[0], language)
            is_call = values[0].type in CALLS
            yield from _named(name, _step(source, position) if is_call else source)
        else:
            yield from _named(name, UNKNOWN)


def _of_php_loop(loop: Node) -> Iterator[tuple[str, Bound]]:
    value, name = nth_child(loop, 0), nth_child(loop, 1)
    if value is None or name is None:
        return
    if name.type == "pair":
        yield name_of(nth_child(name, 0)), UNKNOWN
        name = nth_child(name, 1) or name
    yield from _named(name, TypeSource(node=value, steps=(ELEMENT,)))


def _tried(variable: Node) -> Bound:
    """Return the type of a variable that `TryGetValue` sets."""
    outer = variable.parent
    while outer is not None and outer.type in _ARGUMENTS:
        outer = outer.parent
    link = None if outer is None else link_of(outer)
    if link is None or link.owner is None or link.member != "TryGetValue":
        return UNKNOWN
    return TypeSource(node=link.owner, steps=(HELD,))


def _step(bound: Bound, *more: Step) -> Bound:
    """Return a part of what a name is bound to."""
    if isinstance(bound, TypeSource):
        return TypeSource(node=bound.node, kind=bound.kind, steps=(*bound.steps, *more))
    return TypeSource(kind=bound, steps=more) if bound != UNKNOWN else UNKNOWN


def _named(
    name: Node, bound: Bound, *, is_match: bool = False
) -> Iterator[tuple[str, Bound]]:
    """Yield the names of a pattern of a value."""
    inner = name.child_by_field_name("declarator") or nth_child(name, 0)
    match name.type:
        case "identifier" if is_match and name_of(name)[:1].isupper():
            return  # A constant or a variant.
        case kind if kind in _SIMPLE_NAMES:
            yield name_of(name), bound
        case kind if kind in _WRAPPED and inner is not None:
            yield from _named(inner, bound, is_match=is_match)
        case "tuple_struct_pattern":
            first, *parts = name.named_children
            holds = name_of(first) in _HOLDING and len(parts) == 1
            for one in parts:
                part = _step(bound, HELD) if holds else UNKNOWN
                yield from _named(one, part, is_match=is_match)
        case (
            "tuple_pattern"
            | "array_pattern"
            | "structured_binding_declarator"
            | "parenthesized_variable_designation"
        ):
            for position, one in enumerate(name.named_children):
                yield from _named(one, _step(bound, position), is_match=is_match)
        case "object_pattern" | "struct_pattern":
            for one in name.named_children:
                yield from _of_property(one, bound)
        case _:
            yield from ((one, UNKNOWN) for one in _identifiers(name))


def _of_property(part: Node, bound: Bound) -> Iterator[tuple[str, Bound]]:
    """Yield the names of one part of a pattern of an object."""
    match part.type:
        case "shorthand_property_identifier_pattern":
            yield name_of(part), _step(bound, f".{name_of(part)}")
        case "object_assignment_pattern":
            left = field_of(part, "left")
            yield left, _step(bound, f".{left}")
        case "pair_pattern":
            value = part.child_by_field_name("value")
            if value is not None:
                key = field_of(part, "key")
                yield from _named(value, _step(bound, f".{key}"))
        case "field_pattern":
            key = field_of(part, "name")
            pattern = part.child_by_field_name("pattern")
            if pattern is None:
                yield key, _step(bound, f".{key}")
            else:
                yield from _named(pattern, _step(bound, f".{key}"))
        case _:
            yield from ((one, UNKNOWN) for one in _identifiers(part))


def _of_value(value: Node | None, language: Language) -> Bound:
    """Return the type of a value, or the value if it has to be looked up."""
    while value is not None and value.type == "expression_list":
        value = nth_child(value, 0) if value.named_child_count == 1 else None
    if value is None:
        return UNKNOWN
    kind = kind_of_value(value, language)
    is_looked_up = (
        value.type in ("identifier", "variable_name", "method_invocation")
        or value.type in CALLS
        or link_of(value) is not None
    )
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
        name: Node | None = one
        if one.type in ("required_parameter", "parameter"):
            has_type = one.child_by_field_name("type") is not None
            inner = one.child_by_field_name("pattern") or one.child_by_field_name(
                "name"
            )
            name = None if has_type or inner is None else inner
        elif one.type.endswith(("parameter", "modifiers")) and (
            one.type != "implicit_parameter"
        ):
            name = None
        yield name


_LAMBDAS = word_set(
    "arrow_function function_expression lambda_expression closure_expression lambda"
)


def _is_of(loop: Node) -> bool:
    return any(child.type == "of" for child in loop.children)


def _identifiers(node: Node) -> Iterator[str]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type.endswith(("identifier", "identifier_pattern", "variable_name")):
            yield name_of(one)
        if one.type not in ACCESSES:
            # What a default value binds is found on its own.
            inner = (each for each in one.named_children if each.type not in _BINDINGS)
            waiting.extend(inner)
