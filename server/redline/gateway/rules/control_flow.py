"""Decides whether control can reach the end of a Python block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import libcst as cst

from redline.gateway.rules.function_facts import is_name

End = Literal["passes", "ends", "unknown"]
"""Whether control reaches a block's end: it may, it never does, or it is unknown, since
a `with` may suppress an exception and a call may never return."""


def end_of(suite: cst.BaseSuite) -> End:
    """Return whether control reaches the end of a block."""
    ends = [_end(statement) for statement in suite.body]
    return "ends" if "ends" in ends else ends[-1]


def _end(statement: cst.CSTNode) -> End:
    match statement:
        case cst.SimpleStatementLine(body=parts):
            ends = [_end(part) for part in parts]
            return "ends" if "ends" in ends else ends[-1]
        case cst.Return() | cst.Raise():
            return "ends"
        case cst.Expr(value=cst.Call() | cst.Await()):
            return "unknown"
        case cst.If():
            return _end_of_if(statement)
        case cst.While(test=test, body=body) if is_name(test, "True"):
            return "unknown" if _has_break(body) else "ends"
        case cst.With(body=body):
            return "passes" if end_of(body) == "passes" else "unknown"
        case cst.Try() | cst.TryStar():
            return _end_of_try(statement)
        case cst.Match(cases=cases):
            return _end_of_match(cases)
        case _:
            return "passes"


def _worst(ends: Iterable[End]) -> End:
    """Return the end of a choice between blocks."""
    found = set(ends)
    if "passes" in found:
        return "passes"
    return "unknown" if "unknown" in found else "ends"


def _end_of_if(statement: cst.If) -> End:
    orelse = statement.orelse
    if orelse is None:
        return "passes"
    last = _end_of_if(orelse) if isinstance(orelse, cst.If) else end_of(orelse.body)
    return _worst([end_of(statement.body), last])


def _end_of_try(statement: cst.Try | cst.TryStar) -> End:
    if statement.finalbody and end_of(statement.finalbody.body) == "ends":
        return "ends"
    body = end_of(statement.body)
    if statement.orelse is not None and body != "ends":
        body = end_of(statement.orelse.body)
    return _worst([body, *(end_of(handler.body) for handler in statement.handlers)])


def _end_of_match(cases: Sequence[cst.MatchCase]) -> End:
    last = cases[-1]
    is_full = last.guard is None and (
        isinstance(last.pattern, cst.MatchAs) and last.pattern.pattern is None
    )
    worst = _worst(end_of(case.body) for case in cases)
    # The cases may be exhaustive without a wildcard.
    return worst if is_full or worst == "passes" else "unknown"


def _has_break(body: cst.BaseSuite) -> bool:
    finder = _BreakFinder()
    body.visit(finder)
    return finder.has_break


class _BreakFinder(cst.CSTVisitor):
    def __init__(self) -> None:
        self.has_break = False

    def visit_Break(self, node: cst.Break) -> None:
        # A break of an inner loop counts too: it only makes the answer "unknown".
        self.has_break = True
