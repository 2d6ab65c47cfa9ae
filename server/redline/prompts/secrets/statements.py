"""Reads a statement that a formatter put on several lines as the one line that it is.

A name and its value may then be on different lines, with others between them: the
arguments of a call, the fields of an object, the sides of an operator.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from redline.prompts.secrets import signs
from redline.prompts.secrets.arguments import takes_secret
from redline.prompts.secrets.joined import JoinedStrings
from redline.prompts.secrets.names import NAME, promise_of
from redline.prompts.secrets.neighbours import is_member

MAX_LINES = 12
"""Lines of a statement that are read as one, and lines above a name in which the
bracket around it is searched."""

_MAX_CHARS = 1_000
_MAX_LINE = 300

_OVERLAP = 3
"""Lines that two parts of a long statement share."""

_STRING = "|".join(
    rf"{before}{quote}[^{quote}\\]*+(?:\\.[^{quote}\\]*+)*+{quote}?"
    # After a letter it is an apostrophe; after the other signs, a lifetime in Rust.
    for before, quote in (("", '"'), (r"(?<![\w&<])", "'"), ("", "`"))
)
_TOKEN = re.compile(
    rf"{_STRING}|(?P<comment>(?:(?<=\s)|\A)(?:#|//|--)(?:\s.*+)?\Z)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
)

_BEFORE_VALUES = (*"(=:,[?\"'&|]", "return")
"""What is, with a blank, in front of a brace that opens no block."""

_GOES_ON = re.compile(r"(?:[=:?+&|]|<-|\b(?:or|and|by|password))\Z", re.I)
"""The end of a line whose statement goes on in the next one."""

_MARGIN = re.compile(r"(?:[+-](?=\s{2}))?\s*+")
"""What is in front of the code of a line, also in a diff."""

_SIGN_AT_END = re.compile(r"(?:(?<!\S)[`^_]|\\)\Z")
"""What some languages write at the end of a line whose statement goes on."""

_CONTINUES = re.compile(r"[?:|&]|(?:or|and)\b|[bfrnu@$]{0,2}[\"'`](?![\"'`]{2})", re.I)
"""The beginning of a line that goes on with the statement of the last one."""

_RETURNS = re.compile(r"return\b|[\"'`]")

_COMPLETE = (",", ";", "{", "}")
"""The end of a line after which a string does not go on with its statement."""

_MAY_BE_CODE = re.compile(
    r"[\"'`=:(\[{\\]|\w\.\w|\A\s*+\S++\s*+\Z|(?:by|password)\s*+\Z", re.IGNORECASE
)
"""Most lines of prose have nothing of it."""

_OPTION = re.compile(r"[\"']-{1,2}\w[\w-]*+[\"'],?\Z")
"""A line that ends with an option in a list of arguments."""

_BLOCK = "b"


class _Line(Struct, frozen=True):
    """What a line of code contributes to its statement."""

    start: int
    end: int
    """Where its code begins and ends, without blanks and comments."""
    n_closed: int
    """How many brackets it closes that lines above opened."""
    opened: str
    """The brackets that it leaves open; `_BLOCK` is that of a block of statements."""
    goes_on: bool
    continues: bool
    is_complete: bool
    returns: bool
    """Whether it is a result of the function whose first line it is."""
    is_text: bool
    """Whether it begins with a string of several lines."""


class Statement(Struct, frozen=True):
    """The lines of a statement, by their numbers."""

    first: int
    end: int


def stands_alone(line: str) -> bool:
    """Whether a line neither goes on with the statement above it, nor encloses lines
    below it in a bracket."""
    read = _read(line)
    return not (read.continues or read.opened)


@lru_cache(maxsize=8_192)
def names_secret(line: str) -> bool:
    """Whether a line may name a secret that is on another line of its statement."""
    if len(line) > _MAX_LINE or not _MAY_BE_CODE.search(line):
        return False
    if signs.has_secret_word(line) and any(
        promise_of(name[0]) for name in NAME.finditer(line)
    ):
        return True
    return takes_secret(line) or _OPTION.search(line) is not None


def statement_at(lines: Sequence[str], at: int) -> Statement:
    """Return the lines of the statement of a line."""
    first = _first_line(lines, at)
    n_chars = depth = 0
    end = first
    above = _read(lines[first])
    for number in range(first, min(len(lines), first + MAX_LINES)):
        text = lines[number]
        n_chars += len(text)
        if n_chars > _MAX_CHARS:
            break
        line = _read(text)
        if number > at and not depth and not _is_joined(above, line):
            break
        above = line
        end = number + 1
        depth += len(line.opened) - line.n_closed
        if _BLOCK in line.opened or depth < 0:
            break
    if _BLOCK in above.opened and end < len(lines) and _read(lines[end]).returns:
        # A function that is named for the secret.
        end += 1
    return Statement(first, max(end, at + 1))


def statements(lines: Sequence[str], naming: Sequence[int]) -> Sequence[Statement]:
    """Return the statements on several lines of those lines, without repetition."""
    found: list[Statement] = []
    done = 0
    for at in naming:
        if at < done:
            continue
        statement = statement_at(lines, at)
        if _is_one_of_many(lines, at, statement.first):
            continue
        is_cut = statement.end - statement.first >= MAX_LINES
        done = max(at + 1, statement.end - (_OVERLAP if is_cut else 0))
        if statement.end > statement.first + 1:
            found.append(statement)
    return found


def _is_one_of_many(lines: Sequence[str], at: int, first: int) -> bool:
    """Whether a line is a string of a list of strings, whose others it does not name;
    an option names the next one."""
    return (
        first < at
        and lines[first].rstrip().endswith(("[", "{"))
        and is_member(lines[at])
        and not _OPTION.search(lines[at])
    )


def joined_lines(
    lines: Sequence[str], starts: Sequence[int], statement: Statement
) -> JoinedStrings:
    """Return a statement as one line.

    Args:
        lines: All lines.
        starts: Where each of them begins in the text.
        statement: The numbers of its lines.
    """
    parts: list[str] = []
    places: list[int] = []
    for number in range(statement.first, statement.end):
        line = _read(lines[number])
        code = lines[number][line.start : line.end]
        if code[:1] in (")", "]") and parts:
            # A formatter also puts a comma in front of a bracket on a line of its own.
            parts[-1] = parts[-1].removesuffix(",")
        elif parts and not parts[-1].endswith(("(", "[")):
            parts[-1] += " "
        parts.append(code)
        places.append(starts[number] + line.start)
    at = [0]
    for part in parts[:-1]:
        at.append(at[-1] + len(part))
    return JoinedStrings("".join(parts), tuple(at), tuple(places))


def _first_line(lines: Sequence[str], at: int) -> int:
    """Return the line with the bracket around a line, or the line itself."""
    n_closed = 0
    for number in range(at - 1, max(-1, at - MAX_LINES), -1):
        line = _read(lines[number])
        if len(line.opened) > n_closed:
            bracket = line.opened[-1 - n_closed]
            return at if bracket == _BLOCK else number
        n_closed += line.n_closed - len(line.opened)
    return at


def may_hold(above: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a line that `stands_alone` between others may belong to a statement that
    names a secret in them."""
    middle = len(above)
    lines = (*above, "x", *below)
    named = (statement_at(lines, at) for at, x in enumerate(lines) if names_secret(x))
    return any(statement.first <= middle < statement.end for statement in named)


def _is_joined(above: _Line, line: _Line) -> bool:
    """Whether a line goes on with the statement of the one above it."""
    if above.start == above.end or line.start == line.end or line.is_text:
        return False
    return above.goes_on or (line.continues and not above.is_complete)


@lru_cache(maxsize=8_192)
def _read(line: str) -> _Line:
    start = len(line) - len(_MARGIN.sub("", line, count=1))
    end = len(line)
    opened: list[str] = []
    n_closed = 0
    for token in _TOKEN.finditer(line, start) if len(line) <= _MAX_LINE else ():
        if token["open"]:
            is_block = token["open"] == "{" and not _opens_values(line, token.start())
            opened.append(_BLOCK if is_block else token["open"])
        elif token["close"] and opened:
            opened.pop()
        elif token["close"]:
            n_closed += 1
        elif token["comment"]:
            end = token.start()
    whole = line[start:end].rstrip()
    code = _SIGN_AT_END.sub("", whole).rstrip()
    return _Line(
        start=start,
        end=start + len(code),
        n_closed=n_closed,
        opened="".join(opened),
        goes_on=code != whole or _GOES_ON.search(code) is not None,
        continues=_CONTINUES.match(code) is not None,
        is_complete=code.endswith(_COMPLETE),
        returns=_RETURNS.match(code) is not None,
        is_text=code.startswith(('"""', "'''")),
    )


def _opens_values(line: str, at: int) -> bool:
    """Whether a brace opens a list of values, and no block."""
    before = line[:at].rstrip(" \t")
    if len(before) == at:
        return not before.endswith(")")
    return not before or before.endswith(_BEFORE_VALUES)
