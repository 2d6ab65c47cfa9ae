"""`undefined-name`: columns of SQL that no table of their statement has.

A statement is judged if all its tables are created in the file, or in a file of
SQL of the workspace, and nothing alters a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts, without_text
from redline.checks.names.calls import RULE, SUFFIXES
from redline.checks.names.sql_columns import (
    CREATED,
    IMPLICIT_COLUMNS,
    created_tables,
    read_tables,
)
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles

Tables = Mapping[str, set[str]]

_STRING = re.compile(
    r"(?P<mark>\"\"\"|'''|\"|'|`)(?P<text>(?:\\.|(?!(?P=mark))[^\\]){0,2000})(?P=mark)",
    re.DOTALL,
)
_BETWEEN = re.compile(r"[\s+.\\]*+[frbu]{0,2}+")
_STATEMENT = re.compile(r"\s*+(?:select|update|delete|insert)\b")
_INSERTED = re.compile(r"\$?\{|#\{|%\(|\+")
"""What puts other text into a statement."""
_OTHER = re.compile(
    r"\b(?:with|declare|function|procedure|trigger|returns|do|recursive|natural|using)\b"
    r"|\$\$|[@\[\]]|\b(?:from|join)\s++(?:lateral\b|only\b|\(|\w++\s*+[(.])"
    r"|\bfrom\s++\w++(?:\s++(?:as\s++)?\w++)?\s*+,"
)
"""What brings columns that the tables do not have."""
_ALTERED = r"(?i)\balter\s{1,9}table\b|\binherits\b|\badd_column\b|\bAddColumn\b"
_BEFORE = (
    r"(?:[,(=<>+*/|-]|\b(?:select|distinct|where|and|or|on|by|having|set|when|not))"
)
_PLAIN = re.compile(
    rf"{_BEFORE}\s*+(?P<name>[a-z][a-z0-9]*+_\w++)(?!\s*+[.(\w])"
    r"|\b(?:sum|avg|min|max|total)\s*+\(\s*+(?:distinct\s++)?(?P<given>[a-z]\w*+)\s*+\)"
    r"|\b(?:where|and|or|on|having|set)\s++(?P<compared>[a-z]\w*+)\s*+(?:[=<>]|!=)"
)
_STATEMENT_WORD = re.compile(r"\b(?:from|into|set)\s", re.IGNORECASE)
_SELECTED = re.compile(r"\bselect\s++(?:distinct\s++)?")
_NAMED = re.compile(r"(?P<name>[a-z]\w*+)(?:\s++as\s++\w++)?")
_INTO = re.compile(r"\binto\s++\w++\s*+(?=\()")
_SORTED = re.compile(
    r"\b(?:order|group)\s++by\s++(?P<name>[a-z]\w*+)(?=\s*+(?:$|[,)]|asc\b|desc\b|limit\b))"
)
_QUALIFIED = re.compile(
    r"(?<![\w.])(?P<owner>[a-z]\w*+)\.(?P<name>[a-z]\w*+)(?!\s*+\()"
)


def check_plain_columns(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first column that none of the tables of its statement has."""
    is_sql = candidate.language_id == "sql"
    if project is None or not candidate.introduced:
        return
    if not is_sql and not _STATEMENT_WORD.search("".join(candidate.new_lines)):
        return
    statements = _of_file(candidate) if is_sql else _of_strings(candidate)
    for statement in statements:
        owners = read_tables(statement)
        if not owners or _OTHER.search(statement):
            continue
        tables = _tables(candidate, project, set(owners.values()))
        if tables is None:
            return
        for owner, name in _lacking(statement, owners, tables):
            word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
            if word.search(candidate.text_before):
                continue
            lines = [n for n, text in candidate.introduced if word.search(text)]
            if lines:
                message = f"`{owner}` has no column `{name}`."
                yield Problem(rule=RULE, message=message, line=lines[0])
                return


def _of_file(candidate: CheckedEdit) -> Iterator[str]:
    """Yield the statements of a file of SQL that have new lines."""
    code = without_text(candidate.text_after, "sql").lower()
    new = {candidate.region_after.start + number for number, _ in candidate.introduced}
    line = 0
    for statement in code.split(";"):
        end = line + statement.count("\n")
        if not new.isdisjoint(range(line, end + 1)):
            found = re.search(r"\b(?:select|update|delete|insert)\b", statement)
            yield statement[found.start() :] if found else ""
        line = end


def _of_strings(candidate: CheckedEdit) -> Iterator[str]:
    """Yield the statements in the strings of the region."""
    text = "".join(candidate.new_lines)
    pieces: list[str] = []
    end = 0
    for found in _STRING.finditer(text):
        if pieces and not _BETWEEN.fullmatch(text[end : found.start()]):
            yield from _statement("".join(pieces))
            pieces = []
        pieces.append(found["text"])
        end = found.end()
    yield from _statement("".join(pieces))


def _statement(text: str) -> Iterator[str]:
    text = re.sub(r"'[^']*+'|--[^\n]*+", "''", text.lower()).partition(";")[0]
    if _STATEMENT.match(text) and not _INSERTED.search(text):
        yield re.sub(r"[\"`]", " ", text)


def _tables(
    candidate: CheckedEdit, project: ProjectFiles, wanted: set[str]
) -> Tables | None:
    """Return the columns of tables; None: of one they are not known."""
    sources = SUFFIXES.get(candidate.grammar, ()) if candidate.grammar else ()
    found = created_tables(candidate.text_after.lower())
    for name in wanted - found.keys():
        created = rf"(?i){CREATED}{re.escape(name)}\b"
        paths = project.declaring(name, created, (".sql",))
        if len(paths) != 1:
            return None
        found |= created_tables((project.text(paths[0]) or "").lower())
    if not wanted <= found.keys() or re.search(_ALTERED, candidate.text_after):
        return None
    return None if project.is_found(_ALTERED, (".sql", *sources)) else found


def _lacking(
    statement: str, owners: Mapping[str, str], tables: Tables
) -> Iterator[tuple[str, str]]:
    """Yield the columns that are not known, each with its tables."""
    for found in _QUALIFIED.finditer(statement):
        table = owners.get(found["owner"], "")
        if table and found["name"] not in tables[table] | IMPLICIT_COLUMNS:
            yield table, found["name"]
    own = IMPLICIT_COLUMNS.union(*(tables[one] for one in owners.values()))
    for name in _plain(statement):
        if name not in own:
            yield "`, `".join(sorted(set(owners.values()))), name


def _plain(statement: str) -> Iterator[str]:
    """Yield the columns without an owner, but for names that the statement gives."""
    aliases = (
        set(re.findall(r"\bas\s+(\w+)", statement)) | read_tables(statement).keys()
    )
    first_end = statement.find("from")
    for found in _PLAIN.finditer(statement):
        name = found[found.lastgroup or 0]
        # What is selected cannot use a name that is given beside it.
        is_selected = found["given"] and found.start() < first_end
        if is_selected or name not in aliases:
            yield name
    yield from _listed(statement)
    for found in _SORTED.finditer(statement):
        name = found["name"]
        # A name that the statement has elsewhere may be given there.
        if len(re.findall(rf"\b{name}\b", statement)) == 1:
            yield name


def _listed(statement: str) -> Iterator[str]:
    """Yield the plain names of what a statement selects first, or inserts."""
    lists = []
    if selected := _SELECTED.match(statement):
        end = re.search(r"\bfrom\b", statement)
        lists = [statement[selected.end() : end.start()]] if end else []
    lists += [
        in_brackets(statement, one.end()) or "" for one in _INTO.finditer(statement)
    ]
    for one in lists:
        named = (_NAMED.fullmatch(part) for part in parts(one))
        yield from (found["name"] for found in named if found)
