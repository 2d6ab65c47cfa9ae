"""Resolves which names in a Python file refer to the same variable.

It follows the language reference, section 4.2 (naming and binding), for the given names
only: functions, classes, comprehensions and type parameters open scopes, class scopes
are not visible in functions, `global` and `nonlocal` refer to other scopes, and `:=` in
a comprehension binds in the scope around it.
"""

from __future__ import annotations

import collections.abc
import re
import typing
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

import libcst as cst
from msgspec import Struct, field

from redline.gateway.rules.function_facts import dotted_name
from redline.gateway.rules.python_source import PythonSource

_GENERICS = frozenset(
    {*typing.__all__, *collections.abc.__all__}
    | {"dict", "frozenset", "list", "set", "tuple", "type"}
)
"""Names that are subscripted with types, also outside annotations."""

ScopeKind = Literal["module", "function", "class", "comprehension", "type-parameters"]
Form = Literal["name", "import", "dotted-import"]


class NameScope:
    """A scope: a part of the code in which names are bound."""

    def __init__(
        self, kind: ScopeKind, parent: NameScope | None, class_name: str | None = None
    ) -> None:
        self.kind = kind
        self.parent = parent
        self.class_name = class_name
        """The name of the class; None for other scopes."""
        self.bound: set[str] = set()
        self.is_global: set[str] = set()
        self.is_nonlocal: set[str] = set()

    def resolve(self, name: str) -> NameScope | None:
        """Return the scope that binds a name used here; None: a builtin or unbound."""
        if name in self.is_global:
            return self._module()
        if name in self.bound and name not in self.is_nonlocal:
            return self
        scope, sees_class = self.parent, self.kind == "type-parameters"
        while scope is not None:
            is_visible = scope.kind != "class" or sees_class
            if is_visible and name in scope.is_global:
                return scope._module()
            if is_visible and name in scope.bound and name not in scope.is_nonlocal:
                return scope
            sees_class = sees_class and scope.kind == "type-parameters"
            scope = scope.parent
        return None

    def is_within(self, other: NameScope) -> bool:
        """Whether this scope is `other` or nested in it."""
        scope: NameScope | None = self
        while scope is not None and scope is not other:
            scope = scope.parent
        return scope is other

    def _module(self) -> NameScope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


class Occurrence(Struct, frozen=True, kw_only=True):
    """One occurrence of a name."""

    name: str
    start: int
    end: int
    scope: NameScope
    """The scope of the occurrence, not of the binding."""
    form: Form = "name"
    owner: cst.FunctionDef | cst.ClassDef | cst.Param | None = None
    """The definition or parameter that it names, if any."""


class Keyword(Struct, frozen=True, kw_only=True):
    """A keyword argument with one of the names."""

    name: str
    start: int
    end: int
    call: cst.Call


class FunctionScope(Struct, frozen=True, kw_only=True):
    """A function, its body's scope, and its class if it is a method."""

    node: cst.FunctionDef
    scope: NameScope
    """The scope of its body."""
    owner: cst.ClassDef | None


class NameMap(Struct, frozen=True, kw_only=True):
    """All occurrences of some names in a file."""

    occurrences: list[Occurrence] = field(default_factory=list)
    keywords: list[Keyword] = field(default_factory=list)
    functions: list[FunctionScope] = field(default_factory=list)
    module: NameScope

    def of(self, name: str, scope: NameScope) -> list[Occurrence]:
        """Return all occurrences of one variable."""
        return [
            o
            for o in self.occurrences
            if o.name == name and o.scope.resolve(name) is scope
        ]


def map_names(source: PythonSource, names: Collection[str]) -> NameMap:
    """Find all occurrences of some names, for every kind of binding."""
    walk = _Walk(source, frozenset(names))
    source.module.visit(walk)
    return walk.found


def names_in_target(target: cst.CSTNode) -> Iterator[cst.Name]:
    """Yield the names that an assignment to this target binds."""
    match target:
        case cst.Name():
            yield target
        case cst.Tuple() | cst.List():
            for element in target.elements:
                yield from names_in_target(element.value)


_Comprehension = cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp


class _Walk(cst.CSTVisitor):
    def __init__(self, source: PythonSource, names: frozenset[str]) -> None:
        self._scope = NameScope("module", None)
        self.found = NameMap(module=self._scope)
        self._source = source
        self._names = names
        self._stores: set[cst.Name] = set()
        self._annotation_depth = 0
        self._type_args: set[cst.Arg] = set()
        # The class whose body is visited, outside of its functions.
        self._class: cst.ClassDef | None = None

    # Names, plain or bound

    def visit_Name(self, node: cst.Name) -> None:
        if node.value in self._names:
            self._note(node, is_bound=node in self._stores)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._stores.update(names_in_target(node.target))

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._stores.update(names_in_target(node.target))

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        self._stores.update(names_in_target(node.target))
        is_type = _last_word(node.annotation.annotation) == "TypeAlias"
        node.target.visit(self)
        node.annotation.visit(self)
        if node.value is not None:
            self._annotation_depth += is_type
            node.value.visit(self)
            self._annotation_depth -= is_type
        return False

    def visit_For(self, node: cst.For) -> None:
        self._stores.update(names_in_target(node.target))

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._stores.update(names_in_target(node.target))

    def visit_AsName(self, node: cst.AsName) -> None:
        self._stores.update(names_in_target(node.name))

    def visit_Del(self, node: cst.Del) -> None:
        self._stores.update(names_in_target(node.target))

    def visit_MatchAs(self, node: cst.MatchAs) -> None:
        self._stores.update(filter(None, [node.name]))

    def visit_MatchStar(self, node: cst.MatchStar) -> None:
        self._stores.update(filter(None, [node.name]))

    def visit_MatchMapping(self, node: cst.MatchMapping) -> None:
        self._stores.update(filter(None, [node.rest]))

    def visit_NamedExpr(self, node: cst.NamedExpr) -> bool:
        inner = self._scope
        while self._scope.kind == "comprehension" and self._scope.parent is not None:
            self._scope = self._scope.parent
        self._stores.update(names_in_target(node.target))
        node.target.visit(self)
        self._scope = inner
        node.value.visit(self)
        return False

    # Names that are not variables, or only in one position

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_MatchKeywordElement(self, node: cst.MatchKeywordElement) -> bool:
        node.pattern.visit(self)
        return False

    def visit_Call(self, node: cst.Call) -> None:
        self._type_args.update(_type_args(node))
        for arg in node.args:
            if arg.keyword is not None and arg.keyword.value in self._names:
                start, end = self._source.span(arg.keyword)
                self.found.keywords.append(
                    Keyword(name=arg.keyword.value, start=start, end=end, call=node)
                )

    def visit_Arg(self, node: cst.Arg) -> bool:
        is_type = node in self._type_args
        self._annotation_depth += is_type
        node.value.visit(self)
        self._annotation_depth -= is_type
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        for alias in node.names:
            self._import(alias)
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        if not isinstance(node.names, cst.ImportStar):
            for alias in node.names:
                self._import(alias)
        return False

    def _import(self, alias: cst.ImportAlias) -> None:
        if alias.asname is not None:
            alias.asname.visit(self)
            return
        name: cst.BaseExpression = alias.name
        form: Form = "import"
        while isinstance(name, cst.Attribute):
            name, form = name.value, "dotted-import"
        assert isinstance(name, cst.Name)
        if name.value in self._names:
            self._note(name, is_bound=True, form=form)

    def visit_Global(self, node: cst.Global) -> bool:
        self._declare(node.names, self._scope.is_global)
        return False

    def visit_Nonlocal(self, node: cst.Nonlocal) -> bool:
        self._declare(node.names, self._scope.is_nonlocal)
        return False

    def _declare(self, items: Collection[cst.NameItem], declared: set[str]) -> None:
        for item in items:
            if item.name.value in self._names:
                declared.add(item.name.value)
                self._note(item.name, is_bound=False)
                # A binding here binds the module's variable.
                if declared is self._scope.is_global:
                    self.found.module.bound.add(item.name.value)

    # Types, which may be strings

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self._annotation_depth += 1

    def leave_Annotation(self, original_node: cst.Annotation) -> None:
        self._annotation_depth -= 1

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        name = _last_word(node.value)
        if name == "Literal":
            # Strings in `Literal` are values, not types.
            return not self._annotation_depth
        if name not in _GENERICS:
            return True
        node.value.visit(self)
        self._annotation_depth += 1
        for element in node.slice:
            element.visit(self)
        self._annotation_depth -= 1
        return False

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        if not self._annotation_depth:
            return
        start, _ = self._source.span(node)
        text = self._source.code(node)
        for name in self._names:
            for found in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", text):
                at, to = start + found.start(), start + found.end()
                self.found.occurrences.append(
                    Occurrence(name=name, start=at, end=to, scope=self._scope)
                )

    # Scopes

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self._define(node)
        outer = self._scope
        self._open_type_parameters(node.type_parameters)
        self._visit_outer_params(node.params)
        if node.returns is not None:
            node.returns.visit(self)
        self._scope = NameScope("function", self._scope)
        owner, self._class = self._class, None
        self.found.functions.append(
            FunctionScope(node=node, scope=self._scope, owner=owner)
        )
        self._bind_params(node.params)
        node.body.visit(self)
        self._scope, self._class = outer, owner
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        outer = self._scope
        self._visit_outer_params(node.params)
        self._scope = NameScope("function", outer)
        self._bind_params(node.params)
        node.body.visit(self)
        self._scope = outer
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self._define(node)
        outer = self._scope
        self._open_type_parameters(node.type_parameters)
        for arg in (*node.bases, *node.keywords):
            arg.visit(self)
        self._scope = NameScope("class", self._scope, node.name.value)
        owner, self._class = self._class, node
        node.body.visit(self)
        self._scope, self._class = outer, owner
        return False

    def visit_TypeAlias(self, node: cst.TypeAlias) -> bool:
        self._stores.add(node.name)
        node.name.visit(self)
        outer = self._scope
        self._open_type_parameters(node.type_parameters)
        node.value.visit(self)
        self._scope = outer
        return False

    def visit_ListComp(self, node: cst.ListComp) -> bool:
        return self._comprehension(node)

    def visit_SetComp(self, node: cst.SetComp) -> bool:
        return self._comprehension(node)

    def visit_DictComp(self, node: cst.DictComp) -> bool:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> bool:
        return self._comprehension(node)

    def _comprehension(self, node: _Comprehension) -> bool:
        outer, loop = self._scope, node.for_in
        loop.iter.visit(self)
        self._scope = NameScope("comprehension", outer)
        self._stores.update(names_in_target(loop.target))
        loop.target.visit(self)
        rest: list[cst.CSTNode] = [*loop.ifs]
        if loop.inner_for_in is not None:
            rest.append(loop.inner_for_in)
        if isinstance(node, cst.DictComp):
            rest += [node.key, node.value]
        else:
            rest.append(node.elt)
        for part in rest:
            part.visit(self)
        self._scope = outer
        return False

    def _define(self, node: cst.FunctionDef | cst.ClassDef) -> None:
        for decorator in node.decorators:
            decorator.visit(self)
        if node.name.value in self._names:
            self._note(node.name, is_bound=True, owner=node)

    def _open_type_parameters(self, parameters: cst.TypeParameters | None) -> None:
        if parameters is None:
            return
        self._scope = NameScope("type-parameters", self._scope)
        for item in parameters.params:
            self._stores.add(item.param.name)
        self._annotation_depth += 1
        parameters.visit(self)
        self._annotation_depth -= 1

    def _visit_outer_params(self, params: cst.Parameters) -> None:
        """Visit the parts that are evaluated in the scope around the function."""
        for param in all_params(params):
            for part in (param.annotation, param.default):
                if part is not None:
                    part.visit(self)

    def _bind_params(self, params: cst.Parameters) -> None:
        for param in all_params(params):
            if param.name.value in self._names:
                self._note(param.name, is_bound=True, owner=param)

    def _note(
        self,
        node: cst.Name,
        *,
        is_bound: bool,
        form: Form = "name",
        owner: cst.FunctionDef | cst.ClassDef | cst.Param | None = None,
    ) -> None:
        start, end = self._source.span(node)
        if is_bound:
            self._scope.bound.add(node.value)
        self.found.occurrences.append(
            Occurrence(
                name=node.value,
                start=start,
                end=end,
                scope=self._scope,
                form=form,
                owner=owner,
            )
        )


def _type_args(call: cst.Call) -> Sequence[cst.Arg]:
    """Return the arguments that are types, perhaps written as strings."""
    match _last_word(call.func):
        case "cast" | "ForwardRef":
            return call.args[:1]
        case "NewType":
            return call.args[1:2]
        case "TypeVar":
            values = call.args[1:]
            names = (None, "bound", "default")
            return [a for a in values if (a.keyword and a.keyword.value) in names]
        case _:
            return ()


def _last_word(node: cst.CSTNode) -> str:
    return (dotted_name(node) or "").rpartition(".")[2]


def all_params(params: cst.Parameters) -> Iterator[cst.Param]:
    """Yield every parameter, starred ones included."""
    yield from (*params.posonly_params, *params.params, *params.kwonly_params)
    for starred in (params.star_arg, params.star_kwarg):
        if isinstance(starred, cst.Param):
            yield starred
