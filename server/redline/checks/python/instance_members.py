"""`phantom-member`: methods of objects of Python whose class lacks them.

The class must be read with all its bases, from the file, the workspace or what it can
import, such as `unittest.TestCase`. Names that the file used before, or that another
source of the workspace has, are not reported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.project_files import SearchTimeoutError
from redline.checks.python.attributes import RULE
from redline.checks.python.call_sites import calls_of
from redline.checks.python.callee import Callees
from redline.checks.python.definition import Class
from redline.checks.python.environment import ImportableModules, PythonEnvironment
from redline.checks.python.resolve import Home, Resolver
from redline.checks.python.scope import read_contents
from redline.checks.python.source import parse
from redline.text.whole_words import has_word

_CALL = re.compile(r"\.\s*+\w++\s*+\(")
_MAY_LACK = ("hasattr", "AttributeError", "version_info")


def check_instance_members(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterator[Problem]:
    """Report calls of methods that the object's class does not have."""
    if environment is None or not any(_CALL.search(one) for one in candidate.new_lines):
        return
    tree = parse(candidate.text_after)
    if tree is None or any(has_word(candidate.text_after, sign) for sign in _MAY_LACK):
        return
    with environment.seen_from(candidate.path) as surroundings:
        found = list(_lacking(candidate, tree, surroundings))
    with environment.files_around(candidate.path) as project:
        try:
            for owner, name, line in found:
                word = rf"\b{re.escape(name)}\b"
                if not project.is_found(word, (".py", ".pyi")):
                    yield Problem(
                        rule=RULE,
                        message=f"`{owner}` has no `{name}`.",
                        line=candidate.line_in_region(line),
                    )
        except SearchTimeoutError:
            return


def _lacking(
    candidate: CheckedEdit, tree: ast.Module, surroundings: ImportableModules
) -> Iterator[tuple[str, str, int]]:
    contents = read_contents(candidate.text_after, tree)
    home = Home(contents=contents, file=surroundings.file)
    callees = Callees(home, Resolver(surroundings))
    for site in calls_of(tree, [candidate.region_after]):
        function = site.node.func
        if not isinstance(function, ast.Attribute):
            continue
        name, line = function.attr, (function.end_lineno or function.lineno) - 1
        if line not in candidate.region_after or name.startswith("__"):
            continue
        if has_word(candidate.text_before, name):
            continue
        owner = callees.owner_without(site)
        if owner is not None and isinstance(owner.definition, Class):
            yield owner.definition.name, name, line
