"""The names that an edit has made unused: they were used in its range only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.import_changes.import_statement import SCRIPTS, ImportStatement
from redline.syntax.language import Language

_KEPT = re.compile(r"noqa|eslint-disable|ts-ignore|ts-expect-error|nolint")
_LEFT_ALONE = (Language.RUST, Language.PHP)
_USED_UNSEEN = frozenset({"React", "h", "Fragment", "jsx"})
"""Names that the compiler uses for JSX."""

_ATTRIBUTE = re.compile(r"(?<!\.\.)\.\s*+$")
_DECLARED = re.compile(r"\s*+(?:=(?!=)|:)")
_DECLARES = re.compile(r"\b(?:class|const|function|let|var)$")


def unused_names(
    edit: CheckedEdit, known: Sequence[ImportStatement]
) -> Iterator[tuple[ImportStatement, set[str]]]:
    """Yield the statements that bind unused names, and those names.

    Rust's are left alone, since a trait is used without its name, and so are PHP's.
    """
    is_package = edit.path.endswith("__init__.py")
    if edit.grammar in _LEFT_ALONE or is_package or not known:
        return
    old = _names_used(edit)
    for each in known:
        if _KEPT.search(each.text) or not old & set(each.names):
            continue
        rest = [*edit.after[: each.first], *edit.after[each.end :]]
        left = set(re.findall(r"[\w$]+", "".join(rest)))
        unused = {name for name in each.names if name in old and name not in left}
        if edit.grammar in SCRIPTS:
            unused -= _USED_UNSEEN
        if unused:
            yield each, unused


def _names_used(edit: CheckedEdit) -> set[str]:
    """Return the names that the old range uses and certainly does not bind."""
    if edit.grammar is Language.PYTHON:
        return _python_names(edit)
    tree = edit.tree_before
    assert tree is not None
    used, bound = set[str](), set[str]()
    for number, line in enumerate(edit.old_lines, edit.region_before.start):
        for found in re.finditer(r"[\w$]+", line):
            if tree.in_comment_or_string(number, found.start()):
                continue
            before = line[max(found.start() - 99, 0) : found.start()]
            if _ATTRIBUTE.search(before):
                continue
            is_script = edit.grammar in SCRIPTS
            declares = is_script and _DECLARES.search(before.rstrip())
            is_type = before.rstrip().endswith(":")
            declared = is_script and not is_type and _DECLARED.match(line, found.end())
            (bound if declares or declared else used).add(found[0])
    return used - bound


def _python_names(edit: CheckedEdit) -> set[str]:
    try:
        tree = ast.parse(edit.text_before)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    used, bound = set[str](), set[str]()
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) - 1 not in edit.region_before:
            continue
        match node:
            case ast.Name(id=name, ctx=context):
                (used if isinstance(context, ast.Load) else bound).add(name)
            case ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound.add(name)
            case ast.ClassDef(name=name):
                bound.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound.add(name)
            case ast.alias(name=name, asname=alias):
                bound.add(alias or name.partition(".")[0])
    return used - bound
