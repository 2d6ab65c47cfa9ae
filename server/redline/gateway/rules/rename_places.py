"""Checks of the places to change, shared by all kinds of rename."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import libcst as cst

from redline.gateway.rules.name_scopes import names_in_target
from redline.gateway.rules.python_source import PythonSource
from redline.gateway.rules.region import Declined

Span = tuple[int, int]


def spans_outside(
    source: PythonSource, name: str, spans: Iterable[Span]
) -> Declined | None:
    """Decline if one of the places to rename is not in the range."""
    for start, end in sorted(spans):
        if not source.start <= start <= end <= source.end:
            line = source.line_number(start)
            return Declined(
                reason=f"`{name}` is also used in line {line}, outside the range;"
                " select all of its uses, or the whole file"
            )
    return None


def strings_in_lists(
    source: PythonSource, name: str, lists: Collection[str]
) -> list[Span]:
    """Find a name as a string in a list of names such as `__all__`."""
    finder = _ListFinder(name, lists)
    source.module.visit(finder)
    spans = []
    for node in finder.found:
        start, end = source.span(node)
        n_quotes = len(node.quote)
        spans.append((start + len(node.prefix) + n_quotes, end - n_quotes))
    return spans


class _ListFinder(cst.CSTVisitor):
    def __init__(self, name: str, lists: Collection[str]) -> None:
        self.found: list[cst.SimpleString] = []
        self._name = name
        self._lists = lists
        self._is_in_list = False

    def visit_Assign(self, node: cst.Assign) -> bool:
        return self._enter([target.target for target in node.targets])

    def leave_Assign(self, original_node: cst.Assign) -> None:
        self._is_in_list = False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        return self._enter([node.target])

    def leave_AnnAssign(self, original_node: cst.AnnAssign) -> None:
        self._is_in_list = False

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        return self._enter([node.target])

    def leave_AugAssign(self, original_node: cst.AugAssign) -> None:
        self._is_in_list = False

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        if self._is_in_list and node.raw_value == self._name:
            self.found.append(node)

    def _enter(self, targets: list[cst.BaseExpression]) -> bool:
        names = {n.value for target in targets for n in names_in_target(target)}
        self._is_in_list = bool(names & set(self._lists))
        return self._is_in_list
