"""Protections that are no names and no guards: modes and parts of queries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.problem import Problem
from redline.checks.protections.changed_code import ChangedCode, squeezed, words_in
from redline.checks.protections.names import lost
from redline.checks.protections.wishes import names_most, removes, speaks_of_errors
from redline.checks.requested_changes import wants_addition

_FORMS = (
    (
        "strict mode",
        re.compile(
            r"^set\s+-(?:\w*e\w*|o\s+errexit)\b.*"
            r"|^[\"']use strict[\"']|^declare\(strict_types=1\)"
            r"|^umask\s+\d+|^trap\s.*"
        ),
        re.compile(
            r"\bset\s+-(?!x)|strict|exit|fail|trap|umask|error|mode", re.IGNORECASE
        ),
    ),
    (
        "user",
        re.compile(r"^USER\s+\S"),
        re.compile(r"\buser|root\b|privile|permi", re.IGNORECASE),
    ),
    (
        "mode of the file",
        re.compile(r"\b0o?[4-7]00\b"),
        re.compile(
            r"permi|mode\b|chmod|umask|\d00|readable|writ(?:e?able)|share|group"
        ),
    ),
)
_QUERY = re.compile(r"\b(?:SELECT|UPDATE|DELETE|INSERT)\b")
_CLAUSE = re.compile(r"\b(?:where|and)\s+(?P<rest>[^\"'`;)]+)", re.IGNORECASE)
_AND = re.compile(r"\band\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?P<column>[\w.\"`\[\]]+)\s*(?:=|<>|!=|<|>|\bis\b|\bin\b)", re.I
)
_FROM = re.compile(r"\b(?:from|update|into)\s+[\"`\[]?(?P<table>[\w.]+)", re.IGNORECASE)


def lost_forms(change: ChangedCode) -> Iterator[Problem]:
    """Yield strict modes and modes of files that are gone."""
    for what, form, topic in _FORMS:
        wish = change.instruction
        if topic.search(wish) and not wants_addition(wish):
            continue
        if any(form.search(line.text) for line in change.new.lines):
            continue
        for line in change.removed.lines:
            if form.search(line.text):
                yield lost(what, line.text)
                break


def lost_errors(change: ChangedCode) -> Iterator[Problem]:
    """Yield the errors that Go kept in a value, and that are no longer returned."""
    if change.language != "go" or speaks_of_errors(change.instruction):
        return
    for line in change.removed.lines:
        found = _KEPT_ERROR.search(line.code)
        if found is None or found["call"] in change.new.code:
            continue
        if found["owner"] in change.new.words:
            yield lost("check", line.text)
            return


_KEPT_ERROR = re.compile(
    r"^return\b[^\n]{0,200}?(?P<call>\b(?P<owner>\w++)\.(?:Err|Error)\(\))"
)


def lost_clauses(change: ChangedCode) -> Iterator[Problem]:
    """Yield conditions of queries that are gone while their tables are there."""
    is_query = change.language == "sql" or _QUERY.search(change.old.text)
    if not is_query or removes(change.instruction):
        return
    tables = [found["table"] for found in _FROM.finditer(change.old.text)]
    new = _FROM.findall(change.new.text)
    if not tables or set(tables) - set(new):
        return
    text = squeezed(change.new.text).lower()
    for line in change.removed.lines:
        for part in _parts(line.text):
            column = _COMPARED.match(part)
            if column is None or squeezed(part).lower() in text:
                continue
            names = frozenset(words_in(column["column"])[-1:])
            if not names & change.new.words and not names_most(
                change.instruction, names
            ):
                yield lost("condition", part)
                return


def _parts(text: str) -> list[str]:
    found = _CLAUSE.search(text)
    return [part.strip() for part in _AND.split(found["rest"])] if found else []
