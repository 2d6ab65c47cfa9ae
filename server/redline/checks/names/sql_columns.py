"""`undefined-name`: a column of SQL that the table, which the file creates, lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts, without_text
from redline.checks.problem import Problem

_CREATED = re.compile(
    r"\bcreate\s{1,9}table\s{1,9}(?:if\s{1,9}not\s{1,9}exists\s{1,9})?(?P<name>\w+)\s{0,9}\(",
    re.IGNORECASE,
)
_READ = re.compile(
    r"\b(?:from|join|update)\s{1,9}(?P<table>\w+)(?:\s{1,9}(?:as\s{1,9})?(?P<alias>\w+))?",
    re.IGNORECASE,
)
_COLUMN = re.compile(r"(?<![\w.])(?P<owner>\w+)\.(?P<name>[a-z_]\w*)", re.IGNORECASE)


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
            columns = tables.get(owners.get(found["owner"], ""))
            if columns is not None and found["name"] not in columns:
                yield Problem(
                    rule="undefined-name",
                    message=f"`{owners[found['owner']]}` has no column"
                    f" `{found['name']}`.",
                    line=number,
                )
                return
