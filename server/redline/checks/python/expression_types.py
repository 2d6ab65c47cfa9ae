"""The types of the expressions of one file of Python, in their scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import cached_property

from msgspec import Struct

from redline.checks.python.bound_names import (
    SCOPES,
    ScopeNode,
    bound_names,
    place_in_target,
)
from redline.checks.python.module_types import (
    Callable,
    ClassType,
    ImportedName,
    ModuleTypes,
    imported_names,
    last_name,
    simple_type,
)
from redline.checks.python.scope import (
    FunctionNode,
    statements,
    touches,
)
from redline.checks.python.series_types import loop_type, taken_type
from redline.checks.python.value_types import (
    ClassItself,
    FunctionItself,
    Instance,
    Kind,
    TypedModule,
    TypeWorld,
)

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.Div: "__truediv__",
    ast.FloorDiv: "__floordiv__",
}
_LITERALS: tuple[tuple[type[ast.expr], str], ...] = (
    (ast.Dict, "dict"),
    (ast.DictComp, "dict"),
    (ast.List, "list"),
    (ast.ListComp, "list"),
    (ast.Set, "set"),
    (ast.SetComp, "set"),
    (ast.JoinedStr, "str"),
    (ast.Tuple, "tuple"),
)


class Scope(Struct, frozen=True, eq=False):
    """A function, with the class that it is a method of, or the body of a class."""

    node: ScopeNode
    owner: ast.ClassDef | None = None


Scopes = tuple[Scope, ...]
"""Outermost first."""

NEUTRAL = "neutral"
"""What is None, or is being asked for: it has no say in the type of a name."""
_Found = Kind | str | None


class ExpressionTypes:
    """Types of the expressions of a file."""

    def __init__(
        self,
        tree: ast.Module,
        here: TypedModule,
        world: TypeWorld,
        *,
        rebound: Set[str],
    ) -> None:
        """Read a file.

        Args:
            tree: The file.
            here: The types of its names.
            world: What other names mean.
            rebound: Names that a function sets outside of itself.
        """
        self._rebound = rebound
        self._tree = tree
        self._here = here
        self._world = world
        self._known: dict[tuple[int, str, int], _Found] = {}
        self._bound: dict[int, dict[str, list[ast.AST]]] = {}

    def nodes(self, lines: range) -> Iterator[tuple[ast.AST, Scopes]]:
        """Yield the nodes in some lines, each with its scopes."""
        waiting: list[tuple[ast.AST, Scopes]] = [(self._tree, ())]
        while waiting:
            node, scopes = waiting.pop()
            if isinstance(node, ast.stmt) and not touches(node, lines):
                continue
            if getattr(node, "lineno", 0) - 1 in lines:
                yield node, scopes
            body, inner = _body(node), scopes
            if isinstance(node, SCOPES):
                inner = (*_outside_classes(scopes), Scope(node, _owner(scopes)))
            for child in ast.iter_child_nodes(node):
                waiting.append((child, inner if child in body else scopes))

    def of(self, node: ast.expr, scopes: Scopes) -> Kind | None:
        """Return the type of an expression; None if it is not known."""
        found = self._of(node, scopes)
        return None if isinstance(found, str) else found

    def _of(self, node: ast.expr, scopes: Scopes) -> _Found:
        match node:
            case ast.Name():
                return self._name(node, scopes)
            case ast.Constant(value=None):
                return NEUTRAL
            case ast.Constant(value=str() | bytes() as value):
                return self._builtin(type(value).__name__)
            case ast.Attribute(value=value, attr=name):
                owner = self.of(value, scopes)
                return owner and self._world.member(owner, name)
            case ast.Subscript() | ast.Call() if taken := self._taken(node, scopes):
                return taken
            case ast.Call():
                return self._called(node, scopes)
            case ast.Await(value=ast.Call(func=called)):
                maker = self.of(called, scopes)
                return maker and self._world.awaited(maker)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._operation(left, operator, right, scopes)
        if options := _options(node):
            return same([self._of(one, scopes) for one in options])
        name = next((name for form, name in _LITERALS if isinstance(node, form)), "")
        return self._builtin(name) if name else None

    def _called(self, node: ast.Call, scopes: Scopes) -> Kind | None:
        maker = self.of(node.func, scopes)
        if isinstance(maker, FunctionItself) and maker.at.name == "argparse":
            return self._of_argparse(maker, node)
        return maker and self._world.called(maker)

    def _of_argparse(self, maker: FunctionItself, call: ast.Call) -> Kind | None:
        """Return what a method gives; parsers of subcommands are of the same class."""
        owner = maker.owner
        is_own = not isinstance(owner, Instance) or owner.at.name != maker.at.name
        if is_own or any(one.arg == "parser_class" for one in call.keywords):
            return None
        if maker.of.name == "add_parser":
            return self._world.annotated("ArgumentParser", maker.at)
        return self._world.called(maker)

    def _taken(self, node: ast.expr, scopes: Scopes) -> Kind | None:
        return taken_type(self._world, node, lambda one: self.of(one, scopes))

    def _builtin(self, name: str) -> Kind | None:
        source = self._world.source(
            ImportedName("builtins"), TypedModule(ModuleTypes({}))
        )
        return None if source is None else self._world.annotated(name, source)

    def _operation(
        self, left: ast.expr, operator: ast.operator, right: ast.expr, scopes: Scopes
    ) -> Kind | None:
        owner = self.of(left, scopes)
        other = self.of(right, scopes)
        if not isinstance(owner, Instance):
            return None
        place = self._world.entry(owner, _OPERATORS.get(type(operator), ""))
        if place is None:
            return None
        function, at = place
        if not isinstance(function, Callable):
            return None
        is_builtin = isinstance(other, Instance) and other.at.name == "builtins"
        if not function.by_argument:
            # The other operand may decide, if it is a class of others.
            is_own = at.name != "builtins" or is_builtin
            return (
                self._world.annotated(function.returns, at, owner) if is_own else None
            )
        if not isinstance(other, Instance):
            return None
        for kind, returns in function.by_argument.items():
            wanted = self._world.annotated(kind, at, owner)
            if isinstance(wanted, Instance) and wanted.of == other.of:
                return self._world.annotated(returns, at, owner)
        return None

    def _name(self, node: ast.Name, scopes: Scopes) -> _Found:
        name = node.id
        for at in reversed(range(len(scopes))):
            scope = scopes[at]
            bound = self._bindings(scope.node)
            if name not in bound:
                continue
            valid = _valid_at(
                node, bound[name], scope.node, is_inside=at < len(scopes) - 1
            )
            key = (id(scope.node), name, len(valid))
            if key not in self._known:
                self._known[key] = NEUTRAL
                found = [self._binding(one, name, scopes[: at + 1]) for one in valid]
                self._known[key] = same(found)
            return self._known[key]
        if name in self._rebound:
            return None
        return self._world.named(name, self._here)

    def _bindings(self, node: ScopeNode) -> dict[str, list[ast.AST]]:
        if id(node) not in self._bound:
            found: dict[str, list[ast.AST]] = {}
            for name, binding in bound_names(node):
                found.setdefault(name, []).append(binding)
            self._bound[id(node)] = found
        return self._bound[id(node)]

    def _binding(self, node: ast.AST, name: str, scopes: Scopes) -> _Found:
        """Return the type that one binding of a name gives it."""
        match node:
            case ast.Import() | ast.ImportFrom():
                return self._world.imported(
                    dict(imported_names(node))[name], self._here
                )
            case ast.arg():
                return self._parameter(node, scopes)
            case ast.Assign(value=value):
                return self._of(value, scopes)
            case ast.AnnAssign(annotation=annotation):
                return self._annotated(annotation, scopes)
            case ast.withitem(context_expr=value):
                owner = self.of(value, scopes)
                enter = owner and self._world.member(owner, "__enter__")
                return enter and self._world.called(enter)
            case ast.NamedExpr(value=value):
                return self._of(value, scopes)
            case (
                ast.For(target=target, iter=series)
                | ast.comprehension(target=target, iter=series)
            ):
                place = place_in_target(target, name)
                return loop_type(
                    self._world, series, place, lambda one: self.of(one, scopes)
                )
        return None

    def _parameter(self, node: ast.arg, scopes: Scopes) -> Kind | None:
        scope = scopes[-1]
        if not isinstance(scope.node, FunctionNode):
            return None
        arguments = scope.node.args
        if node is arguments.vararg or node is arguments.kwarg:
            return None
        if node.annotation is not None:
            return self._annotated(node.annotation, scopes[:-1])
        first = next(iter((*arguments.posonlyargs, *arguments.args)), None)
        if scope.owner is not None and node is first:
            return self._receiver(scope.node, scope.owner)
        is_test = scope.node.name.startswith("test") or _is_fixture(scope.node)
        return self._fixture(node.arg) if is_test else None

    def _receiver(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.ClassDef
    ) -> Kind | None:
        found = self._here.types.entries.get(owner.name)
        names = [last_name(one) for one in node.decorator_list]
        if not isinstance(found, ClassType) or owner not in self._top_statements:
            return None
        if "staticmethod" in names or node.name in ("__new__", "__init_subclass__"):
            return None
        is_class = "classmethod" in names
        return (ClassItself if is_class else Instance)(found, self._here)

    def _fixture(self, name: str) -> Kind | None:
        """Return what a fixture of the file gives to a test."""
        for node in self._tree.body:
            if isinstance(node, FunctionNode) and node.name == name:
                if not _is_fixture(node):
                    return None
                if node.returns is not None:
                    return self._annotated(node.returns, ())
                given = [
                    self._of(one.value, (Scope(node),))
                    for one in ast.walk(node)
                    if isinstance(one, ast.Return | ast.Yield) and one.value
                ]
                found = same(given)
                return None if isinstance(found, str) else found
        return None

    def _annotated(self, annotation: ast.expr, scopes: Scopes) -> Kind | None:
        kind = simple_type(annotation)
        first = kind.partition(".")[0]
        if any(first in self._bindings(one.node) for one in scopes):
            return None
        return self._world.annotated(kind, self._here)

    @cached_property
    def _top_statements(self) -> frozenset[ast.stmt]:
        """The statements of the module, those in blocks included."""
        return frozenset(statements(self._tree.body))


def _valid_at(
    use: ast.Name, bindings: list[ast.AST], scope: ScopeNode, *, is_inside: bool
) -> list[ast.AST]:
    """Return the bindings of a name without those that another value has replaced.

    A statement of the function itself, in no block, always runs before those below it.

    Args:
        use: The name where it is read.
        bindings: All that set it in the scope.
        scope: The scope.
        is_inside: Whether it is read in another scope inside, maybe later.
    """
    if len(bindings) == 1 or not isinstance(scope, FunctionNode):
        return bindings
    replaced = [
        one.lineno
        for one in scope.body
        if one in bindings
        and isinstance(one, ast.Assign)
        and (one.end_lineno or one.lineno) < use.lineno
    ]
    last = max(replaced, default=0)
    later = [one for one in scope.body if one in bindings and _follows(one, use)]
    return [
        one
        for one in bindings
        if getattr(one, "lineno", last) >= last and (is_inside or one not in later)
    ]


def _follows(statement: ast.stmt, use: ast.Name) -> bool:
    """Whether a statement sets a name after it was read, maybe by itself."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    end = (statement.end_lineno or 0, statement.end_col_offset or 0)
    return end > (use.lineno, use.col_offset)


def _options(node: ast.expr) -> list[ast.expr]:
    """Return the expressions of which one is the value of another."""
    match node:
        case ast.NamedExpr(value=value):
            return [value]
        case ast.BoolOp(values=values):
            return values
        case ast.IfExp(body=body, orelse=other):
            return [body, other]
    return []


def same(found: list[_Found]) -> _Found:
    """Return the type that all have."""
    kinds = [one for one in found if one != NEUTRAL]
    if not kinds:
        return NEUTRAL if found else None
    first = kinds[0]
    if all(one == first for one in kinds):
        return first
    if isinstance(first, Instance):
        plain = Instance(first.of, first.at)
        if all(_is_of(one, plain) for one in kinds):
            return plain
    return None


def _is_of(kind: _Found, plain: Instance) -> bool:
    """Whether a type is that of an object, whatever its elements are."""
    return isinstance(kind, Instance) and kind.of == plain.of and kind.at == plain.at


def _body(node: ast.AST) -> set[ast.AST]:
    """Return the nodes that see the names of a scope that a node makes."""
    match node:
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            return set(body)
        case ast.ClassDef(body=body):
            return set(body)
        case ast.Lambda(body=value):
            return {value}
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return set(ast.iter_child_nodes(node))
    return set()


def _outside_classes(scopes: Scopes) -> Scopes:
    """Return the scopes that a new one sees: functions do not see a class's names."""
    return tuple(one for one in scopes if not isinstance(one.node, ast.ClassDef))


def _owner(scopes: Scopes) -> ast.ClassDef | None:
    last = scopes[-1].node if scopes else None
    return last if isinstance(last, ast.ClassDef) else None


def _is_fixture(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(last_name(one) == "fixture" for one in node.decorator_list)
