"""The types that a file declares, with the members that each can have.

Read in Python, JavaScript, TypeScript, Java, C#, Go and Rust. What gives a type further
members that are not written in it makes it open: an annotation or a decorator, a macro,
an embedded field, an index signature, a partial class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.element_types import UNKNOWN, TypeKind, kind_of, kind_of_value
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import name_of, text_of, type_name
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class Member(Struct, frozen=True, kw_only=True):
    kind: TypeKind
    """Its type, or that of what it returns."""
    is_function: bool


class DeclaredType(Struct, frozen=True, kw_only=True):
    """A class, struct, interface, enumeration or the like."""

    name: str
    members: Mapping[str, Member]
    bases: tuple[str, ...]
    """Names of types whose members it has too."""
    is_open: bool
    """Whether it may have other members as well."""


_TYPES = word_set(
    "class_declaration abstract_class_declaration class"
    " interface_declaration enum_declaration record_declaration"
    " type_alias_declaration type_spec struct_item enum_item trait_item"
    " impl_item class_definition struct_declaration"
)
_FUNCTIONS = word_set(
    "function_declaration function_definition function_item"
    " method_definition method_declaration constructor_declaration"
    " function_signature_item method_signature method_elem"
    " abstract_method_signature function_expression arrow_function"
    " generator_function_declaration lambda_expression closure_expression"
    " func_literal local_function_statement lambda"
)
_RESULTS = ("return_type", "result", "returns", "type")
_HARMLESS = word_set(
    "Override Deprecated FunctionalInterface SuppressWarnings SafeVarargs"
    " Nullable NonNull dataclass dataclasses.dataclass final total_ordering"
    " Serializable Obsolete Test derive doc allow must_use non_exhaustive"
    " repr cfg"
)
"""Annotations, decorators and attributes that add no members."""

_ANNOTATIONS = frozenset(
    {"marker_annotation", "annotation", "attribute", "decorator", "attribute_list"}
)
_ASSIGNED = re.compile(
    r"\b(?:self|this)\.(\w++)\s*+(?::([^=\n:]++))?(?:[-+*/|&]|\?\?|\|\|)?="
)
_MAX_N_TYPES = 50
"""Types within more others are not read: nobody writes them, and the text of each one
has all deeper ones."""
_RECEIVER = re.compile(r"\(\s*+(?:\w++\s++)?+[(*\s]*+(\w++)")
"""The type of a receiver of Go, without its parameters: `(c *Cache[K, V])`."""
_OPENING = re.compile(
    r"__getattr|setattr\(|__dict__|__slots__ = \(\)|Object\.(?:assign|definePropert)"
    r"|new Proxy"
)
"""Code by which a class gets members at run time."""


def is_function(node: Node) -> bool:
    """Whether a node is a function, whose names are its own."""
    return node.type in _FUNCTIONS


def declared_types(tree: Tree) -> Mapping[str, DeclaredType]:
    """Return the types of a file by name; one that is declared twice is joined."""
    found: dict[str, DeclaredType] = {}
    for node in _type_nodes(tree.root):
        one = _read(node, tree.language)
        if one is not None:
            found[one.name] = _joined(found.get(one.name), one)
    for owner, name, member in _methods_of_go(tree):
        known = found.get(owner)
        if known is not None:
            found[owner] = _joined(known, _only(owner, name, member))
    return found


def _type_nodes(root: Node) -> Iterator[Node]:
    waiting = [(root, 0)]
    while waiting:
        node, n_around = waiting.pop()
        if node.type in _TYPES and node.is_named:
            yield node
            n_around += 1
        if node.type not in _FUNCTIONS and n_around <= _MAX_N_TYPES:
            inner = reversed(node.named_children)
            waiting.extend((one, n_around) for one in inner)


def _read(node: Node, language: Language) -> DeclaredType | None:
    # An implementation of Rust has the name of its type, and the trait as a base.
    field = "type" if node.type == "impl_item" else "name"
    name = type_name(name_of(node.child_by_field_name(field)), language)
    body = node.child_by_field_name("body") or node.child_by_field_name("value")
    if node.type == "type_spec":
        body = node.child_by_field_name("type")
    if not name:
        return None
    members: dict[str, Member] = {}
    is_open = _is_open(node, body, language)
    for child in _parts(body):
        inner = dict(_members(child, language))
        is_open |= child.type in _UNNAMED or (
            not inner and child.type == "field_declaration"
        )
        members |= inner
    for parameters in _record_parameters(node):
        members |= dict(_members(parameters, language))
    if body is not None and language in _ASSIGNING:
        set_here: dict[str, Member] = {}
        for one, written in _ASSIGNED.findall(text_of(body)):
            kind = kind_of(written, language) if written else UNKNOWN
            if one not in set_here or written:
                set_here[one] = Member(kind=kind, is_function=False)
        members = set_here | members
    return DeclaredType(
        name=name,
        members=members,
        bases=tuple(_bases(node, language)),
        is_open=is_open,
    )


_ASSIGNING = frozenset(
    {Language.PYTHON, Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX}
)
_UNNAMED = frozenset(
    {"index_signature", "call_signature", "type_elem", "macro_invocation"}
)
"""Parts of a type that give it members without naming them; an embedded field of Go
also does."""

_LISTS = word_set(
    "field_declaration_list enum_body_declarations block"
    " decorated_definition struct_type interface_type expression_statement"
    " accessibility_modifier"
)
"""Nodes between a type's body and its members."""


def _parts(body: Node | None) -> Iterator[Node]:
    """Yield what a body declares, in order."""
    if body is None or body.type not in _BODIES:
        return
    waiting = [*reversed(body.named_children)]
    while waiting:
        node = waiting.pop()
        if node.type in _LISTS:
            waiting.extend(reversed(node.named_children))
        else:
            yield node


_BODIES = word_set(
    "class_body interface_body object_type enum_body declaration_list block"
    " field_declaration_list enum_variant_list struct_type interface_type"
    " enum_member_declaration_list"
)


def _members(node: Node, language: Language) -> Iterator[tuple[str, Member]]:
    """Yield the members that one part of a body declares."""
    if node.type == "assignment":  # Python
        names = [node.child_by_field_name("left")]
    elif node.type in ("property_identifier", "enum_assignment"):
        names = [node.child_by_field_name("name") or node]
    else:
        names = list(_names(node))
    written = next(
        (
            name_of(one)
            for field in _RESULTS
            if (one := node.child_by_field_name(field))
        ),
        "",
    )
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    kind = kind_of(written, language) if written else kind_of_value(value, language)
    member = Member(kind=kind, is_function=node.type in _FUNCTIONS)
    for name in names:
        if name is not None:
            yield name_of(name).strip("#\"'"), member
    if node.type == "method_definition" and "constructor" in map(name_of, names):
        yield from _parameter_properties(node, language)


def _names(node: Node) -> Iterator[Node]:
    yield from node.children_by_field_name("name")
    yield from node.children_by_field_name("property")
    for declarator in node.named_children:
        if declarator.type in ("variable_declarator", "variable_declaration"):
            yield from _names(declarator)


def _parameter_properties(
    node: Node, language: Language
) -> Iterator[tuple[str, Member]]:
    """Yield the fields that a constructor of TypeScript declares."""
    parameters = node.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        if any(child.type == "accessibility_modifier" for child in one.children) or (
            "readonly" in {child.type for child in one.children}
        ):
            written = name_of(one.child_by_field_name("type"))
            name = name_of(one.child_by_field_name("pattern"))
            yield name, Member(kind=kind_of(written, language), is_function=False)


def _record_parameters(node: Node) -> Iterator[Node]:
    if node.type == "record_declaration":
        for child in node.named_children:
            if child.type in ("formal_parameters", "parameter_list"):
                yield from child.named_children


def _bases(node: Node, language: Language) -> Iterator[str]:
    if node.type == "impl_item" and (trait := node.child_by_field_name("trait")):
        yield type_name(name_of(trait), language) or "?"
    for child in node.named_children:
        if child.type in _HERITAGE:
            yield from _base_names(child, language)
    if node.type == "type_alias_declaration":
        value = node.child_by_field_name("value")
        if value is not None and value.type != "object_type":
            yield "?"
    if node.type == "type_spec":
        kind = node.child_by_field_name("type")
        if kind is not None and kind.type not in ("struct_type", "interface_type"):
            yield "?"


_HERITAGE = word_set(
    "class_heritage extends_clause implements_clause extends_type_clause"
    " superclass super_interfaces extends_interfaces type_list base_list"
    " argument_list"
)


def _base_names(node: Node, language: Language) -> Iterator[str]:
    for child in node.named_children:
        if child.type in _HERITAGE:
            # What a class implements, it has to have itself.
            if child.type != "implements_clause":
                yield from _base_names(child, language)
        elif child.type == "keyword_argument":
            yield "?"
        elif child.type != "type_arguments":
            yield type_name(name_of(child), language) or "?"


def _is_open(node: Node, body: Node | None, language: Language) -> bool:
    if body is not None and _OPENING.search(text_of(body)):
        return True
    outer = node.parent
    around = [node]
    if outer is not None and outer.type in ("decorated_definition", "export_statement"):
        around.append(outer)
    if language is Language.RUST:
        before = node.prev_named_sibling
        while before is not None and before.type == "attribute_item":
            around.append(before)
            before = before.prev_named_sibling
    for one in around:
        for child in one.named_children:
            if child.type == "modifier" and name_of(child) == "partial":
                return True
            inside = child.named_children if child.type == "modifiers" else (child,)
            if any(_adds_members(part) for part in inside):
                return True
    return False


def _adds_members(annotation: Node) -> bool:
    if annotation.type not in _ANNOTATIONS:
        return False
    name = re.match(r"[@\[#\s]*([\w.:]+)", name_of(annotation))
    return name is None or name[1] not in _HARMLESS


def _methods_of_go(tree: Tree) -> Iterator[tuple[str, str, Member]]:
    if tree.language is not Language.GO:
        return
    for node in tree.root.named_children:
        if node.type != "method_declaration":
            continue
        written = _RECEIVER.match(name_of(node.child_by_field_name("receiver")))
        owner = written[1] if written else ""
        for name, member in _members(node, tree.language):
            yield owner, name, member


def _only(owner: str, name: str, member: Member) -> DeclaredType:
    return DeclaredType(name=owner, members={name: member}, bases=(), is_open=False)


def _joined(known: DeclaredType | None, one: DeclaredType) -> DeclaredType:
    if known is None:
        return one
    return DeclaredType(
        name=one.name,
        members={**known.members, **one.members},
        bases=known.bases + one.bases,
        is_open=known.is_open or one.is_open,
    )
