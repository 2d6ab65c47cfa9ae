"""Finds the literals of a range that a constant could replace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import libcst as cst

from redline.gateway.rules.function_facts import dotted_name
from redline.gateway.rules.python_source import PythonSource
from redline.gateway.rules.strings import string_value

Value = int | float | complex | str | bytes

_DECLARERS = frozenset(
    {
        "NamedTuple", "NewType", "ParamSpec", "TypeVar", "TypeVarTuple", "TypedDict",
        "cast", "namedtuple",
    }
)  # fmt: skip
"""Calls whose strings must stay literals for type checkers."""

BlockKind = Literal["module", "class", "function"]


@dataclass(frozen=True, slots=True)
class LiteralPlace:
    """A statement that contains a literal, and its block."""

    block: cst.IndentedBlock
    statement: cst.BaseStatement
    kind: BlockKind
    """The node that owns the block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLiteral:
    """A number or string in the range."""

    value: Value
    start: int
    end: int
    hint: str | None
    """The name of the parameter or variable that it is assigned to."""
    places: tuple[LiteralPlace, ...]
    """From the outermost block to the innermost."""

    @property
    def key(self) -> tuple[type, Value]:
        """Identifies equal literals: 1, 1.0 and "1" differ."""
        return type(self.value), self.value


def find_literals(source: PythonSource) -> list[FoundLiteral]:
    """List the range's literals in source order.

    Those that must stay literals are left out: docstrings, patterns, annotations, parts
    of joined strings, and values of constants.
    """
    walk = _Walk(source)
    source.module.visit(walk)
    return walk.found


class _Walk(cst.CSTVisitor):
    def __init__(self, source: PythonSource) -> None:
        self.found: list[FoundLiteral] = []
        self._source = source
        self._places: list[LiteralPlace] = []
        self._kinds: list[BlockKind] = ["module"]
        self._hints: dict[cst.CSTNode, str] = {}

    # Excluded literals

    def visit_Expr(self, node: cst.Expr) -> bool:
        return not isinstance(node.value, cst.BaseString)

    def visit_MatchCase(self, node: cst.MatchCase) -> bool:
        if node.guard is not None:
            node.guard.visit(self)
        node.body.visit(self)
        return False

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> bool:
        return False

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        return False

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        return not (dotted_name(node.value) or "").endswith("Literal")

    def visit_Call(self, node: cst.Call) -> bool:
        name = (dotted_name(node.func) or "").rpartition(".")[2]
        for arg in node.args:
            if arg.keyword is not None:
                self._hints[arg.value] = arg.keyword.value
        return name not in _DECLARERS

    def visit_Assign(self, node: cst.Assign) -> bool:
        target = node.targets[0].target
        if not isinstance(target, cst.Name):
            return True
        self._hints[node.value] = target.value
        is_constant = target.value.isupper() or target.value.startswith("__")
        return not (is_constant and self._kinds[-1] != "function")

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        if isinstance(node.target, cst.Name) and node.value is not None:
            self._hints[node.value] = node.target.value
            return not (node.target.value.isupper() and self._kinds[-1] != "function")
        return True

    def visit_Param(self, node: cst.Param) -> None:
        if node.default is not None:
            self._hints[node.default] = node.name.value

    # Places

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> bool:
        for statement in node.body:
            self._places.append(LiteralPlace(node, statement, self._kinds[-1]))
            statement.visit(self)
            self._places.pop()
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        for decorator in node.decorators:
            decorator.visit(self)
        node.params.visit(self)
        self._kinds.append("function")
        node.body.visit(self)
        self._kinds.pop()
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        for part in (*node.decorators, *node.bases, *node.keywords):
            part.visit(self)
        self._kinds.append("class")
        node.body.visit(self)
        self._kinds.pop()
        return False

    # Literals

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> bool:
        number = node.expression
        is_negative = isinstance(node.operator, cst.Minus)
        if is_negative and isinstance(number, cst.Integer | cst.Float):
            self._note(node, -number.evaluated_value)
            return False
        return True

    def visit_Integer(self, node: cst.Integer) -> None:
        self._note(node, node.evaluated_value)

    def visit_Float(self, node: cst.Float) -> None:
        self._note(node, node.evaluated_value)

    def visit_Imaginary(self, node: cst.Imaginary) -> None:
        self._note(node, node.evaluated_value)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        value = string_value(node)
        if value is not None:
            self._note(node, value)

    def _note(self, node: cst.BaseExpression, value: Value) -> None:
        if not self._source.is_inside(node):
            return
        start, end = self._source.span(node)
        self.found.append(
            FoundLiteral(
                value=value,
                start=start,
                end=end,
                hint=self._hints.get(node),
                places=tuple(self._places),
            )
        )
