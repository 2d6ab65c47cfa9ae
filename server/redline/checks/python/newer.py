"""`syntax` and `phantom-member` for Python that is newer than the project's.

Modules and names of modules are judged with the imports and attributes; here are the
grammar, members of built-in types, and keywords of built-in functions.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache

from redline.checks.candidate import CheckedEdit
from redline.checks.names.added_names import Version, added_names
from redline.checks.problem import Problem
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.scope import nodes_in
from redline.checks.python.source import (
    NEWER_STATEMENTS,
    parse,
    quietly,
    without_mark,
)
from redline.text.whole_words import has_word

_KEYWORDS = {
    ("dataclass", "kw_only"): (3, 10),
    ("dataclass", "slots"): (3, 10),
    ("dataclass", "weakref_slot"): (3, 11),
    ("zip", "strict"): (3, 10),
    ("map", "strict"): (3, 14),
    ("rmtree", "onexc"): (3, 12),
    ("mkdtemp", "delete"): (3, 12),
    ("NamedTemporaryFile", "delete_on_close"): (3, 12),
    ("TemporaryDirectory", "ignore_cleanup_errors"): (3, 10),
    ("TemporaryDirectory", "delete"): (3, 12),
    ("bisect", "key"): (3, 10),
    ("bisect_left", "key"): (3, 10),
    ("bisect_right", "key"): (3, 10),
    ("insort", "key"): (3, 10),
    ("glob", "root_dir"): (3, 10),
    ("glob", "include_hidden"): (3, 11),
    ("basicConfig", "encoding"): (3, 9),
    ("run", "process_group"): (3, 11),
    ("Popen", "process_group"): (3, 11),
}
_FEATURE = re.compile(
    r"(?P<what>.*?) (?:is|are) only supported in Python 3\.(?P<n>\d+)"
)
_WORD = re.compile(r"\w+")
_CHOOSING = re.compile(r"\bversion_info\b|\bhasattr\(")


def check_newer_grammar(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterator[Problem]:
    """Report grammar that the project's Python does not have."""
    oldest = _oldest(candidate, environment)
    if oldest is None:
        return
    if parse(candidate.text_after) is None:
        yield from _newer_statements(candidate, oldest)
        return
    if oldest >= sys.version_info[:2]:
        return
    error = _feature(candidate.text_after, oldest[1])
    what = _FEATURE.match(error.msg) if error else None
    if error and what and _feature(candidate.text_before, oldest[1]) is None:
        line = candidate.line_in_region((error.lineno or 1) - 1)
        yield _grammar_problem(what["what"], int(what["n"]), oldest, line)


def _newer_statements(candidate: CheckedEdit, oldest: Version) -> Iterator[Problem]:
    """Report what only a newer Python than the one that runs this can parse."""
    for line, text in candidate.introduced:
        for version, what, form in NEWER_STATEMENTS:
            is_newer = version > max(oldest, sys.version_info[:2])
            if is_newer and form.match(text) and not candidate.continues_text(line):
                what = what.capitalize()
                yield _grammar_problem(what, version[1], oldest, line)
                return


def _grammar_problem(
    what: str, minor: int, oldest: Version, line: int | None
) -> Problem:
    return Problem(
        rule="syntax",
        message=f"{what} came with Python 3.{minor}, and the project allows"
        f" 3.{oldest[1]}.",
        line=line,
    )


def check_newer_uses(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterator[Problem]:
    """Report members and keywords that the project's Python does not have."""
    words = _WORD.findall("\n".join(text for _, text in candidate.introduced))
    if _newer_names().isdisjoint(words):
        return
    tree = parse(candidate.text_after)
    if tree is None:
        return
    added = [
        (name, version, getattr(node, "lineno", 0) - 1)
        for node in nodes_in(tree, candidate.region_after)
        for name, version in _newer(node)
        if not has_word(candidate.text_before, name)
    ]
    if not added or _CHOOSING.search(candidate.text_after):
        return
    oldest = _oldest(candidate, environment)
    for name, version, line in added:
        if oldest is not None and version > oldest:
            yield Problem(
                rule="phantom-member",
                message=f"`{name}` is new in Python 3.{version[1]}, and the project"
                f" allows 3.{oldest[1]}.",
                line=candidate.line_in_region(line),
            )


def _oldest(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Version | None:
    if environment is None or not candidate.is_python:
        return None
    with environment.seen_from(candidate.path) as surroundings:
        return surroundings.oldest_version()


def _feature(text: str, minor: int) -> SyntaxError | None:
    """Return the error of a text in an old version, which it has not in this one."""
    try:
        with quietly():
            ast.parse(without_mark(text), feature_version=(3, minor))
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        pass
    return None


@cache
def _newer_names() -> frozenset[str]:
    """Return all that `_newer` may yield."""
    members = (one[1:] for one in added_names("python") if one[0] == ".")
    return frozenset((*members, *(keyword for _, keyword in _KEYWORDS)))


def _newer(node: ast.AST) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the member or the keywords of a node that newer versions added."""
    match node:
        case ast.Attribute(attr=name, value=owner):
            version = added_names("python").get(f".{name}")
            # Libraries give columns of text the methods of texts.
            if version and getattr(owner, "attr", "") != "str":
                yield name, version
        case ast.Call(func=function, keywords=keywords):
            called = str(getattr(function, "id", getattr(function, "attr", "")))
            for keyword in keywords:
                if version := _KEYWORDS.get((called, keyword.arg or "")):
                    yield f"{keyword.arg}", version
