"""Members and keyword arguments that the types of Python values do not have.

Names that the range or the workspace already has are left alone, and so are values
that the file asks for their type.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.added_names import Version
from redline.checks.problem import Problem
from redline.checks.project_files import SearchTimeoutError
from redline.checks.python.environment import ImportableModules, PythonEnvironment
from redline.checks.python.expression_types import ExpressionTypes
from redline.checks.python.module_types import read_module_types
from redline.checks.python.source import parse
from redline.checks.python.value_types import (
    ClassItself,
    FunctionItself,
    Instance,
    Kind,
    ModuleItself,
    TypedModule,
    TypeWorld,
)
from redline.text.whole_words import has_word

_MAY_LACK = ("hasattr", "AttributeError", "version_info")
"""Signs of a file that handles values without some members."""

_SOURCES = (".py", ".pyi")

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
                if not project.is_found(pattern, _SOURCES):
                    yield problem
        except SearchTimeoutError:
            return


def _found(
    candidate: CheckedEdit, tree: ast.Module, surroundings: ImportableModules | None
) -> Iterator[tuple[str, Problem]]:
    """Yield problems, each with what in another source would excuse it."""
    world = TypeWorld(surroundings)
    file = None if surroundings is None else surroundings.file
    here = TypedModule(read_module_types(tree), file=file)
    types = ExpressionTypes(tree, here, world)
    oldest = None if surroundings is None else surroundings.oldest_version()
    for node, scopes in types.nodes(candidate.region_after):
        match node:
            case ast.Attribute(value=value, attr=name, ctx=ast.Load()):
                used = rf"(?<![\w.]){re.escape(ast.unparse(value))}\.{name}\b"
                if name.startswith("__") or _is_known(used, candidate):
                    continue
                owner = types.of(value, scopes)
                if owner is None or _is_asked(value, candidate):
                    continue
                message = _of_member(owner, name, value, world, oldest)
                if message:
                    line = (node.end_lineno or node.lineno) - 1
                    problem = _problem("phantom-member", message, line, candidate)
                    yield _excuse(owner, name), problem
            case ast.Call(func=called, keywords=[_, *_] as keywords):
                yield from _wrong_keywords(
                    types.of(called, scopes), keywords, world, candidate
                )


def _of_member(
    owner: Kind,
    name: str,
    value: ast.expr,
    world: TypeWorld,
    oldest: Version | None,
) -> str:
    """Return what is wrong with an attribute; empty: nothing."""
    if world.lacks(owner, name):
        # Methods of a class of the file may be added by the classes that have it as a
        # base.
        is_receiver = isinstance(value, ast.Name) and value.id in ("self", "cls")
        return "" if is_receiver else f"`{_title(owner)}` has no `{name}`."
    if not isinstance(owner, Instance | ClassItself) or oldest is None:
        return ""
    place = world.entry(owner, name)
    since = getattr(place[0], "since", 0) if place else 0
    if (3, since) <= oldest:
        return ""
    return (
        f"`{_title(owner)}.{name}` is new in Python 3.{since}, and the project allows"
        f" {oldest[0]}.{oldest[1]}."
    )


def _wrong_keywords(
    called: Kind | None,
    given: list[ast.keyword],
    world: TypeWorld,
    candidate: CheckedEdit,
) -> Iterator[tuple[str, Problem]]:
    names = [one.arg for one in given]
    if called is None or None in names:
        return
    taken = _taken(called, given, world)
    if taken is None:
        return
    for keyword in given:
        name = keyword.arg or ""
        if name in taken or _is_known(rf"\b{name}\s*=", candidate):
            continue
        message = f"`{_title(called)}` takes no keyword argument `{name}`."
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


def _excuse(owner: Kind, name: str) -> str:
    """Return what in another source would make a name right."""
    is_standard = bool(owner.at.name)
    if is_standard:
        return rf"\.{name}\s*=(?!=)|setattr\([^\n]*[\"']{name}[\"']"
    return rf"\b{name}\b"


def _title(kind: Kind) -> str:
    match kind:
        case ModuleItself(name=name):
            return name
    return kind.of.name


def _is_asked(value: ast.expr, candidate: CheckedEdit) -> bool:
    """Whether the file asks what type a value has."""
    text = re.escape(ast.unparse(value))
    return bool(
        re.search(
            rf"\b(?:isinstance|issubclass|getattr|type)\(\s*{text}\b|\bmatch {text}:",
            candidate.text_after,
        )
    )


def _is_known(pattern: str, candidate: CheckedEdit) -> bool:
    return any(re.search(pattern, line) for line in candidate.old_lines)


def _problem(rule: str, message: str, line: int, candidate: CheckedEdit) -> Problem:
    return Problem(rule=rule, message=message, line=candidate.line_in_region(line))
