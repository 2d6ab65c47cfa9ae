"""`compile-error` in Python: classes that lack an abstract method of a base.

Such a class cannot be instantiated. Judged are classes whose bases the file declares.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.source import parse

_OUTER = frozenset({"ABC", "abc.ABC", "object", "Generic", "Protocol"})
_MAX_N_BASES = 20


def check_abstract_members(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report what no class lacked before."""
    if "abstractmethod" not in candidate.text_after:
        return
    if "abstract" in candidate.instruction.lower():
        return  # The classes are written afterwards.
    found = list(_lacking(candidate.text_after))
    known = set(_lacking(candidate.text_before)) if found else set()
    for name, member, base in found:
        if (name, member, base) not in known:
            yield Problem(
                rule="compile-error",
                message=f"`{name}` lacks `{member}`, which is abstract in `{base}`.",
            )


def _lacking(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield a class, the method that it lacks, and the base that demands it."""
    tree = parse(text)
    nodes = [one for one in tree.body if isinstance(one, ast.ClassDef)] if tree else []
    classes = {one.name: one for one in nodes}
    for one in nodes:
        bases = _bases(one, classes)
        if not bases or any(_abstract(one)):
            continue
        own = {name for each in (one, *bases) for name in _concrete(each)}
        for base in bases:
            for member in _abstract(base):
                if member not in own:
                    yield one.name, member, base.name


def _bases(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> list[ast.ClassDef]:
    """Return the bases and theirs; none if the file does not declare one."""
    found: list[ast.ClassDef] = []
    waiting = list(node.bases)
    while waiting and len(found) < _MAX_N_BASES:
        written = ast.unparse(waiting.pop()).partition("[")[0]
        if written in _OUTER:
            continue
        if written not in classes:
            return []
        found.append(classes[written])
        waiting.extend(classes[written].bases)
    return found


def _abstract(node: ast.ClassDef) -> Iterator[str]:
    for one in node.body:
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            ast.unparse(each).endswith("abstractmethod") for each in one.decorator_list
        ):
            yield one.name


def _concrete(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names that the body of a class sets."""
    abstract = set(_abstract(node))
    for one in node.body:
        if isinstance(one, ast.Assign):
            yield from (each.id for each in one.targets if isinstance(each, ast.Name))
        elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id
        elif (name := getattr(one, "name", "")) and name not in abstract:
            yield name
