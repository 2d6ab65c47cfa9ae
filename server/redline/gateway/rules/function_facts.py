"""Collects what the body of a Python function certainly returns, yields and raises.

Bodies of nested functions and classes are not included.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
from msgspec import Struct, field


class RaiseFact(Struct, frozen=True, kw_only=True):
    """A raise statement that can leave the function."""

    exception: str
    """The class as written: `ValueError`, `errors.Missing`."""
    guard: cst.BaseExpression | None
    """The condition of the innermost `if` around it; None: there is none."""
    is_negated: bool = False
    """Whether the condition must be false: the statement is in its `else`."""


class FunctionFacts(Struct, frozen=True, kw_only=True):
    """Returns, yields and raises of one function."""

    returns: list[cst.BaseExpression | None] = field(default_factory=list)
    """The value of each return statement, None where it has none."""
    yields: list[cst.BaseExpression | None] = field(default_factory=list)
    raises: list[RaiseFact] = field(default_factory=list)

    @property
    def is_generator(self) -> bool:
        return bool(self.yields)

    @property
    def returned(self) -> list[cst.BaseExpression]:
        """Return the returned values, without a bare `return` and `return None`."""
        return [v for v in self.returns if v is not None and not is_name(v, "None")]


def is_name(node: cst.CSTNode | None, *names: str) -> bool:
    """Whether a node is one of these bare names."""
    return isinstance(node, cst.Name) and node.value in names


def dotted_name(node: cst.CSTNode) -> str | None:
    """Return a dotted name as text; None for any other expression."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        head = dotted_name(node.value)
        return f"{head}.{node.attr.value}" if head else None
    return None


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all nodes below it, in the order in which visitors see them."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += reversed(found.children)


def read_facts(function: cst.FunctionDef) -> FunctionFacts:
    """Collect the facts of a function's own body."""
    walk = _Walk()
    function.body.visit(walk)
    return walk.facts


class _Walk(cst.CSTVisitor):
    def __init__(self) -> None:
        self.facts = FunctionFacts()
        # The conditions around the current place, and whether they must be false.
        self._guards: list[tuple[cst.BaseExpression | None, bool]] = [(None, False)]
        # The classes that the try statements around the current place catch.
        self._caught: list[frozenset[str]] = []
        # Exception classes of the surrounding handlers, and the names they are bound
        # to.
        self._handlers: list[tuple[tuple[str, ...], str | None]] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_Return(self, node: cst.Return) -> None:
        self.facts.returns.append(node.value)

    def visit_Yield(self, node: cst.Yield) -> None:
        value = node.value
        self.facts.yields.append(None if isinstance(value, cst.From) else value)

    def visit_If(self, node: cst.If) -> bool:
        node.test.visit(self)
        self._guards.append((node.test, False))
        node.body.visit(self)
        self._guards.pop()
        if isinstance(node.orelse, cst.Else):
            self._guards.append((node.test, True))
            node.orelse.visit(self)
            self._guards.pop()
        elif node.orelse is not None:
            node.orelse.visit(self)
        return False

    def visit_Try(self, node: cst.Try) -> bool:
        self._walk_try(node)
        return False

    def visit_TryStar(self, node: cst.TryStar) -> bool:
        self._walk_try(node)
        return False

    def _walk_try(self, node: cst.Try | cst.TryStar) -> None:
        caught = frozenset(name for h in node.handlers for name in caught_names(h))
        self._caught.append(caught)
        node.body.visit(self)
        self._caught.pop()
        for handler in node.handlers:
            bound = handler.name.name if handler.name else None
            name = bound.value if isinstance(bound, cst.Name) else None
            self._handlers.append((tuple(caught_names(handler)), name))
            handler.body.visit(self)
            self._handlers.pop()
        for part in (node.orelse, node.finalbody):
            if part is not None:
                part.visit(self)

    def visit_Raise(self, node: cst.Raise) -> None:
        guard, is_negated = self._guards[-1]
        for name in self._raised(node.exc):
            if self._is_caught(name):
                continue
            self.facts.raises.append(
                RaiseFact(exception=name, guard=guard, is_negated=is_negated)
            )

    def _raised(self, raised: cst.BaseExpression | None) -> tuple[str, ...]:
        """Return the classes that a raise statement names, or its handler does."""
        if isinstance(raised, cst.Call):
            raised = raised.func
        name = dotted_name(raised) if raised is not None else None
        for classes, bound in reversed(self._handlers):
            if raised is None or name == bound:
                return tuple(filter(_is_class, classes))
        return () if name is None or not _is_class(name) else (name,)

    def _is_caught(self, name: str) -> bool:
        last = name.rpartition(".")[2]
        return any(
            {"", "Exception", "BaseException", name, last} & names
            for names in self._caught
        )


def _is_class(name: str) -> bool:
    """Recognize a class by its spelling, since a variable may hold any exception."""
    last = name.rpartition(".")[2].lstrip("_")
    return last[:1].isupper() and not last.isupper()


def caught_names(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> Iterator[str]:
    """Yield the classes that a handler names; "" if it catches everything."""
    if handler.type is None:
        yield ""
        return
    caught = handler.type
    parts = (
        [e.value for e in caught.elements]
        if isinstance(caught, cst.Tuple)
        else [caught]
    )
    for part in parts:
        name = dotted_name(part)
        if name:
            yield name
