"""`phantom-member` for modules of Python: `json.load_toml`, which `json` does not have.

Only attributes that the candidate adds of modules, or of their submodules, that the
file imports by a name that nothing else in it binds, no other module either. A module
counts only if all its names are known.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from msgspec.structs import replace

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.definition import Imported
from redline.checks.python.environment import (
    SAME_MODULE,
    ImportableModules,
    PythonEnvironment,
)
from redline.checks.python.imports import ImportJudge
from redline.checks.python.module_files import Absence
from redline.checks.python.scope import dotted_name, nodes_in
from redline.checks.python.source import parse
from redline.text.whole_words import has_word

RULE = "phantom-member"

_MAY_LACK = ("AttributeError", "sys.platform", "version_info")
"""Signs of a file that handles modules without some names."""

_ASKED = re.compile(r"\b(?:has|get)attr\(\s*(\w++)")
"""The first name in a question about an attribute."""


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
    if tree is None or any(has_word(text, sign) for sign in _MAY_LACK):
        return
    added = {
        dotted: line
        for dotted, line in _dotted_names(tree, candidate.region_after)
        if not has_word(candidate.text_before, dotted)
    }
    modules = _modules(tree, asked=set(_ASKED.findall(text))) if added else {}
    used = {
        dotted: line
        for dotted, line in added.items()
        if dotted.partition(".")[0] in modules
    }
    if not used:
        return
    with environment.seen_from(candidate.path) as surroundings:
        judge = ImportJudge(candidate, surroundings)
        for dotted, line in used.items():
            first, *names, last = dotted.split(".")
            module = _submodule(modules[first], names, surroundings)
            if module is None:
                continue
            message = judge.missing_name(replace(module, name=last))
            if message is not None:
                place = candidate.line_in_region(line)
                yield Problem(rule=RULE, message=message, line=place)


def _dotted_names(tree: ast.Module, lines: range) -> Iterator[tuple[str, int]]:
    """Yield the attributes of names in some lines, each with its line."""
    for node in nodes_in(tree, lines):
        if isinstance(node, ast.Attribute):
            dotted = dotted_name(node)
            if dotted is not None:
                yield dotted, node.lineno - 1


def _submodule(
    module: Imported, names: list[str], surroundings: ImportableModules
) -> Imported | None:
    """Return what an attribute's owner is if it is a module; else None.

    A package that binds the name of a submodule itself decides what it is.
    """
    found = surroundings.find_imported(module, surroundings.file)
    for name in names:
        if isinstance(found, Absence):
            return None
        dotted = f"{module.module}.{name}"
        source = None if dotted in SAME_MODULE else found.source
        contents = None if source is None else surroundings.contents(source)
        if contents is not None and name in contents.names:
            return None
        module = replace(module, module=dotted)
        found = surroundings.find_imported(module, surroundings.file)
    return None if isinstance(found, Absence) else module


def _modules(tree: ast.Module, *, asked: Set[str]) -> Mapping[str, Imported]:
    """Return what may be a module of the names that a file imports.

    Args:
        tree: The file.
        asked: Names that are left out.
    """
    modules: defaultdict[str, set[Imported]] = defaultdict(set)
    others = set(asked)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.partition(".")[0]
                    modules[alias.asname or top].add(
                        Imported(module=alias.name if alias.asname else top)
                    )
            case ast.ImportFrom(names=aliases, level=level):
                for alias in aliases:
                    dotted = f"{node.module or ''}.{alias.name}".lstrip(".")
                    modules[alias.asname or alias.name].add(
                        Imported(module=dotted, level=level)
                    )
            case _:
                others.update(_bound(node))
    return {
        name: found.pop()
        for name, found in modules.items()
        if len(found) == 1 and name not in others
    }


def _bound(node: ast.AST) -> tuple[str, ...]:
    """Return the name that a node binds, or to which it gives further names."""
    match node:
        case (
            ast.Name(id=name, ctx=ast.Store() | ast.Del())
            | ast.arg(arg=name)
            | ast.FunctionDef(name=name)
            | ast.AsyncFunctionDef(name=name)
            | ast.ClassDef(name=name)
            | ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
            | ast.Attribute(value=ast.Name(id=name), ctx=ast.Store())
        ):
            return (name,)
    return ()
