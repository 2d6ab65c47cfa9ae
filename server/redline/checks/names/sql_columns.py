"""`undefined-name`: a column of SQL that the table, which the file creates, lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts, without_text
from redline.checks.problem import Problem
from redline.syntax.word_set import word_set

_CREATED = re.compile(
    r"\bcreate\s{1,9}table\s{1,9}(?:if\s{1,9}not\s{1,9}exists\s{1,9})?(?P<name>\w+)\s{0,9}\(",
    re.IGNORECASE,
)
_READ = re.compile(
    r"\b(?:from|join|update)\s{1,9}(?P<table>\w+)(?:\s{1,9}(?:as\s{1,9})?(?P<alias>\w+))?",
    re.IGNORECASE,
)
_COLUMN = re.compile(r"(?<![\w.])(?P<owner>\w+)\.(?P<name>[a-z_]\w*)", re.IGNORECASE)

_CLAUSE = re.compile(
    r"\b(?:select|from|join|on|where|and|or|by|having|set|values|update|into|table"
    r"|using|returning|view|index|trigger|call|exec|grant|execute|schema)\b"
)
_OF_TABLES = word_set(
    "from join update into table view index trigger call exec grant execute schema"
    " using"
)
_MAX_STATEMENT = 2_000


def check_sql_columns(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first column, with its table or alias, that is not created."""
    if candidate.language_id != "sql":
        return
    code = without_text(candidate.text_after, "sql").lower()
    code = re.sub(r"[\"`\[\]]", " ", code)
    if re.search(r"\balter\s+table\b|\blike\s+\w+\s*\)|\binherits\b", code):
        return
    tables = {
        found["name"]: {part.split()[0] for part in parts(inside)}
        for found in _CREATED.finditer(code)
        if (inside := in_brackets(code, found.end() - 1)) is not None
    }
    lines = code.split("\n")
    region = "\n".join(
        lines[candidate.region_after.start : candidate.region_after.stop]
    )
    owners: dict[str, str] = {}
    for found in _READ.finditer(region):
        table = found["table"]
        for owner in (table, found["alias"] or table):
            # One name for two tables is of two statements.
            owners[owner] = table if owners.get(owner, table) == table else ""
    for number, _ in candidate.introduced:
        for found in _COLUMN.finditer(lines[candidate.region_after.start + number]):
            head = "\n".join(lines[: candidate.region_after.start + number])
            head += "\n" + lines[candidate.region_after.start + number][: found.start()]
            clause = _CLAUSE.findall(head[-_MAX_STATEMENT:])[-1:]
            is_column = clause and clause[0] not in _OF_TABLES
            if tables and is_column and _is_undefined(found["owner"], code, candidate):
                yield Problem(
                    rule="undefined-name",
                    message=f"No table or alias is named `{found['owner']}`.",
                    line=number,
                )
                return
            columns = tables.get(owners.get(found["owner"], ""))
            if columns is not None and found["name"] not in columns:
                yield Problem(
                    rule="undefined-name",
                    message=f"`{owners[found['owner']]}` has no column"
                    f" `{found['name']}`.",
                    line=number,
                )
                return


def _is_undefined(owner: str, code: str, candidate: CheckedEdit) -> bool:
    """Whether an owner of columns is nowhere but in front of them."""
    word = rf"(?<![\w.]){re.escape(owner)}\b"
    elsewhere = (
        rf"{word}(?!\.\w)|\b(?:from|join|update|into|table|view|references)"
        rf"\s{{1,9}}{word}"
    )
    called = rf"{word}\.\w{{1,60}}\s{{0,9}}\("
    return (
        owner not in _GIVEN
        and not owner.isdigit()
        and not re.search(elsewhere, code)
        and not re.search(called, code)
        and not re.search(word, candidate.text_before, re.IGNORECASE)
    )


_GIVEN = frozenset(
    {"new", "old", "excluded", "inserted", "deleted", "source", "target"}
)
"""Rows that statements have without naming them."""
