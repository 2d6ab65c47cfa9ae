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
    for line in change.removed.lines:
        for part in _parts(line.text):
            column = _COMPARED.match(part)
            text = _same_statement(line.text, change)
            if column is None or squeezed(part).lower() in squeezed(text).lower():
                continue
            names = frozenset(words_in(column["column"])[-1:])
            if not names & set(words_in(text)) and not names_most(
                change.instruction, names
            ):
                yield lost("condition", part)
                return


def _same_statement(line: str, change: ChangedCode) -> str:
    """Return the new form of the statement with a line; all that is new if there are
    several of its kind and table.
    """
    old, new = map(_statements, (change.old.text, change.new.text))
    keys = [key for key, text in old if line.strip(" ;") in text]
    found = [text for key, text in new if keys == [key]]
    return found[0] if len(found) == 1 else change.new.text


def _statements(text: str) -> list[tuple[str, str]]:
    """Return what changes rows, each with its verb and table."""
    return [
        (squeezed(found[0]).lower(), one)
        for one in text.split(";")
        if (found := _CHANGES_ROWS.search(one))
    ]


_CHANGES_ROWS = re.compile(
    r"\b(?:delete\s+from|update)\s+[\"`\[]?[\w.]+", re.IGNORECASE
)


def lost_constraints(change: ChangedCode) -> Iterator[Problem]:
    """Yield constraints of columns of SQL that are gone while the columns are there."""
    wish = change.instruction
    if change.language != "sql" or removes(wish) or _OF_CONSTRAINTS.search(wish):
        return
    new = {
        found["name"].lower(): line.text
        for line in change.added.lines
        if (found := _COLUMN.match(line.text))
    }
    for line in change.removed.lines:
        found = _COLUMN.match(line.text)
        text = new.get(found["name"].lower()) if found else None
        if found is None or text is None:
            continue
        if names_most(wish, frozenset({found["name"]})):
            continue
        for constraint in _CONSTRAINT.findall(line.text):
            word = constraint.split()[0]
            apart = rf"(?i)\b{word}\b[^,;]*\b{re.escape(found['name'])}\b"
            if word.lower() not in text.lower() and not re.search(
                apart, change.new.text
            ):
                yield lost("constraint", f"{found['name']} {constraint}")
                return


_COLUMN = re.compile(
    r"[\"`\[]?(?P<name>\w++)[\"`\]]?\s++(?:\w*(?:int|serial|char|text|numeric|decimal|real"
    r"|double|float|bool|date|time|json|uuid|blob|bytea|money)\w*)\b",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"\b(?:NOT NULL|UNIQUE|PRIMARY KEY|REFERENCES \w+|CHECK(?=\s*\())", re.IGNORECASE
)
_OF_CONSTRAINTS = re.compile(
    r"null|optional|unique|duplicate|foreign|referenc|\bkey\b|check|constraint|requir"
    r"|allow|relax|mandatory|may be|can be",
    re.IGNORECASE,
)


def _parts(text: str) -> list[str]:
    found = _CLAUSE.search(text)
    return [part.strip() for part in _AND.split(found["rest"])] if found else []
