"""The functions and classes that a range of Python code defines."""

from __future__ import annotations

import libcst as cst
from msgspec import Struct

from redline.gateway.rules.function_facts import dotted_name
from redline.gateway.rules.python_source import PythonSource


class NodeDefinition(Struct, frozen=True, kw_only=True):
    """A function or class and the definitions around it."""

    node: cst.FunctionDef | cst.ClassDef
    owners: tuple[cst.FunctionDef | cst.ClassDef, ...]
    """The definitions around it, outermost first."""

    @property
    def is_method(self) -> bool:
        """Whether it is a function directly in a class."""
        return (
            isinstance(self.node, cst.FunctionDef)
            and bool(self.owners)
            and isinstance(self.owners[-1], cst.ClassDef)
        )

    @property
    def decorators(self) -> list[str]:
        """The dotted names of its decorators, calls without their arguments."""
        names = []
        for decorator in self.node.decorators:
            called = decorator.decorator
            if isinstance(called, cst.Call):
                called = called.func
            names.append(dotted_name(called) or "")
        return names

    def is_named(self, names: tuple[str, ...]) -> bool:
        """Whether it, or a definition around it, has one of the names, if any."""
        chain = (*self.owners, self.node)
        return not names or any(d.name.value in names for d in chain)


def header_end(node: cst.FunctionDef | cst.ClassDef, source: PythonSource) -> int:
    """Return the offset right after a definition's colon."""
    body = node.body
    if isinstance(body, cst.IndentedBlock):
        return source.span(body.header)[0]
    assert isinstance(body, cst.SimpleStatementSuite)
    return source.span(body.leading_whitespace)[0]


def definitions_in(source: PythonSource) -> list[NodeDefinition]:
    """List the definitions whose header is in the range, in their order."""
    finder = _Finder()
    source.module.visit(finder)
    return [
        found
        for found in finder.found
        if source.start <= source.span(found.node)[0]
        and header_end(found.node, source) <= source.end
    ]


class _Finder(cst.CSTVisitor):
    def __init__(self) -> None:
        self.found: list[NodeDefinition] = []
        self._owners: list[cst.FunctionDef | cst.ClassDef] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._enter(node)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._enter(node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._owners.pop()

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._owners.pop()

    def _enter(self, node: cst.FunctionDef | cst.ClassDef) -> None:
        self.found.append(NodeDefinition(node=node, owners=tuple(self._owners)))
        self._owners.append(node)
