"""The rules for Python. Loads libcst: import it only when a Python file is edited."""

from __future__ import annotations

from collections.abc import Callable

from redline.gateway.rules.constants import extract_constant
from redline.gateway.rules.docstrings import add_docstrings
from redline.gateway.rules.f_strings import use_f_strings
from redline.gateway.rules.line_rules import apply_to_lines
from redline.gateway.rules.python_case import change_case_in_python
from redline.gateway.rules.python_source import (
    Patch,
    PythonSource,
    parses,
    read_source,
)
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.gateway.rules.rename import rename
from redline.gateway.rules.ruff_fixes import apply_lint_fix, apply_ruff
from redline.gateway.rules.type_hints import add_type_hints
from redline.instructions.request import (
    ChangeCase,
    ExtractConstant,
    LineRequest,
    LintFix,
    PythonRequest,
    Rename,
    Request,
    SortLines,
)

Patches = list[Patch] | Declined


def apply_to_python(region: EditedLines, request: Request) -> Outcome:
    """Carry out one request on Python code."""
    try:
        return _apply(region, request)
    except RecursionError:
        return Declined(reason="the code is nested too deeply")


def _apply(region: EditedLines, request: Request) -> Outcome:
    match request:
        case LineRequest() | SortLines():
            return _apply_to_lines(region, request)
        case PythonRequest(rule="sort-imports" | "unused-imports" | "lint" as rule):
            return apply_ruff(region, rule)
        case PythonRequest(rule="f-strings"):
            return use_f_strings(region)
        case LintFix():
            return apply_lint_fix(region, request)
        case ChangeCase():
            return change_case_in_python(region, request)
        case _:
            return _patched(region, request)


def _patched(
    region: EditedLines, request: PythonRequest | Rename | ExtractConstant
) -> Outcome:
    source = read_source(region)
    if isinstance(source, Declined):
        return source
    patches = _patches(source, request)
    if isinstance(patches, Declined):
        return patches
    target = source.patched(patches)
    new_text = source.text[: source.start] + target + source.text[source.end :]
    if patches and not parses(new_text):
        return Declined(reason="what the rule wrote could not be parsed")
    return target


def _patches(
    source: PythonSource, request: PythonRequest | Rename | ExtractConstant
) -> Patches:
    match request:
        case Rename():
            return rename(source, request)
        case ExtractConstant():
            return extract_constant(source, request)
        case PythonRequest():
            return _BY_RULE[request.rule](source, request.names)


_BY_RULE: dict[str, Callable[[PythonSource, tuple[str, ...]], Patches]] = {
    "docstrings": add_docstrings,
    "type-hints": add_type_hints,
}


def _apply_to_lines(region: EditedLines, request: LineRequest | SortLines) -> Outcome:
    """Change lines only if the code still parses afterwards.

    Commenting out may leave a block empty, as when done by hand.
    """
    outcome = apply_to_lines(region, request)
    if isinstance(outcome, Declined) or request.rule == "comment":
        return outcome
    if _is_parsed(region) and not _is_parsed(region.with_target(outcome)):
        return Declined(reason="the code could not be parsed with its lines like that")
    return outcome


def _is_parsed(region: EditedLines) -> bool:
    return not isinstance(read_source(region), Declined)
