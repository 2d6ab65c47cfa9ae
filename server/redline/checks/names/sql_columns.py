"""`undefined-name`: a column of SQL that the table, which the file creates, lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.problem import Problem
from redline.syntax.word_set import word_set

CREATED = r"\bcreate\s{1,9}table\s{1,9}(?:if\s{1,9}not\s{1,9}exists\s{1,9})?"
"""What stands in front of the name of a new table."""
_CREATED = re.compile(CREATED + r"(?P<name>\w+)\s{0,9}\(", re.IGNORECASE)
_NO_ALIAS = (
    "on|where|join|inner|left|right|full|cross|outer|natural|group|order|having|set|using"
    "|limit|union|values|select|window|returning|offset|and|for|default|as"
)
_READ = re.compile(
    r"\b(?:from|join|update|into)\s{1,9}(?P<table>\w+)"
    rf"(?:\s{{1,9}}(?:as\s{{1,9}})?(?!(?:{_NO_ALIAS})\b)(?P<alias>\w+))?",
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
IMPLICIT_COLUMNS = word_set(
    "rowid oid ctid xmin xmax tableoid current_date current_time current_timestamp"
    " current_user session_user current_schema current_role local_time not exists"
    " _rowid_ null true false sys_date sys_guid utc_timestamp"
)
"""Columns that every table has, and values that look like columns."""
_MAX_STATEMENT = 2_000


def check_sql_columns(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first column, with its table or alias, that is not created."""
    if candidate.language_id != "sql":
        return
    code = candidate.code_after.lower()
    code = re.sub(r"[\"`\[\]]", " ", code)
    if re.search(r"\balter\s+table\b|\blike\s+\w+\s*\)|\binherits\b", code):
        return
    tables = created_tables(code)
    lines = code.split("\n")
    region = "\n".join(
        lines[candidate.region_after.start : candidate.region_after.stop]
    )
    owners = read_tables(region)
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
            if columns is not None and found["name"] not in columns | IMPLICIT_COLUMNS:
                yield Problem(
                    rule="undefined-name",
                    message=f"`{owners[found['owner']]}` has no column"
                    f" `{found['name']}`.",
                    line=number,
                )
                return


def created_tables(code: str) -> dict[str, set[str]]:
    """Return the columns of the tables that a text creates."""
    code = re.sub(r"[\"`']|--[^\n]*+", " ", code)
    return {
        found["name"]: {part.split()[0] for part in parts(inside)}
        for found in _CREATED.finditer(code)
        if (inside := in_brackets(code, found.end() - 1)) is not None
    }


def read_tables(code: str) -> dict[str, str]:
    """Return the tables that statements use, by their names and aliases."""
    owners: dict[str, str] = {}
    for found in _READ.finditer(code):
        table = found["table"]
        for owner in (table, found["alias"] or table):
            # One name for two tables is of two statements.
            owners[owner] = table if owners.get(owner, table) == table else ""
    return owners


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
