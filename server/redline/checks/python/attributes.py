"""`phantom-member` for modules of Python: `json.load_toml`, which `json` does not have.

Only attributes that the candidate adds of modules that the file imports as a whole, by
a name that nothing else in it binds, no other module either. A module counts only if
all its names are known.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.definition import Imported
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.imports import ImportJudge
from redline.checks.python.source import parse

RULE = "phantom-member"

_MAY_LACK = re.compile(r"\bhasattr\(|\bgetattr\(|\bAttributeError\b|\bsys\.platform\b")
"""Signs of a file that asks what a module has."""


def check_attributes(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterator[Problem]:
    """Report attributes that an imported module does not have.

    Args:
        candidate: The candidate to check.
        environment: What can be imported; None: nothing is reported.
    """
    if environment is None or not any("." in line for line in candidate.new_lines):
        return
    text = candidate.text_after
    tree = parse(text)
    if tree is None or _MAY_LACK.search(text):
        return
    modules = _modules(tree)
    used = {
        (node.value.id, node.attr): node.value.lineno - 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in modules
        and node.value.lineno - 1 in candidate.region_after
    }
    if not used:
        return
    with environment.seen_from(candidate.path) as surroundings:
        judge = ImportJudge(candidate, surroundings)
        for (name, attribute), line in used.items():
            if re.search(rf"\b{name}\.{attribute}\b", candidate.text_before):
                continue
            imported = Imported(module=modules[name], name=attribute)
            message = judge.missing_name(imported)
            if message is not None:
                place = candidate.line_in_region(line)
                yield Problem(rule=RULE, message=message, line=place)


def _modules(tree: ast.Module) -> Mapping[str, str]:
    """Return the modules that a file imports as a whole, by their names in it."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    others: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.partition(".")[0]
                    modules[alias.asname or top].add(
                        alias.name if alias.asname else top
                    )
            case ast.ImportFrom(names=aliases):
                others |= {alias.asname or alias.name for alias in aliases}
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                others.add(name)
            case ast.arg(arg=name):
                others.add(name)
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                others.add(name)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                others.add(name)
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
                others.add(name)  # It gets further names.
    return {
        name: found.pop()
        for name, found in modules.items()
        if len(found) == 1 and name not in others
    }
