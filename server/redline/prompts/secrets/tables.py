"""Finds the values of tables whose column is named like a secret.

The names are in a heading, and no line of values has one: files of separated values,
tables of Markdown, `INSERT` and `COPY` of SQL, and tables that a program prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, takewhile
from pathlib import PurePosixPath

from redline.prompts.secrets.names import Promise, promise_of
from redline.prompts.secrets.values import is_secret_of

Span = tuple[int, int]
Line = tuple[int, str]
"""A line, after the offset at which it starts."""

_FILES = {".csv": ",;\t|", ".psv": "|", ".tab": "\t", ".tsv": "\t"}
"""What may separate the fields of a file, by its suffix."""

SIGNS = (
    "INSERT INTO",
    "insert into",
    "FROM stdin",
    "from stdin",
    "-|",
    "- |",
    ":|",
    ": |",
)
"""A table in a file of another kind has one of these."""

_FIELD = {
    separator: re.compile(
        rf"(?:\A|[{separator}])(?:[ ]{{0,40}}+\"(?P<quoted>[^\"]*+)\"[^{separator}]*+"
        rf"|(?P<plain>[^{separator}]*+))"
    )
    for separator in ",;\t|"
}
_AROUND = " \t`*\r"
"""What may be around a field."""

_OF_RULE = frozenset("|-: \t")
"""The signs of the line below the heading of a table in Markdown."""

_OF_BORDER = _OF_RULE | {"+", "="}

_COLUMNS = (
    r"[\w.\"`\[\]\\]{1,100}+\s{0,20}+\((?P<names>[^()]{1,4000}+)\)[\s\\\"'+.]{0,80}+"
)
_INSERT = re.compile(rf"(?i)\binsert\s{{1,20}}+into\s{{1,20}}+{_COLUMNS}values?\b")
_COPY = re.compile(
    r"(?i)\s{0,20}+copy\s{1,20}+[\w.\"]{1,100}+\s{0,20}+\((?P<names>[^()]{1,4000}+)\)"
    r"\s{0,20}+from\s{1,20}+stdin"
)
_BETWEEN_ROWS = "\\\"'+."
"""Signs that may join strings with the text of a statement."""

_SQL = re.compile(
    r"'(?P<single>[^'\n\\]{0,400}+)'|\"(?P<double>[^\"\n\\]{0,400}+)\""
    r"|\\['\"](?P<inner>[^'\"\n\\]{0,400}+)\\['\"]|\s++|[^\w\s]|\w++"
)
"""A string, a sign, a word or blanks of SQL."""


_PRINTED = re.compile(r"[^\s|]++(?: [^\s|]++){0,5}+")
"""A field of a printed table: words with single blanks between them."""

_NAME = re.compile(r"[\w.-]++")
"""Without a colon, which would end the name of a value on the same line."""

_MAX_HEADING = 1_000

_MIN_FIELDS = 2


@lru_cache(maxsize=1_024)
def is_table(path: str) -> bool:
    """Whether a file is a table by its name.

    Each prompt asks it of a dozen texts of the same few files.
    """
    return PurePosixPath(path.lower()).suffix in _FILES


def values_of_tables(text: str, path: str) -> Iterator[Span]:
    """Find the values of the columns that promise a secret."""
    if not is_table(path) and not any(map(text.__contains__, SIGNS)):
        return
    lines = _lines(text)
    if separators := _FILES.get(PurePosixPath(path.lower()).suffix):
        heading = lines[0][1]
        yield from _in_rows(heading, lines[1:], max(separators, key=heading.count))
    for at, (_, line) in enumerate(lines):
        below = (lines[n] for n in range(at + 1, len(lines)))
        if at and _is_rule(line):
            yield from _in_rows(lines[at - 1][1], takewhile(_is_row, below), "|")
        elif copy := _COPY.match(line):
            heading = copy["names"].replace(",", "\t")
            yield from _in_rows(heading, takewhile(_is_copied, below), "\t")
    end = 0
    while insert := _INSERT.search(text, end):
        promises = _promises(insert["names"].split(","))
        strings, end = _strings_of_rows(text, insert.end())
        for column, span in strings:
            if is_secret_of(promises.get(column, Promise.NONE), text[slice(*span)]):
                yield span


def values_of_printed_tables(text: str) -> Iterator[Span]:
    """Find the values below a name that promises a secret, in columns of an output.

    A bar separates the columns, or blanks do; then a value begins below its name.
    """
    names: dict[int, Promise] = {}
    bars: dict[int, Promise] = {}
    for start, line in _lines(text):
        if not line or len(line) > _MAX_HEADING:
            names, bars = {}, {}
            continue
        fields = [] if _is_border(line) else list(_PRINTED.finditer(line))
        for field in fields:
            at_bar = bars.get(line.count("|", 0, field.start()), Promise.NONE)
            promise = names.get(field.start(), at_bar)
            value = field[0].strip(_AROUND)
            if is_secret_of(promise, value):
                begin = start + line.index(value, field.start())
                yield begin, begin + len(value)
        if len(fields) >= _MIN_FIELDS and (found := _named_fields(fields)):
            names, bars = found, {}
            if "|" in line:
                counts = {line.count("|", 0, at): one for at, one in found.items()}
                names, bars = {}, counts


def _named_fields(fields: Iterable[re.Match[str]]) -> dict[int, Promise]:
    """Return what fields promise that are only a name, by their places."""
    names = ((one.start(), one[0].strip(_AROUND)) for one in fields)
    promises = {at: promise_of(name) for at, name in names if _NAME.fullmatch(name)}
    return {at: promise for at, promise in promises.items() if promise}


def _is_border(line: str) -> bool:
    return _OF_BORDER.issuperset(line)


def _lines(text: str) -> list[Line]:
    lines = text.split("\n")
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    return list(zip(starts, lines, strict=False))


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and _OF_RULE.issuperset(line)


def _is_row(line: Line) -> bool:
    return "|" in line[1] and not _is_rule(line[1])


def _is_copied(line: Line) -> bool:
    return "\t" in line[1] and _COPY.match(line[1]) is None


def _promises(names: Iterable[str]) -> dict[int, Promise]:
    """Return what the names of columns promise, by their numbers."""
    promises = enumerate(map(promise_of, names))
    return {column: promise for column, promise in promises if promise}


def _in_rows(heading: str, rows: Iterable[Line], separator: str) -> Iterator[Span]:
    """Find the values in lines whose fields are separated."""
    fields = _FIELD[separator]
    promises = _promises(field[0] for field in fields.finditer(heading))
    if not promises:
        return
    for start, line in rows:
        for column, field in enumerate(fields.finditer(line)):
            value = field["quoted"] or (field["plain"] or "").strip(_AROUND)
            if is_secret_of(promises.get(column, Promise.NONE), value):
                begin = start + line.index(value, field.start())
                yield begin, begin + len(value)


def _strings_of_rows(text: str, start: int) -> tuple[list[tuple[int, Span]], int]:
    """Return the strings of rows in parentheses, with the numbers of their columns, and
    the end of the rows."""
    strings: list[tuple[int, Span]] = []
    depth = column = 0
    end = start
    for token in _SQL.finditer(text, start):
        end = token.end()
        sign = token[0]
        if token.lastgroup is not None:
            if depth:
                strings.append((column, token.span(token.lastgroup)))
        elif sign == "(":
            depth += 1
            column = column if depth > 1 else 0
        elif sign == ")":
            depth -= 1
        elif sign == ",":
            column += depth == 1
        elif depth == 0 and not sign.isspace() and sign not in _BETWEEN_ROWS:
            break
        if depth < 0:
            break
    return strings, end
