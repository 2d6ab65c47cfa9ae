"""The rule `phantom-parameter`: arguments that a function does not accept, or lacks.

Functions, methods and classes of the file, the workspace and its environment are read
from source. A call is checked if the candidate wrote it, or if the candidate changed
its target in the same file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

from msgspec import Struct

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.call_sites import CallSite, calls_of
from redline.checks.python.callee import Callee, Callees
from redline.checks.python.environment import ImportableModules, PythonEnvironment
from redline.checks.python.resolve import Home, Resolver
from redline.checks.python.scope import FunctionNode, overlap, read_contents, touching
from redline.checks.python.source import parse
from redline.checks.python.versions import versioned_lines

RULE = "phantom-parameter"

_DEFINITION = re.compile(
    r"\s*+(?:(?:async\s++)?(?:def|class)\b|\w++[ \t]*+:[ \t]*+[^\s=])"
)
"""What begins a definition, or is a field of a class."""

_MAX_CALLERS = 100
"""Most lines outside of the region that are checked for a changed definition."""

_MAX_NAMED = 8
"""Most parameters that a message lists."""


def check_parameters(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterator[Problem]:
    """Report arguments that the called function does not accept.

    Args:
        candidate: The candidate to check.
        environment: What can be imported; None: only definitions of the file itself
            are known.
    """
    if not candidate.is_python or not any(
        "(" in line or _DEFINITION.match(line) for line in candidate.new_lines
    ):
        return
    tree = parse(candidate.text_after)
    if tree is None:
        return
    if environment is None:
        yield from _problems(candidate, tree, None)
        return
    with environment.seen_from(candidate.path) as surroundings:
        yield from _problems(candidate, tree, surroundings)


class _Refused(Struct, frozen=True, kw_only=True):
    """An argument that is not accepted."""

    call: str
    """The called expression as written."""

    what: str
    """The keyword; `*` for positional arguments."""

    line: int
    """Counted from 0."""

    message: str

    @property
    def key(self) -> tuple[str, str]:
        return self.call, self.what


def _problems(
    candidate: CheckedEdit, tree: ast.Module, surroundings: ImportableModules | None
) -> list[Problem]:
    after = _File(candidate.text_after, tree, surroundings)
    region = candidate.region_after
    refused = [one for one in after.refused(region) if one.line in region]
    if any(_DEFINITION.match(line) for line in candidate.new_lines):
        refused += after.refused_elsewhere(region)
    if not refused:
        return []
    refused.sort(key=lambda one: one.line)
    versioned = versioned_lines(tree)
    known: set[tuple[str, str]] = set()
    if (old_tree := parse(candidate.text_before)) is not None:
        before = _File(candidate.text_before, old_tree, surroundings)
        known = {one.key for one in before.refused(None)}
    return [
        _problem(candidate, one)
        for one in refused
        if one.key not in known and one.line not in versioned
    ]


def _problem(candidate: CheckedEdit, refused: _Refused) -> Problem:
    line = candidate.line_in_region(refused.line)
    message = refused.message
    if line is None:
        message = f"in line {refused.line + 1} of the file, {message}"
    return Problem(rule=RULE, message=message, line=line)


class _File:
    """The calls of a file, checked."""

    def __init__(
        self, text: str, tree: ast.Module, surroundings: ImportableModules | None
    ) -> None:
        self._tree = tree
        self._text = text
        self._home = Home(
            contents=read_contents(text, tree),
            file=None if surroundings is None else surroundings.file,
        )
        self._all = Callees(self._home, Resolver(surroundings))
        self._local = Callees(self._home, Resolver(None))

    def refused(self, lines: range | None) -> Iterator[_Refused]:
        """Yield rejected arguments of calls that touch some lines; None: any line."""
        for site in calls_of(self._tree, lines):
            has_arguments = site.node.args or site.node.keywords
            callee = self._all.callee(site) if has_arguments else None
            if callee is not None:
                yield from _refused(site.node, callee)

    def refused_elsewhere(self, region: range) -> Iterator[_Refused]:
        """Yield rejected arguments of calls outside a region to definitions in it."""
        lines = set(self._lines_of_callers(region))
        for site in calls_of(self._tree, lines):
            if site.node.lineno - 1 in lines:
                yield from self._refused_by_changed(site, region)

    def _refused_by_changed(self, site: CallSite, region: range) -> Iterator[_Refused]:
        callee = self._local.callee(site)
        if callee is None or callee.found.home is not self._home:
            return
        if overlap(callee.found.definition.lines, region):
            found = _refused(site.node, callee)
            yield from (one for one in found if one.line not in region)

    def _lines_of_callers(self, region: range) -> list[int]:
        """Return lines, up to a limit, that may call definitions of a region."""
        found: set[int] = set()
        for name in _defined_in(self._tree, region):
            # A search for a plain word is much faster than one for its borders.
            for call in re.finditer(rf"{name}[^\S\n]*+\(", self._text):
                before = self._text[max(0, call.start() - 1) : call.start()]
                if not (before.isalnum() or before == "_"):
                    found.add(self._text.count("\n", 0, call.start()))
        return sorted(found.difference(region))[:_MAX_CALLERS]


def _defined_in(tree: ast.Module, region: range) -> set[str]:
    """Return the names of functions and classes that touch a region."""
    return {
        node.name
        for node in touching(tree, region)
        if isinstance(node, FunctionNode | ast.ClassDef)
    }


def _refused(call: ast.Call, callee: Callee) -> Iterator[_Refused]:
    excess = list(_excess(call, callee))
    yield from excess or _missing(call, callee)


def _excess(call: ast.Call, callee: Callee) -> Iterator[_Refused]:
    signature = callee.signature
    for keyword in call.keywords:
        if keyword.arg is None or signature.takes_keyword(keyword.arg):
            continue
        yield _Refused(
            call=ast.unparse(call.func),
            what=keyword.arg,
            line=keyword.lineno - 1,
            message=_keyword_message(callee, keyword.arg),
        )
    is_counted = not any(isinstance(a, ast.Starred) for a in call.args)
    if is_counted and not signature.takes_positional(len(call.args)):
        n_taken = signature.n_positional
        yield _Refused(
            call=ast.unparse(call.func),
            what="*",
            line=call.args[n_taken].lineno - 1,
            message=f"`{callee.name}` takes at most {n_taken} arguments by position,"
            f" and {len(call.args)} are given.",
        )


def _missing(call: ast.Call, callee: Callee) -> Iterator[_Refused]:
    names = {keyword.arg for keyword in call.keywords}
    if None in names or any(isinstance(one, ast.Starred) for one in call.args):
        return
    missing = callee.signature.missing(len(call.args), names)
    if missing:
        yield _Refused(
            call=ast.unparse(call.func),
            what=f"without {missing[0]}",
            line=call.lineno - 1,
            message=f"`{callee.name}` needs the argument `{missing[0]}`.",
        )


def _keyword_message(callee: Callee, name: str) -> str:
    signature = callee.signature
    if name in signature.positional_only:
        return f"`{callee.name}` takes `{name}` by position only."
    taken = signature.keywords
    close = get_close_matches(name, taken, n=1)
    if close:
        rest = f"; did you mean `{close[0]}`?"
    elif not taken:
        rest = "; it takes none by keyword."
    elif len(taken) <= _MAX_NAMED:
        rest = "; it takes " + ", ".join(f"`{one}`" for one in taken) + "."
    else:
        rest = "."
    return f"`{callee.name}` takes no argument `{name}`{rest}"
