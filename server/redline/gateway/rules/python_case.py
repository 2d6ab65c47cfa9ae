"""Changes the case of Python names, and of text in comments and docstrings."""

from __future__ import annotations

import libcst as cst

from redline.gateway.rules.case_rule import change_text_case
from redline.gateway.rules.name_scopes import all_params, names_in_target
from redline.gateway.rules.naming import change_case
from redline.gateway.rules.python_source import PythonSource, read_source
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.gateway.rules.rename import rename
from redline.instructions.request import CaseStyle, ChangeCase, Rename

_TEXT_STYLES: frozenset[CaseStyle] = frozenset({"upper", "lower", "title"})


def change_case_in_python(region: EditedLines, request: ChangeCase) -> Outcome:
    """Rename the given names, or those that the range declares; or change text."""
    source = read_source(region)
    is_text = _is_comment(region.target) or (
        isinstance(source, PythonSource) and _is_in_string(source)
    )
    if is_text and not request.names and request.style in _TEXT_STYLES:
        return change_text_case(region.target, request.style)
    if isinstance(source, Declined):
        return source
    names = request.names or _declared(source, request.style)
    if not names:
        return Declined(
            reason="it cannot tell which names are meant; say for example: change"
            " `someName` to snake case"
        )
    for name in names:
        outcome = _renamed(region, name, change_case(name, request.style))
        if isinstance(outcome, Declined):
            return outcome
        region = region.with_target(outcome)
    return region.target


def _renamed(region: EditedLines, old: str, new: str) -> Outcome:
    source = read_source(region)
    if isinstance(source, Declined):
        return source
    patches = rename(source, Rename(old=old, new=new))
    return patches if isinstance(patches, Declined) else source.patched(patches)


def _is_comment(text: str) -> bool:
    lines = [line.strip() for line in text.split("\n")]
    return all(line.startswith("#") for line in lines if line)


def _is_in_string(source: PythonSource) -> bool:
    finder = _StringFinder(source)
    source.module.visit(finder)
    return finder.is_found


class _StringFinder(cst.CSTVisitor):
    def __init__(self, source: PythonSource) -> None:
        self.is_found = False
        self._source = source

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        start, end = self._source.span(node)
        text = self._source.text[self._source.start : self._source.end]
        first = self._source.start + len(text) - len(text.lstrip())
        last = self._source.start + len(text.rstrip())
        self.is_found |= start <= first and last <= end


def _declared(source: PythonSource, style: CaseStyle) -> tuple[str, ...]:
    """Return the names of the range that a style applies to: classes only for Pascal
    case, constants only for their own style."""
    finder = _NameFinder(source)
    source.module.visit(finder)
    names = finder.classes if style == "pascal" else finder.others
    if style in _TEXT_STYLES or style == "kebab":
        return ()
    return tuple(
        name
        for name in dict.fromkeys(names)
        if change_case(name, style) != name
        and not (name.startswith("__") or name.isupper())
    )


class _NameFinder(cst.CSTVisitor):
    def __init__(self, source: PythonSource) -> None:
        self.classes: list[str] = []
        self.others: list[str] = []
        self._source = source

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        if self._source.is_inside(node.name):
            self.classes.append(node.name.value)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._note(node.name)
        for param in all_params(node.params):
            self._note(param.name)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._note(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._note(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._note(node.target)

    def _note(self, target: cst.CSTNode) -> None:
        for name in names_in_target(target):
            if self._source.is_inside(name):
                self.others.append(name.value)
