"""The members that code uses, with the type of what they are members of.

A type is only known if it is written: by a declaration of the parameter, variable or
field, or by the literal or the object that a variable is set to. A variable that is
declared twice in a function has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.declared_types import DeclaredType, declared_types, is_function
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import name_of, type_name, value_type
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
    is_direct: bool
    is_call: bool


_ACCESSES = {
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

_CALLS = frozenset(
    {"call_expression", "call", "invocation_expression", "new_expression"}
)
_SELVES = frozenset({"this", "self"})

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
    "enhanced_for_statement": ("name", "type", ""),
    "resource": ("name", "type", "value"),
    "typed_default_parameter": ("name", "type", ""),
    "default_parameter": ("name", "", ""),
    "assignment": ("left", "type", "right"),
    "assignment_expression": ("left", "", "right"),
    "augmented_assignment_expression": ("left", "", ""),
    "augmented_assignment": ("left", "", ""),
    "range_clause": ("left", "", ""),
    "for_in_statement": ("left", "", ""),
    "for_statement": ("left", "", ""),
    "for_in_clause": ("left", "", ""),
    "as_pattern": ("alias", "", ""),
    "assignment_statement": ("left", "", ""),
    "for_expression": ("pattern", "", ""),
    "foreach_statement": ("left", "", ""),
    "catch_clause": ("parameter", "", ""),
    "named_expression": ("name", "", "value"),
    "typed_parameter": ("", "type", ""),
}
"""Nodes that bind names, with the fields of the names, the type and the value."""

_MAX_N_FUNCTIONS = 50
"""Functions within more others are not read: nobody writes them, and each has to be
searched for a name."""


class _Scope(Struct, frozen=True):
    """What is around a place in the code."""

    own_class: str = ""
    """The class of `this` or `self`; empty: there is none."""
    functions: tuple[Node, ...] = ()
    """The functions, outermost first."""


class _Link(Struct, frozen=True, kw_only=True):
    """One link of a chain of members."""

    owner: Node | None
    """The rest of the chain; None: the own class."""
    member: str | None = None
    """What the link takes of the owner; None: the owner itself, in parentheses."""
    is_call: bool = False


class FileTypes:
    """The types of one file, and of the values in it; for one thread at a time."""

    def __init__(self, tree: Tree) -> None:
        """Read the types that a file declares."""
        self._tree = tree
        self._language = tree.language
        self.declared: Mapping[str, DeclaredType] = declared_types(tree)
        self._bound: dict[int, Mapping[str, str]] = {}
        self._types: dict[int, str] = {}
        """By id of a link of a chain, the type that was found."""

    def accesses(self, lines: range) -> Iterator[Access]:
        """Yield the members that are used in some lines, in no certain order."""
        waiting = [(self._tree.root, "", _Scope())]
        while waiting:
            node, above, scope = waiting.pop()
            if node.end_point.row < lines.start or node.start_point.row >= lines.stop:
                continue
            if node.type in _ACCESSES:
                found = self._access(node, above, scope)
                if found is not None and found.line in lines:
                    yield found
            elif node.type in _LITERALS:
                yield from self._fields_given(node, lines)
            if not node.named_child_count:
                continue
            inner = self._scope_inside(node, scope)
            if len(inner.functions) <= _MAX_N_FUNCTIONS:
                waiting.extend((one, node.type, inner) for one in node.named_children)

    def _fields_given(self, node: Node, lines: range) -> Iterator[Access]:
        """Yield the fields that a literal of a type sets by their names."""
        type_field, body_field = _LITERALS[node.type]
        written = _field(node, type_field)
        kind = type_name(written, self._language)
        body = node.child_by_field_name(body_field)
        is_type = bool(kind) and (node.type != "variable_declarator" or bool(written))
        for entry in body.named_children if is_type and body is not None else ():
            key = _given_name(entry)
            if key is not None and key.start_point.row in lines:
                yield Access(
                    line=key.start_point.row,
                    name=name_of(key),
                    owner=kind,
                    is_direct=False,
                    is_call=False,
                )

    def _scope_inside(self, node: Node, scope: _Scope) -> _Scope:
        own_class, functions = scope.own_class, scope.functions
        if node.type in ("function_expression", "function_declaration", "object"):
            own_class = ""  # These have a `this` of their own.
        elif not is_function(node):
            written = _field(node, "type" if node.type == "impl_item" else "name")
            name = type_name(written, self._language) if written else ""
            own_class = name if name in self.declared else own_class
        if is_function(node):
            functions = (*functions, node)
        if (own_class, functions) == (scope.own_class, scope.functions):
            return scope
        return _Scope(own_class=own_class, functions=functions)

    def _access(self, node: Node, above: str, scope: _Scope) -> Access | None:
        owner_field, name_field = _ACCESSES[node.type]
        member = node.child_by_field_name(name_field)
        owner = node.child_by_field_name(owner_field)
        if member is None or (
            owner is None and node.type != "member_access_expression"
        ):
            return None
        kind, is_direct = self._owner(owner, scope)
        if not kind:
            return None
        return Access(
            line=member.start_point.row,
            # Without the sign of a private member of JavaScript, as declared.
            name=name_of(member).partition("<")[0].lstrip("#"),
            owner=kind,
            is_direct=is_direct,
            is_call=above in _CALLS or node.type == "method_invocation",
        )

    def _owner(self, node: Node | None, scope: _Scope) -> tuple[str, bool]:
        """Return the type of an expression, or what it is, and whether that."""
        kind = self._type(node, scope)
        if kind:
            return kind, False
        if node is None or node.type not in _DIRECT:
            return "", False
        name = name_of(node)
        first = name.partition("::")[0].partition(".")[0]
        is_bound = any(first in self._names(one) for one in scope.functions)
        return ("", False) if is_bound else (name.partition("<")[0].rstrip(":"), True)

    def _type(self, node: Node | None, scope: _Scope) -> str:
        """Return the type of an expression, which may be a long chain of members."""
        links: list[tuple[int, _Link]] = []
        while (
            node is not None
            and node.id not in self._types
            and (link := _link(node)) is not None
        ):
            links.append((node.id, link))
            node = link.owner
        if node is None or name_of(node) in _SELVES:
            kind = scope.own_class
        elif node.id in self._types:
            kind = self._types[node.id]
        elif node.type in ("identifier", "type_identifier"):
            kind = self._variable(name_of(node), scope)
        else:
            kind = value_type(node, self._language)
        for node_id, link in reversed(links):
            if link.member is not None:
                kind = self._member_type(kind, link.member, is_call=link.is_call)
            self._types[node_id] = kind
        return kind

    def _member_type(self, owner: str, name: str, *, is_call: bool) -> str:
        """Return the type of a field, or of what a method returns, if declared here."""
        if self._language is Language.CSHARP and is_call and name in _LAZY:
            return "IEnumerable"
        declared = self.declared.get(owner)
        member = None if declared is None else declared.members.get(name)
        return member.type if member and member.is_function == is_call else ""

    def _variable(self, name: str, scope: _Scope) -> str:
        for function in reversed(scope.functions):
            if name in (bound := self._names(function)):
                return bound[name]
        return self._names(self._tree.root).get(name, "")

    def _names(self, function: Node) -> Mapping[str, str]:
        """Return the types of the names that a function binds; empty if unknown."""
        if function.id not in self._bound:
            found: dict[str, str] = {}
            for name, kind in self._bindings(function):
                found[name] = kind if found.get(name, kind) == kind else ""
            self._bound[function.id] = found
        return self._bound[function.id]

    def _bindings(self, function: Node) -> Iterator[tuple[str, str]]:
        waiting = [(one, function) for one in function.named_children]
        while waiting:
            node, outer = waiting.pop()
            if node.type in _BINDINGS:
                yield from self._binding(node, outer)
            elif node.type == "variable_declaration":  # C#
                kind = type_name(_field(node, "type"), self._language)
                for one in node.named_children:
                    if one.type == "variable_declarator":
                        yield _field(one, "name"), kind
            elif node.type in _UNTYPED:
                for one in node.named_children:
                    if one.type.endswith("identifier"):
                        yield name_of(one), ""
            if not is_function(node):
                waiting.extend((one, node) for one in node.named_children)

    def _binding(self, node: Node, outer: Node) -> Iterator[tuple[str, str]]:
        name_field, type_field, value_field = _BINDINGS[node.type]
        names = node.children_by_field_name(name_field) if name_field else []
        if node.type == "parameter" and not names:
            names = node.children_by_field_name("name")  # C#
        if node.type == "typed_parameter" and node.named_child(0) is not None:
            names = [node.named_child(0)]
        written = _field(node, type_field)
        if node.type == "variable_declarator" and not written:
            written = _field(outer, "type")  # Java
        if written in ("var", "let", "auto"):
            written = ""
        value = node.child_by_field_name(value_field) if value_field else None
        is_simple = len(names) == 1 and names[0].named_child_count <= 1
        kind = ""
        if written:
            kind = type_name(written, self._language)
        elif is_simple:
            kind = value_type(value, self._language)
        for name in names:
            if name.type in _SIMPLE_NAMES:
                yield name_of(name), kind
            else:
                for inner in _identifiers(name):
                    only = name.type == "expression_list" and is_simple
                    yield inner, kind if only else ""


_LITERALS = {
    "composite_literal": ("type", "body"),
    "struct_expression": ("name", "body"),
    "object_creation_expression": ("type", "initializer"),
    "variable_declarator": ("type", "value"),
}
"""Literals of a type, or variables that are set to one, with the fields of both."""

_LAZY = word_set(
    "Append Concat DefaultIfEmpty Distinct DistinctBy Except ExceptBy Intersect"
    " IntersectBy OfType Order OrderBy OrderByDescending OrderDescending Prepend Select"
    " SelectMany SkipLast SkipWhile TakeLast TakeWhile ThenBy ThenByDescending Where"
)
"""Methods of LINQ that return a sequence, and that no other type usually has."""


def _given_name(entry: Node) -> Node | None:
    """Return the name of the field that a part of a literal sets."""
    match entry.type:
        case "keyed_element":
            key = entry.child_by_field_name("key")
            name = None if key is None else key.named_child(0)
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
_UNTYPED = word_set(
    "formal_parameters lambda_parameters parameters type_parameter closure_parameters"
)
"""Lists of names without a type."""

_SIMPLE_NAMES = frozenset({"identifier", "field_identifier"})


def _link(node: Node) -> _Link | None:
    """Return the last link of a chain of members; None: an expression is none."""
    if node.type == "parenthesized_expression":
        return _Link(owner=node.named_child(0))
    member, is_call = node, node.type == "method_invocation"
    if node.type in _CALLS:
        function = node.child_by_field_name("function")
        if function is None:
            return None
        member, is_call = function, True
    if member.type not in _ACCESSES:
        return None
    owner_field, name_field = _ACCESSES[member.type]
    return _Link(
        owner=member.child_by_field_name(owner_field),
        member=_field(member, name_field),
        is_call=is_call,
    )


def _field(node: Node, field: str) -> str:
    return name_of(node.child_by_field_name(field)) if field else ""


def _identifiers(node: Node) -> Iterator[str]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type.endswith(("identifier", "identifier_pattern")):
            yield name_of(one)
        if one.type not in _ACCESSES:
            # What a default value binds is found on its own.
            inner = (each for each in one.named_children if each.type not in _BINDINGS)
            waiting.extend(inner)
