"""Infers facts about parameter types from a function's body."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from redline.gateway.rules.function_facts import dotted_name, is_name


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterUses:
    """Facts by parameter name."""

    asserted: dict[str, str] = field(default_factory=dict)
    """The class that the first statements of the body require."""
    filled: dict[str, cst.BaseExpression] = field(default_factory=dict)
    """The value that the body substitutes for None."""
    doubted: set[str] = field(default_factory=set)
    """Parameters compared with None or checked by `isinstance` anywhere in the body."""


def read_uses(function: cst.FunctionDef) -> ParameterUses:
    """Read a function's checks of its parameters."""
    uses = ParameterUses()
    for statement in function.body.body:
        if not _reads_check(statement, uses):
            break
    finder = _DoubtFinder(uses.doubted)
    function.body.visit(finder)
    return uses


def _reads_check(statement: cst.CSTNode, uses: ParameterUses) -> bool:
    """Read a check at the start of a body; return false for any other statement."""
    match statement:
        # assert isinstance(name, ...)
        case cst.SimpleStatementLine(body=[cst.Assert(test=test)]):
            _note_class(test, uses)
        # A docstring.
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString())]):
            pass
        # if not isinstance(name, ...): raise ...
        case cst.If(
            test=cst.UnaryOperation(operator=cst.Not(), expression=test),
            body=cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Raise()])]),
            orelse=None,
        ):
            _note_class(test, uses)
        # if name is None: name = value
        case cst.If(
            test=cst.Comparison(
                left=cst.Name(value=name),
                comparisons=[
                    cst.ComparisonTarget(
                        operator=cst.Is(), comparator=cst.Name(value="None")
                    )
                ],
            ),
            body=cst.IndentedBlock(
                body=[
                    cst.SimpleStatementLine(
                        body=[
                            cst.Assign(
                                targets=[cst.AssignTarget(target=target)], value=value
                            )
                        ]
                    )
                ]
            ),
            orelse=None,
        ) if is_name(target, name):
            uses.filled.setdefault(name, value)
        case _:
            return False
    return True


def _note_class(test: cst.BaseExpression, uses: ParameterUses) -> None:
    match test:
        case cst.Call(
            func=cst.Name(value="isinstance"),
            args=[cst.Arg(value=cst.Name(value=name)), cst.Arg(value=checked)],
        ):
            class_name = dotted_name(checked)
            if class_name is not None:
                uses.asserted.setdefault(name, class_name)


class _DoubtFinder(cst.CSTVisitor):
    def __init__(self, doubted: set[str]) -> None:
        self._doubted = doubted

    def visit_Comparison(self, node: cst.Comparison) -> None:
        for target in node.comparisons:
            if is_name(target.comparator, "None") and isinstance(node.left, cst.Name):
                self._doubted.add(node.left.value)

    def visit_Call(self, node: cst.Call) -> None:
        if is_name(node.func, "isinstance", "type", "callable", "hasattr"):
            for arg in node.args[:1]:
                if isinstance(arg.value, cst.Name):
                    self._doubted.add(arg.value.value)
