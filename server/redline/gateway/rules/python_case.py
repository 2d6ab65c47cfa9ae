"""Changes the case of Python names, and of text in comments and docstrings."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from redline.gateway.rules.case_rule import (
    NO_NAMES,
    TEXT_STYLES,
    change_text_case,
)
from redline.gateway.rules.function_facts import descendants
from redline.gateway.rules.name_scopes import all_params, names_in_target
from redline.gateway.rules.naming import change_case
from redline.gateway.rules.python_source import PythonSource, read_source
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.gateway.rules.rename import rename
from redline.instructions.request import CaseStyle, ChangeCase, Rename


def change_case_in_python(region: EditedLines, request: ChangeCase) -> Outcome:
    """Rename the given names, or those that the range declares; or change text."""
    source = read_source(region)
    is_text = _is_comment(region.target) or (
        isinstance(source, PythonSource) and _is_in_string(source)
    )
    if is_text and not request.names and request.style in TEXT_STYLES:
        return change_text_case(region.target, request.style)
    if isinstance(source, Declined):
        return source
    names = request.names or _declared(source, request.style)
    if not names:
        return NO_NAMES
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
    text = source.text[source.start : source.end]
    first = source.start + len(text) - len(text.lstrip())
    last = source.start + len(text.rstrip())
    nodes = descendants(source.module)
    spans = (source.span(n) for n in nodes if isinstance(n, cst.SimpleString))
    return any(start <= first and last <= end for start, end in spans)


def _declared(source: PythonSource, style: CaseStyle) -> tuple[str, ...]:
    """Return the names of the range that a style applies to: classes only for Pascal
    case, constants only for their own style."""
    if style in TEXT_STYLES or style == "kebab":
        return ()
    return tuple(
        name
        for name in dict.fromkeys(_names_bound(source, by_classes=style == "pascal"))
        if change_case(name, style) != name
        and not (name.startswith("__") or name.isupper())
    )


def _names_bound(source: PythonSource, *, by_classes: bool) -> Iterator[str]:
    """Yield the names that the range binds: those of classes, or all others."""
    for node in descendants(source.module):
        targets: list[cst.CSTNode] = []
        match node:
            case cst.ClassDef() if by_classes:
                targets = [node.name]
            case cst.FunctionDef() if not by_classes:
                targets = [node.name, *(p.name for p in all_params(node.params))]
            case cst.AssignTarget() | cst.AnnAssign() | cst.For() if not by_classes:
                targets = [node.target]
        for target in targets:
            for name in names_in_target(target):
                if source.is_inside(name):
                    yield name.value
