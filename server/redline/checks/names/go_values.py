"""`phantom-member` in Go: members of what a package's function returns.

The value is used at once, or is a variable that its function sets once, from a function
of a package of the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets
from redline.checks.names.go_installation import (
    has_member,
    imported_text,
    returned_type,
)
from redline.checks.names.imported import imported_modules
from redline.checks.problem import Problem
from redline.syntax.language import Language

_CALL = re.compile(r"(?<![\w.)\]])(?P<package>[a-z]\w*)\.(?P<function>[A-Z]\w*)\(")
_MEMBER = re.compile(r"\.(?P<name>[A-Z]\w*)\b")
_USE = re.compile(r"(?<![\w.)\]])(?P<owner>[a-z]\w*)\.(?P<name>[A-Z]\w*)\b")


def check_go_values(
    candidate: CheckedEdit,
) -> Iterator[Problem]:
    """Report members that the type of a value does not have."""
    tree = candidate.tree_after
    if tree is None or tree.language is not Language.GO or tree.errors:
        return
    modules = {
        name: one.module
        for _, one in imported_modules(tree, candidate.text_after)
        for name in (one.module.rpartition("/")[2], *one.names)
    }
    for line, text in candidate.introduced:
        for owner, name, column in _uses(candidate, line, text):
            call = _CALL.match(owner)
            path = modules.get(call["package"]) if call else None
            if call is None or path is None or candidate.is_text(line, column):
                continue
            source = imported_text(path, None)
            kind = returned_type(source, call["function"])
            if kind and not has_member(source, kind, name):
                yield Problem(
                    rule="phantom-member",
                    message=f"`{call['package']}.{kind}` has no `{name}`.",
                    line=line,
                )


def _uses(
    candidate: CheckedEdit, line: int, text: str
) -> Iterator[tuple[str, str, int]]:
    """Yield the calls whose values have members, each with a member and its place."""
    for call in _CALL.finditer(text):
        inside = in_brackets(text, call.end() - 1)
        end = None if inside is None else call.end() + len(inside) + 1
        member = None if end is None else _MEMBER.match(text, end)
        if member:
            yield call[0], member["name"], member.start()
    for use in _USE.finditer(text):
        made = _made(candidate, line, use["owner"])
        if made:
            yield made, use["name"], use.start("name")


def _made(candidate: CheckedEdit, line: int, name: str) -> str:
    """Return the call that a variable of the function around a line is set to."""
    at = candidate.region_after.start + line
    lines = candidate.after
    start = next((n for n in range(at, -1, -1) if lines[n].startswith("func ")), None)
    if start is None:
        return ""
    stop = next((n for n in range(at, len(lines)) if lines[n].rstrip() == "}"), at)
    body = "".join(lines[start : stop + 1])
    word = re.escape(name)
    found = re.findall(rf"^\s*{word}(?:, \w+)? := (.*)", body, re.MULTILINE)
    bound = re.findall(
        rf"(?<![\w.]){word}(?:, \w{{1,60}}){{0,4}}\s{{0,4}}:?=(?!=)"
        rf"|, {word}\b[^:=\n()]{{0,80}}:?="
        rf"|\b{word} [\w.*\[\]]{{1,80}}[,)]|\b{word}, \w{{1,60}} [\w.*\[\]]"
        rf"|\b(?:var|range|const) {word}\b",
        body,
    )
    return found[0] if len(found) == len(bound) == 1 else ""
