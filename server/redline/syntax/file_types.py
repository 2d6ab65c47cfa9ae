"""The types of the values in a file.

A type is only known if it is written: by a declaration of the parameter, variable,
field or function, or of the list that a value is an element of, or by the literal or
the object that a variable is set to. A variable that is declared twice in a function
has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from redline.syntax.bindings import ELEMENT, HELD, Bound, Step, bindings
from redline.syntax.declared_members import Member
from redline.syntax.declared_types import DeclaredType, declared_types
from redline.syntax.declared_values import declared_values
from redline.syntax.kinds import SELF, TUPLE, UNKNOWN, TypeKind, is_map, kind_of_value
from redline.syntax.language import Language
from redline.syntax.links import CALLS, Link, link_of
from redline.syntax.read_on_demand import ReadOnDemand
from redline.syntax.standard_results import (
    POINTERS,
    WRAPPERS,
    called_with,
    held,
    library_result,
    looped,
)
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS, name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class DeclaringFiles(Protocol):
    """What the other files of a workspace declare."""

    def find_type(self, name: str, file: int) -> DeclaredType | None:
        """Return the type that a file means by a name, also one of its own."""

    def find_value(self, name: str, file: int) -> TypeKind:
        """Return the type of a variable that a file imports."""

    def find_function(self, name: str, file: int) -> Member | None:
        """Return a function that a file imports."""

    def kind_of_member(self, member: Member, owner: TypeKind) -> TypeKind:
        """Return the type of a member that a file gives no type to."""


class EnclosingCode(Struct, frozen=True):
    """What is around a place in the code."""

    own_classes: tuple[TypeKind, ...] = ()
    """The classes of `this` or `self`, outermost first."""
    functions: tuple[Node, ...] = ()
    """The functions, outermost first."""

    @property
    def own_class(self) -> TypeKind:
        return self.own_classes[-1] if self.own_classes else UNKNOWN


_SELVES = frozenset({"this", "self", "$this", "Self", "static"})
_NARROWED = re.compile(
    r"(?<![$\w])([$\w]++)\s++instanceof\b|\bin\s++([$\w]++)\s*+[)&|]"
    r"|\b(?:is|has|assert)\w*+\(\s*+([$\w]++)"
)
_MAX_SOURCES = 8
"""Longest chain of variables that are set to each other."""
_MAX_LEVELS = 13
"""Of bases of bases."""
_MAX_TYPES = 200
"""Among a type and its bases."""
_IMPLICIT = frozenset({Language.JAVA, Language.CSHARP, Language.CPP})
"""Languages in which a bare name may be a member of the own class."""
_NAMES = word_set("identifier type_identifier variable_name name namespace_identifier")


class FileTypes:
    """The types of one file, and of the values in it; for one thread at a time."""

    def __init__(
        self, tree: Tree, others: DeclaringFiles | None = None, *, file: int = 0
    ) -> None:
        """Read the types that a file declares.

        Args:
            tree: The file.
            others: Finds the types of other files; None: there are none.
            file: The file's number.
        """
        self.tree = tree
        self.language = tree.language
        self.declared = ReadOnDemand(
            declared_types(tree), lambda one: one.in_file(file)
        )
        self._others = others
        self._file = file
        self._bound: dict[int, Mapping[str, Bound]] = {}
        self._types: dict[int, TypeKind] = {}
        """By id of a link of a chain, the type that was found."""
        self._n_resolving = 0

    @cached_property
    def _narrowed(self) -> frozenset[str]:
        """Names whose type a condition of the file may narrow."""
        if self.language not in (*SCRIPTS, Language.PHP):
            return frozenset()
        found = _NARROWED.findall(self.tree.source.decode("utf-8", "replace"))
        return frozenset(name for names in found for name in names if name)

    @cached_property
    def values(self) -> Mapping[str, Member]:
        found = declared_values(self.tree)
        return ReadOnDemand(found, lambda one: one.in_file(self._file))

    def type(self, node: Node | None, scope: EnclosingCode) -> TypeKind:
        """Return the type of an expression, which may be a long chain of members."""
        links: list[tuple[int, Link]] = []
        while (
            node is not None
            and node.id not in self._types
            and (link := link_of(node)) is not None
        ):
            links.append((node.id, link))
            node = link.owner
        kind = self._root(node, scope)
        for node_id, link in reversed(links):
            kind = self._taken(kind, link)
            self._types[node_id] = kind
        return kind

    def _root(self, node: Node | None, scope: EnclosingCode) -> TypeKind:
        if node is None or name_of(node) in _SELVES:
            return UNKNOWN if name_of(node) in self._narrowed else scope.own_class
        if node.id in self._types:
            return self._types[node.id]
        if node.type in _NAMES:
            return self._named(name_of(node), scope)
        if node.type == "method_invocation":
            return self._called(name_of(node.child_by_field_name("name")), scope)
        if node.type in CALLS:
            function = node.child_by_field_name("function")
            if function is not None and function.type == "identifier":
                found = self._called(name_of(function), scope)
                if found != UNKNOWN:
                    return found
        if node.type in ("generic_type", "template_type", "scoped_type_identifier"):
            return self._class(name_of(node.child_by_field_name("type") or node))
        return kind_of_value(node, self.language).in_file(self._file)

    def _class(self, name: str) -> TypeKind:
        """Return a type that a name stands for, in place of a value."""
        name = name.partition("<")[0]
        kind = TypeKind(name, (), self._file)
        return kind if self.find(kind) is not None else UNKNOWN

    def _called(self, name: str, scope: EnclosingCode) -> TypeKind:
        """Return what a function gives that is called by its bare name."""
        if any(name in self.names(one) for one in scope.functions):
            return UNKNOWN
        if self.language in _IMPLICIT:
            for one in reversed(scope.own_classes):
                if self.member(one, name) is not None:
                    return self.member_kind(one, name, is_call=True)
        member = self.function(name)
        if member is not None:
            return self._result(member)
        return self._class(name) if self.language is Language.CPP else UNKNOWN

    def _result(self, member: Member) -> TypeKind:
        if member.kind == UNKNOWN and member.value is not None and self._others:
            return self._others.kind_of_member(member, UNKNOWN)
        return member.kind

    def find(self, kind: TypeKind) -> DeclaredType | None:
        """Return a type that is declared in the workspace."""
        if not kind.name:
            return None
        if self._others is not None:
            return self._others.find_type(kind.name, kind.file)
        return self.declared.get(kind.name)

    def lineage(
        self, owner: TypeKind
    ) -> Iterator[tuple[TypeKind, DeclaredType | None]]:
        """Yield a type and its bases, level by level, each once.

        None stands for one that is not declared in the workspace, or not looked at
        because there are too many.
        """
        seen, level = {owner}, [owner]
        for depth in range(_MAX_LEVELS + 1):
            bases: list[TypeKind] = []
            for one in level:
                is_known = depth < _MAX_LEVELS and len(seen) < _MAX_TYPES
                found = self.find(one) if is_known else None
                yield one, found
                if found is None:
                    continue
                new = {self.base(base, one, found): None for base in found.bases}
                bases += [base for base in new if base not in seen]
                seen.update(new)
            level = bases

    def member(self, owner: TypeKind, name: str) -> tuple[Member, TypeKind] | None:
        """Return a member of a type or its bases, and which of them declares it."""
        for one, found in self.lineage(owner):
            if found is not None and name in found.members:
                return found.members[name], one
        return None

    def _is_overloaded(self, owner: TypeKind, name: str, member: Member) -> bool:
        """Whether a base has a method of the same name with another result."""
        found = self.find(owner)
        if found is None or self.language not in _IMPLICIT or not member.is_function:
            return False
        for base in found.bases:
            inner = self.member(self.base(base, owner, found), name)
            if inner is not None and inner[0].kind.name != member.kind.name:
                return True
        return False

    def base(self, base: TypeKind, owner: TypeKind, found: DeclaredType) -> TypeKind:
        """Return a base of a type, with the arguments that the type gives it."""
        return base.with_types(_given(owner, found))

    def member_kind(self, owner: TypeKind, name: str, *, is_call: bool) -> TypeKind:
        """Return the type of a field, or of what a method returns."""
        found = self.member(owner, name)
        if found is not None and self._is_overloaded(found[1], name, found[0]):
            return UNKNOWN
        if found is None:
            if self.find(owner) is not None:
                return UNKNOWN
            return library_result(owner, name, self.language)
        member, holder = found
        declaring = self.find(holder)
        if member.is_function != is_call and not self._is_also_called(
            member, declaring
        ):
            return UNKNOWN
        if member.kind == UNKNOWN and member.value is not None:
            if self._others is None:
                return UNKNOWN
            return self._others.kind_of_member(member, holder)
        given = _given(holder, declaring) if declaring else {}
        return member.kind.with_types({**given, SELF: owner})

    def _is_also_called(self, member: Member, declaring: DeclaredType | None) -> bool:
        """Whether it is a variant of Rust, or a part of a record of Java."""
        if self.language is Language.JAVA:  # A base may have a method of its name.
            return not member.is_function and bool(declaring and not declaring.bases)
        return self.language is Language.RUST and not member.is_function

    def _taken(self, owner: TypeKind, link: Link) -> TypeKind:
        """Return the type of one link of a chain, whose owner has a type."""
        if link.is_index:
            if owner.name == TUPLE or self.find(owner) is not None:
                return UNKNOWN
            return owner.element
        if link.is_copy:
            return UNKNOWN if is_map(owner.name) else TypeKind("[]", (owner.element,))
        if link.is_unwrapped:
            return held(owner) if owner.name in WRAPPERS else owner
        if link.member is None:
            return owner
        if link.is_pointer and owner.name in POINTERS:
            owner = held(owner)
        if owner.name == TUPLE and link.member.isdigit():
            return _part(owner, int(link.member))
        return self.member_kind(owner, link.member, is_call=link.is_call)

    def _named(self, name: str, scope: EnclosingCode) -> TypeKind:
        """Return the type of a variable, or the type that a name is."""
        if name in self._narrowed:
            return UNKNOWN
        functions = scope.functions
        for n_outer in range(len(functions), 0, -1):
            bound = self.names(functions[n_outer - 1]).get(name)
            if bound is not None:
                return self._resolved(bound, scope, functions[:n_outer])
        if self.language in _IMPLICIT:
            for one in reversed(scope.own_classes):
                if self.member(one, name) is not None:
                    return self.member_kind(one, name, is_call=False)
        bound = self.names(self.tree.root).get(name)
        if bound is not None:
            return self._resolved(bound, scope, ())
        found = self._class(name)
        if found == UNKNOWN and self._others is not None:
            return self._others.find_value(name, self._file)
        return found

    def function(self, name: str) -> Member | None:
        """Return the function that a file calls by its bare name."""
        member = self.values.get(name)
        if member is None and self._others is not None:
            return self._others.find_function(name, self._file)
        return member if member is not None and member.is_function else None

    def class_of(self, name: str) -> TypeKind:
        """Return the type of a name that creates objects; unknown for others."""
        return self._class(name)

    def n_declaring(self, owner: TypeKind, name: str) -> int:
        """Return how many of a type and its bases declare a member, or may do so."""
        return sum(
            found is None or name in found.members for _, found in self.lineage(owner)
        )

    def is_bound(self, name: str, scope: EnclosingCode) -> bool:
        """Whether a function around a place binds a name."""
        return any(name in self.names(one) for one in scope.functions)

    def _resolved(
        self, bound: Bound, scope: EnclosingCode, functions: tuple[Node, ...]
    ) -> TypeKind:
        """Return the type of a name that some functions bind, the last one itself."""
        if isinstance(bound, TypeKind):
            return self._own(bound, scope)
        kind = self._own(bound.kind, scope)
        if bound.node is not None:
            if self._n_resolving >= _MAX_SOURCES:
                return UNKNOWN
            self._n_resolving += 1
            is_given = any(
                isinstance(one, str) and one[0] == ":" for one in bound.steps
            )
            around = functions[:-1] if is_given else functions
            inside = EnclosingCode(own_classes=scope.own_classes, functions=around)
            kind = self.type(bound.node, inside)
            self._n_resolving -= 1
        for step in bound.steps:
            kind = self._step(kind, step)
        return kind

    def _own(self, kind: TypeKind, scope: EnclosingCode) -> TypeKind:
        return kind.in_file(self._file).with_types({SELF: scope.own_class})

    def _step(self, kind: TypeKind, step: Step) -> TypeKind:
        """Return a part of a type; of a type of the workspace only its members."""
        if isinstance(step, str) and step.startswith("."):
            return self.member_kind(kind, step[1:], is_call=False)
        if self.find(kind) is not None:
            # An iterator, or what a file calls with values of its own.
            return UNKNOWN
        if step == ELEMENT:
            return looped(kind, self.language)
        if step == HELD:
            return held(kind)
        if isinstance(step, int):
            return _part(kind, step)
        position, method = int(step[1]), step[2:]
        given = called_with(kind, method, self.language)
        return given[position] if position < len(given) else UNKNOWN

    def value(self, node: Node, own_class: TypeKind) -> TypeKind:
        """Return the type of an expression in a class, outside of its methods."""
        scope = EnclosingCode(own_classes=(own_class,) if own_class.name else ())
        if self._n_resolving >= _MAX_SOURCES:
            return UNKNOWN
        self._n_resolving += 1
        kind = self.type(node, scope)
        self._n_resolving -= 1
        return kind

    def names(self, function: Node) -> Mapping[str, Bound]:
        """Return the types of the names that a function binds."""
        if function.id not in self._bound:
            found: dict[str, Bound] = {}
            for name, kind in bindings(function, self.language):
                found[name] = kind if found.get(name, kind) == kind else UNKNOWN
            self._bound[function.id] = found
        return self._bound[function.id]


def _given(owner: TypeKind, declared: DeclaredType) -> Mapping[str, TypeKind]:
    """Return the types that stand for the type parameters of a type."""
    names = declared.parameters
    given = owner.arguments if len(owner.arguments) == len(names) else ()
    return dict(zip(names, given or (UNKNOWN,) * len(names), strict=True))


def _part(kind: TypeKind, position: int) -> TypeKind:
    """Return a part of a tuple, or an element of a list."""
    if kind.name in (TUPLE, "KeyValuePair"):
        given = kind.arguments
        return given[position] if position < len(given) else UNKNOWN
    # What gives one value gives nothing else.
    return UNKNOWN if is_map(kind.name) else kind.element
