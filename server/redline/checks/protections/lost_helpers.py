"""Calls of the file's own functions that refuse what they are given."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.protections.changed_code import (
    ChangedCode,
    CodeLine,
    owner_is_gone,
    words_in,
)
from redline.checks.protections.names import lost
from redline.checks.protections.wishes import names_one, removes, speaks_of_checks

_CALL = re.compile(
    r"(?<![\w.])(?:self\.|this\.)?(?P<name>[a-z_]\w*+)\((?P<given>[^()\n]{0,200}+)"
)
_SETTING = re.compile(
    r"(?:(?:const|let|var|val|final|auto|my)\s++)?(?P<name>[$\w]++)\s*+:?=(?!=)(?P<value>.*)"
)
_CALLED = re.compile(r"(?<!\w)(\w++)\(")
_PLAIN = frozenset(
    {"join", "joinpath", "Path", "path", "str", "format", "resolve", "concat"}
)
_REFUSES = re.compile(
    r"^[ \t]*+(?:if\b[^\n]{0,200}?[):{ ])?+(?:raise|throw|panic!?\(|bail!)",
    re.MULTILINE,
)


def lost_helpers(candidate: CheckedEdit, change: ChangedCode) -> Iterator[Problem]:
    """Yield the call of a function that raises, if what it was given is still used."""
    wish = change.instruction
    if removes(wish) or speaks_of_checks(wish):
        return
    for line in change.removed.lines:
        for found in _CALL.finditer(line.text):
            name, given = found["name"], words_in(found["given"])
            if name in change.new.words or names_one(wish, [name]) or not given:
                continue
            if len(given) > 1 and not _is_made_plainly(line, given, change):
                continue
            if given[0] not in change.new.words or owner_is_gone(change, line):
                continue
            if _is_helper(candidate, name):
                yield lost("check", line.text)
                return


def _is_made_plainly(line: CodeLine, given: list[str], change: ChangedCode) -> bool:
    """Whether what a call gave is now joined from the same values, without a check."""
    found = _SETTING.match(line.text)
    if found is None:
        return False
    values = (
        one["value"]
        for added in change.added.lines
        if (one := _SETTING.match(added.text)) and one["name"] == found["name"]
    )
    return any(
        set(given) <= set(words_in(value)) and set(_CALLED.findall(value)) <= _PLAIN
        for value in values
    )


def _is_helper(candidate: CheckedEdit, name: str) -> bool:
    """Whether a function outside of the region has the name and may raise."""
    tree = candidate.tree_before
    found = [one for one in tree.definitions if one.name == name] if tree else []
    if len(found) != 1 or found[0].first_line in candidate.region_before:
        return False
    body = candidate.before[found[0].first_line : found[0].last_line + 1]
    return _REFUSES.search("".join(body)) is not None
