"""Calls of functions whose parameters are known: how many arguments they give, and the
options of objects that they give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.children import nth_child
from redline.syntax.declared_members import Member
from redline.syntax.enclosing import nodes_in
from redline.syntax.file_types import EnclosingCode, FileTypes
from redline.syntax.kinds import TypeKind
from redline.syntax.language import Language
from redline.syntax.links import CALLS, OWN_CALLS, access_of
from redline.syntax.signatures import Arity
from redline.syntax.type_names import SCRIPTS, name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class WrongCall(Struct, frozen=True, kw_only=True):
    """A call with more or fewer arguments than the function takes."""

    line: int
    name: str
    n_given: int
    arity: Arity


class GivenOption(Struct, frozen=True, kw_only=True):
    """A field of an object that is given for a parameter."""

    line: int
    name: str
    kind: TypeKind
    """The type of the parameter."""


_PLAIN_TYPES = word_set("string number boolean bigint [] Map Set Date")
_CREATIONS = frozenset({"new_expression", "object_creation_expression"})
_OVERLOADING = frozenset({Language.JAVA, Language.CSHARP, Language.CPP})
_SPREAD = word_set(
    "spread_element variadic_argument argument_unpacking variadic_unpacking"
    " parameter_pack_expansion"
)
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_GIVEN_BY_REACT = frozenset({"key", "ref", "children", "is", "slot"})
_COMPONENTS = frozenset({"FC", "FunctionComponent", "VFC", "React.FC"})


def wrong_calls(types: FileTypes, lines: range) -> Iterator[WrongCall]:
    """Yield the calls in some lines with a wrong number of arguments."""
    for node, _, scope in nodes_in(types, lines):
        found = _called(types, node, scope)
        if found is None or found[0].arity is None:
            continue
        name = found[1]
        given = _arguments(node)
        if given is None or name.start_point.row not in lines:
            continue
        n_given, arity = len(given), found[0].arity
        if n_given < arity.least and not _is_needed(types, found[0], n_given):
            continue
        if types.language is Language.GO and n_given == 1 and given[0].type in CALLS:
            continue  # It may give several values.
        is_path = types.language is Language.RUST and name.type != "field_identifier"
        least, most = arity.least, arity.most
        if types.language is Language.PHP:
            most = None
        if is_path and most is not None:
            most += 1  # The value before the dot may be an argument.
        if n_given < least or (most is not None and n_given > most):
            yield WrongCall(
                line=name.start_point.row,
                name=name_of(name).partition("<")[0],
                n_given=n_given,
                arity=arity,
            )


def _is_needed(types: FileTypes, function: Member, position: int) -> bool:
    """Whether a call needs an argument: one of the type `void` may be left out."""
    if types.language not in SCRIPTS:
        return True
    kinds = function.parameters[position : position + 1]
    return bool(kinds) and (
        kinds[0].name in _PLAIN_TYPES or types.find(kinds[0]) is not None
    )


def given_options(types: FileTypes, lines: range) -> Iterator[GivenOption]:
    """Yield the fields of objects that calls and elements in some lines give."""
    for node, _, scope in nodes_in(types, lines):
        if node.type in ("jsx_opening_element", "jsx_self_closing_element"):
            yield from _props(types, node, scope, lines)
            continue
        found = _called(types, node, scope) if node.type in CALLS else None
        given = _arguments(node) if found else None
        for one, kind in zip(
            given or (), found[0].parameters if found else (), strict=False
        ):
            if one.type == "object":
                yield from _fields(one, kind, lines)


def _fields(literal: Node, kind: TypeKind, lines: range) -> Iterator[GivenOption]:
    for entry in literal.named_children:
        key = entry.child_by_field_name("key") or (
            entry if entry.type == "shorthand_property_identifier" else None
        )
        is_name = key is not None and key.type.endswith("identifier")
        if key is not None and is_name and key.start_point.row in lines and kind.name:
            yield GivenOption(line=key.start_point.row, name=name_of(key), kind=kind)


def _props(
    types: FileTypes, element: Node, scope: EnclosingCode, lines: range
) -> Iterator[GivenOption]:
    """Yield the properties that an element of JSX gives to its component."""
    name = name_of(element.child_by_field_name("name"))
    if not name[:1].isupper() or types.is_bound(name, scope):
        return
    member = types.function(name)
    if member is None or not member.parameters:
        return
    kind = member.parameters[0]
    for one in element.children_by_field_name("attribute"):
        key = nth_child(one, 0)
        if one.type != "jsx_attribute" or key is None or not kind.name:
            continue
        text = name_of(key)
        if key.start_point.row not in lines or "-" in text or text in _GIVEN_BY_REACT:
            continue
        yield GivenOption(line=key.start_point.row, name=text, kind=kind)


def _called(
    types: FileTypes, node: Node, scope: EnclosingCode
) -> tuple[Member, Node] | None:
    """Return the function that a node calls, and its name."""
    if node.type in _CREATIONS:
        return _constructor(types, node)
    if node.type not in CALLS and node.type not in OWN_CALLS:
        return None
    function = node.child_by_field_name("function") or node
    if function.type == "identifier":
        name = name_of(function)
        if types.is_bound(name, scope) or types.language in _OVERLOADING:
            return None
        member = types.function(name)
        return None if member is None else (member, function)
    access = access_of(function)
    if access is None or access[0] is None:
        return None
    owner = types.type(access[0], scope)
    name = name_of(access[1]).partition("<")[0].lstrip("#$")
    found = types.member(owner, name)
    if found is None or not found[0].is_function:
        return None
    if types.language in _OVERLOADING and types.n_declaring(owner, name) != 1:
        return None
    return found[0], access[1]


def _constructor(types: FileTypes, node: Node) -> tuple[Member, Node] | None:
    written = node.child_by_field_name("constructor") or node.child_by_field_name(
        "type"
    )
    if written is None or types.language is Language.CPP:
        return None
    kind = types.class_of(name_of(written))
    declared = types.find(kind)
    if declared is None or declared.is_open or declared.is_partial:
        return None
    name = kind.name if types.language in _OVERLOADING else "constructor"
    member = declared.members.get(name)
    return None if member is None or not member.is_function else (member, written)


def _arguments(node: Node) -> list[Node] | None:
    given = node.child_by_field_name("arguments")
    if given is None:
        return None
    found = [one for one in given.named_children if one.type not in _COMMENTS]
    inner = (child for one in found for child in (one, *one.children))
    if given.has_error or any(
        one.type in _SPREAD or one.type == "..." for one in inner
    ):
        return None
    return found
