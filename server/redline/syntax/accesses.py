"""The members that code uses, with the type of what they are members of.

A type is only known if it is written: by a declaration of the parameter, variable or
field, or of the list that it is an element of, or by the literal or the object that a
variable is set to. A variable that is declared twice in a function has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.bindings import Bound, TypePart, bindings
from redline.syntax.declared_types import DeclaredType, declared_types, is_function
from redline.syntax.element_types import (
    KEEPING,
    RESULTS,
    TAKING,
    UNKNOWN,
    TypeKind,
    is_map,
    kind_of_value,
)
from redline.syntax.language import Language
from redline.syntax.links import ACCESSES, CALLS, Link, field_of, link_of, nth_child
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS, name_of, type_name
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


_SELVES = frozenset({"this", "self"})

_MAX_N_FUNCTIONS = 50
"""Functions within more others are not read: nobody writes them, and each has to be
searched for a name."""


class _Scope(Struct, frozen=True):
    """What is around a place in the code."""

    own_class: str = ""
    """The class of `this` or `self`; empty: there is none."""
    functions: tuple[Node, ...] = ()
    """The functions, outermost first."""


class FileTypes:
    """The types of one file, and of the values in it; for one thread at a time."""

    def __init__(
        self, tree: Tree, declared: Mapping[str, DeclaredType] | None = None
    ) -> None:
        """Read the types that a file declares, unless they are given."""
        self._tree = tree
        self._language = tree.language
        self.declared = declared_types(tree) if declared is None else declared
        self._bound: dict[int, Mapping[str, Bound]] = {}
        self._types: dict[int, TypeKind] = {}
        """By id of a link of a chain, the type that was found."""
        self._n_resolving = 0

    def accesses(self, lines: range) -> Iterator[Access]:
        """Yield the members that are used in some lines, in no certain order."""
        waiting = [(self._tree.root, "", _Scope())]
        while waiting:
            node, above, scope = waiting.pop()
            if node.end_point.row < lines.start or node.start_point.row >= lines.stop:
                continue
            if node.type in ACCESSES:
                found = self._access(node, above, scope)
                if found is not None and found.line in lines:
                    yield found
            elif node.type in _LITERALS:
                yield from self._fields_given(node, lines)
            elif node.type == "with_expression":
                yield from self._fields_changed(node, scope, lines)
            if not node.named_child_count:
                continue
            inner = self._scope_inside(node, scope)
            if len(inner.functions) <= _MAX_N_FUNCTIONS:
                waiting.extend((one, node.type, inner) for one in node.named_children)

    def _fields_changed(
        self, node: Node, scope: _Scope, lines: range
    ) -> Iterator[Access]:
        """Yield the fields of a record that its copy has other values of."""
        kind = self._type(nth_child(node, 0), scope).name
        for one in node.named_children[1:]:
            name = nth_child(one, 0)
            if kind and name is not None and name.start_point.row in lines:
                yield Access(
                    line=name.start_point.row,
                    name=name_of(name),
                    owner=kind,
                    is_direct=False,
                    is_call=False,
                )

    def _fields_given(self, node: Node, lines: range) -> Iterator[Access]:
        """Yield the fields that a literal of a type sets by their names."""
        type_field, body_field = _LITERALS[node.type]
        written = field_of(node, type_field)
        kind = type_name(written, self._language)
        body = node.child_by_field_name(body_field)
        is_type = kind not in _LISTED and (
            node.type != "variable_declarator" or bool(written)
        )
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
            written = field_of(node, "type" if node.type == "impl_item" else "name")
            name = type_name(written, self._language) if written else ""
            own_class = name if name in self.declared else own_class
        if is_function(node):
            functions = (*functions, node)
        if (own_class, functions) == (scope.own_class, scope.functions):
            return scope
        return _Scope(own_class=own_class, functions=functions)

    def _access(self, node: Node, above: str, scope: _Scope) -> Access | None:
        owner_field, name_field = ACCESSES[node.type]
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
            is_call=above in CALLS or node.type == "method_invocation",
        )

    def _owner(self, node: Node | None, scope: _Scope) -> tuple[str, bool]:
        """Return the type of an expression, or what it is, and whether that."""
        kind = self._type(node, scope).name
        if kind:
            return kind, False
        if node is None or node.type not in _DIRECT:
            return "", False
        name = name_of(node)
        first = name.partition("::")[0].partition(".")[0]
        is_bound = any(first in self._names(one) for one in scope.functions)
        return ("", False) if is_bound else (name.partition("<")[0].rstrip(":"), True)

    def _type(self, node: Node | None, scope: _Scope) -> TypeKind:
        """Return the type of an expression, which may be a long chain of members."""
        links: list[tuple[int, Link]] = []
        while (
            node is not None
            and node.id not in self._types
            and (link := link_of(node)) is not None
        ):
            links.append((node.id, link))
            node = link.owner
        if node is None or name_of(node) in _SELVES:
            kind = TypeKind(scope.own_class)
        elif node.id in self._types:
            kind = self._types[node.id]
        elif node.type in ("identifier", "type_identifier"):
            kind = self._variable(name_of(node), scope)
        else:
            kind = kind_of_value(node, self._language)
        for node_id, link in reversed(links):
            kind = self._taken(kind, link)
            self._types[node_id] = kind
        return kind

    def _taken(self, owner: TypeKind, link: Link) -> TypeKind:
        """Return the type of one link of a chain, whose owner has a type."""
        if link.is_index:
            is_list = owner.name not in self.declared
            return TypeKind(owner.element) if is_list else UNKNOWN
        if link.is_copy:
            return UNKNOWN if is_map(owner.name) else TypeKind("[]", owner.element)
        if link.member is None:
            return owner
        return self._member_type(owner, link.member, is_call=link.is_call)

    def _member_type(self, owner: TypeKind, name: str, *, is_call: bool) -> TypeKind:
        """Return the type of a field, or of what a method returns."""
        declared = self.declared.get(owner.name)
        member = None if declared is None else declared.members.get(name)
        if member is not None and member.is_function == is_call:
            return member.kind
        is_kept = declared is None and name in KEEPING.get(self._language, ())
        element = owner.element if is_kept else ""
        if self._language is Language.CSHARP and is_call and name in _LAZY:
            return TypeKind("IEnumerable", element)
        results = RESULTS.get(self._language, {}).get(owner.name, {})
        if declared is None and is_call and name in results:
            return TypeKind(results[name], element)
        if element:
            is_array = self._language in SCRIPTS and owner.name == "[]"
            return TypeKind("[]" if is_array and name != "values" else "", element)
        if declared is None and is_call and name in TAKING.get(self._language, ()):
            return TypeKind(owner.element)
        return UNKNOWN

    def _variable(self, name: str, scope: _Scope) -> TypeKind:
        functions = scope.functions
        for n_outer in range(len(functions), 0, -1):
            bound = self._names(functions[n_outer - 1]).get(name)
            if bound is not None:
                return self._resolved(bound, scope, functions[:n_outer])
        bound = self._names(self._tree.root).get(name, UNKNOWN)
        return self._resolved(bound, scope, ())

    def _resolved(
        self, bound: Bound, scope: _Scope, functions: tuple[Node, ...]
    ) -> TypeKind:
        """Return the type of a name that some functions bind, the last one itself."""
        if isinstance(bound, TypeKind):
            return bound
        if isinstance(bound, TypePart):
            return self._member_type(bound.owner, bound.name, is_call=False)
        if self._n_resolving >= _MAX_SOURCES:
            return UNKNOWN
        self._n_resolving += 1
        inside = _Scope(own_class=scope.own_class, functions=functions)
        kind = self._type(bound.node, inside)
        self._n_resolving -= 1
        if not bound.is_element:
            return kind
        is_known = kind.name not in self.declared and not is_map(kind.name)
        return TypeKind(kind.element) if is_known else UNKNOWN

    def _names(self, function: Node) -> Mapping[str, Bound]:
        """Return the types of the names that a function binds."""
        if function.id not in self._bound:
            found: dict[str, Bound] = {}
            for name, kind in bindings(function, self._language):
                found[name] = kind if found.get(name, kind) == kind else UNKNOWN
            self._bound[function.id] = found
        return self._bound[function.id]


_LITERALS = {
    "composite_literal": ("type", "body"),
    "struct_expression": ("name", "body"),
    "object_creation_expression": ("type", "initializer"),
    "variable_declarator": ("type", "value"),
}
"""Literals of a type, or variables that are set to one, with the fields of both."""

_LISTED = frozenset({"", "[]", "map"})
"""Types of literals that have no fields."""
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
_MAX_SOURCES = 8
"""Longest chain of variables that are set to each other."""
