"""Members and keyword arguments that the types of Python values do not have.

Also reported are statements that make a coroutine which nothing awaits. Names that the
range or the workspace already has are left alone, and so are values that the file asks
for their type, and lines with `type: ignore`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.project_files import SearchTimeoutError
from redline.checks.python.environment import ImportableModules, PythonEnvironment
from redline.checks.python.expression_types import ExpressionTypes
from redline.checks.python.member_judge import MemberJudge
from redline.checks.python.module_types import read_module_types
from redline.checks.python.scope import rebound_names
from redline.checks.python.source import parse
from redline.checks.python.value_types import (
    FunctionItself,
    Kind,
    ModuleItself,
    SeriesOf,
    TypedModule,
    TypeWorld,
)
from redline.checks.requested_changes import names_field
from redline.text.whole_words import has_word

_MAY_LACK = ("AttributeError", "version_info")
"""Signs of a file that handles values without some members."""

_SOURCES = (".py", ".pyi")
_UNAWAITED = "`{}` is a coroutine, and nothing awaits it: the statement does nothing."

_FORWARDED = {
    ("json", "dumps"): ("cls", "json", "JSONEncoder"),
    ("json", "dump"): ("cls", "json", "JSONEncoder"),
    ("json", "loads"): ("cls", "json", "JSONDecoder"),
    ("json", "load"): ("cls", "json", "JSONDecoder"),
}
"""Functions that give the other keywords to a class, which one keyword replaces."""

_ADD_ARGUMENT = frozenset(
    [
        "action",
        "nargs",
        "const",
        "default",
        "type",
        "choices",
        "required",
        "help",
        "metavar",
        "dest",
        "version",
        "deprecated",
    ]
)
"""What `add_argument` of `argparse` takes, unless `action` is a class of others."""


def check_typed_uses(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterator[Problem]:
    """Report members and keyword arguments that a type does not have."""
    if not candidate.is_python or not any(
        "." in text or "(" in text for _, text in candidate.introduced
    ):
        return
    tree = parse(candidate.text_after)
    if tree is None or any(has_word(candidate.text_after, sign) for sign in _MAY_LACK):
        return
    try:
        if environment is None:
            yield from [problem for _, problem in _found(candidate, tree, None)]
            return
        with environment.seen_from(candidate.path) as surroundings:
            found = list(_found(candidate, tree, surroundings))
    except RecursionError:
        # An expression nests too deep to walk, so its types stay unknown.
        return
    with environment.files_around(candidate.path) as project:
        try:
            for pattern, problem in found:
                if not pattern or not project.is_found(pattern, _SOURCES):
                    yield problem
        except SearchTimeoutError:
            return


def _found(
    candidate: CheckedEdit, tree: ast.Module, surroundings: ImportableModules | None
) -> Iterator[tuple[str, Problem]]:
    """Yield problems, each with what in another source would excuse it."""
    world = TypeWorld(surroundings)
    file = None if surroundings is None else surroundings.file
    here = TypedModule(read_module_types(candidate.text_after, tree), file=file)
    rebound = rebound_names(candidate.text_after)
    types = ExpressionTypes(tree, here, world, rebound=rebound)
    judge = MemberJudge(candidate, world, surroundings)
    asks_for_members = has_word(candidate.text_after, "hasattr")
    functions: set[ast.expr] = set()
    for node, scopes in types.nodes(candidate.region_after):
        match node:
            case ast.Expr(value=ast.Call(func=function) as call):
                called = types.of(function, scopes)
                if _is_unawaited(call, called, candidate):
                    line = node.lineno - 1
                    message = _UNAWAITED.format(ast.unparse(function))
                    yield "", _problem("stub", message, line, candidate)
            case ast.Call(func=function, keywords=keywords):
                functions.add(function)
                if keywords and not asks_for_members:
                    called = types.of(function, scopes)
                    yield from _wrong_keywords(called, keywords, world, candidate)
            case ast.Attribute(value=value, attr=name, ctx=ast.Load()):
                owner = None if name.startswith("__") else types.of(value, scopes)
                if owner is None or names_field(candidate.instruction, node.attr):
                    continue
                message = judge.message(owner, node, is_called=node in functions)
                line = (node.end_lineno or node.lineno) - 1
                if message and "type: ignore" not in candidate.after[line]:
                    problem = _problem("phantom-member", message, line, candidate)
                    yield judge.excuse(owner, name), problem


def _is_unawaited(call: ast.Call, called: Kind | None, candidate: CheckedEdit) -> bool:
    """Whether a statement makes a coroutine, and did not before."""
    if not isinstance(called, FunctionItself) or not called.of.is_async:
        return False
    text = ast.unparse(call.func)
    plain = rf"^\s*{re.escape(text)}\("
    return not any(re.match(plain, line) for line in candidate.old_lines)


def _wrong_keywords(
    called: Kind | None,
    given: list[ast.keyword],
    world: TypeWorld,
    candidate: CheckedEdit,
) -> Iterator[tuple[str, Problem]]:
    names = [one.arg for one in given]
    if called is None or isinstance(called, ModuleItself | SeriesOf) or None in names:
        return
    taken = _taken(called, given, world)
    if taken is None:
        return
    for keyword in given:
        name = keyword.arg or ""
        if name in taken or _is_known(rf"\b{name}\s*=", candidate):
            continue
        message = f"`{called.of.name}` takes no keyword argument `{name}`."
        line = keyword.lineno - 1
        problem = _problem("phantom-parameter", message, line, candidate)
        function = called.of.name if isinstance(called, FunctionItself) else "__init__"
        yield rf"def\s+{function}\s*\([^)]*\b{name}\b", problem


def _taken(
    called: Kind, given: list[ast.keyword], world: TypeWorld
) -> frozenset[str] | None:
    """Return the keywords that a call may have; None: any."""
    own = world.keywords(called)
    if own is not None:
        return frozenset(own)
    if not isinstance(called, FunctionItself):
        return None
    if called.at.name == "argparse" and called.of.name == "add_argument":
        action = next((one.value for one in given if one.arg == "action"), None)
        is_plain = action is None or isinstance(action, ast.Constant)
        return _ADD_ARGUMENT if is_plain else None
    forwarded = _FORWARDED.get((called.at.name, called.of.name))
    if forwarded is None or any(one.arg == forwarded[0] for one in given):
        return None
    maker = world.named(forwarded[2], called.at)
    rest = None if maker is None else world.keywords(maker)
    return None if rest is None else frozenset((*rest, *called.of.named))


def _is_known(pattern: str, candidate: CheckedEdit) -> bool:
    return any(re.search(pattern, line) for line in candidate.old_lines)


def _problem(rule: str, message: str, line: int, candidate: CheckedEdit) -> Problem:
    return Problem(rule=rule, message=message, line=candidate.line_in_region(line))
