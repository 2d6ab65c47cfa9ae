"""Reads the words of an instruction into requests.

A clause is understood only if each of its words is: an unknown word may change the
meaning ("add docstrings, but not to tests"), and a rule that does the wrong thing is
worse than one that declines.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from redline.instructions.clause import Clause, Word, read_clauses
from redline.instructions.request import (
    ChangeCase,
    ExtractConstant,
    LineRequest,
    LintFix,
    PythonRequest,
    Rename,
    Request,
    SortLines,
)
from redline.instructions.words import (
    CASE_FILLERS,
    CASE_VERBS,
    CASE_WORDS,
    CONSTANT_FILLERS,
    CONSTANT_VERBS,
    FILLERS,
    KIND_WORDS,
    LINT_FIX_WORDS,
    NAME_LEADS,
    ROWS,
    Row,
)

MAX_CHARS = 2_000
"""Longer instructions are not simple enough for rules."""

_NAME = re.compile(r"[^\W\d][\w.$-]*$")
_LINT_CODE = re.compile(r"[A-Z]{1,5}\d{2,4}$")
_ARROWS = frozenset({"to", "into", "as", "->", "=>", "→"})
_NUMBER = re.compile(
    r"[-+]?(0[xob][\da-f_]++"
    r"|(\d[\d_]*+(\.\d[\d_]*+)?|\.\d[\d_]*+)(e[-+]?\d++)?j?)$",
    re.IGNORECASE,
)
_NAME_MARKS = frozenset({"as", "named", "called", "name", "into", "to"})


def read_instruction(text: str) -> list[Request] | None:
    """Read an instruction; None if any part of it is not understood."""
    if len(text) > MAX_CHARS:
        return None
    requests: list[Request] = []
    for clause in read_clauses(text):
        previous = requests[-1] if requests else None
        request = _read_clause(clause, previous)
        if request is None:
            return None
        if _is_continued(previous, clause):
            requests.pop()
        requests.append(request)
    return requests or None


def _is_continued(previous: Request | None, clause: Clause) -> bool:
    """Whether a clause only adds names to the previous request."""
    return (
        isinstance(previous, PythonRequest)
        and bool(previous.names)
        and all(word.is_quoted or "_" in word.text for word in clause.words)
    )


def _read_clause(clause: Clause, previous: Request | None) -> Request | None:
    if isinstance(previous, PythonRequest) and _is_continued(previous, clause):
        more = tuple(word.text for word in clause.words)
        return replace(previous, names=previous.names + more)
    readers: list[Callable[[], Request | None]] = [
        lambda: _read_case(clause),
        lambda: _read_rename(clause, is_verbless=isinstance(previous, Rename)),
        lambda: _read_constant(clause),
        lambda: _read_lint_fix(clause),
        lambda: _read_row(clause),
    ]
    return next((found for read in readers if (found := read())), None)


def _read_rename(clause: Clause, *, is_verbless: bool) -> Rename | None:
    words = clause.words
    if words[0].low == "rename":
        words = words[1:]
    elif not is_verbless:
        return None
    arrow = next(
        (
            at
            for at, w in enumerate(words)
            if at and not w.is_quoted and w.low in _ARROWS
        ),
        None,
    )
    if arrow is None or arrow + 1 >= len(words):
        return None
    head, tail = words[:arrow], words[arrow + 2 :]
    # "The method value" is the method called value; "foo method" is the method foo.
    at = len(head) - 1
    while at > 0 and _is_kind(head[at]) and not _is_skipped(head[at - 1]):
        at -= 1
    around = (*head[:at], *head[at + 1 :], *tail)
    if not all(_is_kind(word) or _is_skipped(word) for word in around):
        return None
    kinds = [KIND_WORDS[word.low] for word in around if _is_kind(word)]
    kind = kinds[0] if kinds else "any"
    old, new = head[at].text, words[arrow + 1].text
    if old.startswith(("self.", "cls.")):
        old, kind = old.partition(".")[2], "attribute"
        new = new.removeprefix("self.").removeprefix("cls.")
    return Rename(old=old, new=new, kind=kind)


def _is_kind(word: Word) -> bool:
    return not word.is_quoted and word.low in KIND_WORDS


def _is_skipped(word: Word) -> bool:
    return not word.is_quoted and word.low in FILLERS


def _read_constant(clause: Clause) -> ExtractConstant | None:
    lows = {w.low for w in clause.words if not w.is_quoted}
    is_named = bool({"constant", "constants"} & lows)
    # Methods and variables can be extracted too, but not by these rules.
    is_other = bool({"function", "method", "class", "variable", "module"} & lows)
    if not CONSTANT_VERBS & lows or (
        not is_named and (is_other or "extract" not in lows)
    ):
        return None
    literal, is_quoted, name = None, False, None
    skipped = FILLERS | CONSTANT_FILLERS | CONSTANT_VERBS
    for at, word in enumerate(clause.words):
        mark = clause.words[at - 1].low if at else ""
        is_marked = mark in _NAME_MARKS or (mark == "constant" and word.text.isupper())
        is_name = is_marked and word.text.isupper()
        if not word.is_quoted and word.low in skipped and not is_name:
            continue
        is_name = is_marked or (not word.is_quoted and word.text.isupper())
        if is_name and name is None and _NAME.match(word.text):
            name = word.text
        elif literal is None and (word.is_quoted or _NUMBER.match(word.text)):
            literal, is_quoted = word.text, word.quote not in ("", "`")
        else:
            return None
    return ExtractConstant(literal=literal, is_quoted=is_quoted, name=name)


def _read_lint_fix(clause: Clause) -> LintFix | None:
    codes: list[str] = []
    line: int | None = None
    for at, word in enumerate(clause.words):
        if _LINT_CODE.match(word.text):
            codes.append(word.text)
        elif at and clause.words[at - 1].low == "line" and word.text.isdecimal():
            line = int(word.text)
        elif word.is_quoted or word.low not in FILLERS | LINT_FIX_WORDS:
            return None
    if not codes or clause.words[0].low != "fix":
        return None
    return LintFix(codes=tuple(codes), line=line)


def _read_case(clause: Clause) -> ChangeCase | None:
    styles = [CASE_WORDS[w.low] for w in clause.words if w.low in CASE_WORDS]
    if len(styles) != 1:
        return None
    allowed = FILLERS | CASE_FILLERS | set(CASE_WORDS) | set(KIND_WORDS)
    names = [w for w in clause.words if w.is_quoted or w.low not in allowed]
    if not all(_NAME.match(w.text) for w in names):
        return None
    if names and not CASE_VERBS & {w.low for w in clause.words}:
        return None
    return ChangeCase(style=styles[0], names=tuple(w.text for w in names))


def _read_row(clause: Clause) -> Request | None:
    for row in ROWS:
        names = _names(clause, row)
        if names is not None:
            return _request(row, clause, names)
    return None


def _names(clause: Clause, row: Row) -> tuple[str, ...] | None:
    """Match a row; returns the names that limit the clause, or None for no match."""
    lows = {w.low for w in clause.words if not w.is_quoted}
    if not all(lows & group for group in row.needs):
        return None
    names: list[str] = []
    allowed = FILLERS.union(row.allows, *row.needs)
    for at, word in enumerate(clause.words):
        if not word.is_quoted and word.low in allowed:
            continue
        is_led = at > 0 and clause.words[at - 1].low in NAME_LEADS
        if not row.takes_names or not (word.is_quoted or is_led or names):
            return None
        if not _NAME.match(word.text):
            return None
        names.append(word.text)
    return tuple(names)


def _request(row: Row, clause: Clause, names: tuple[str, ...]) -> Request:
    lows = {w.low for w in clause.words}
    match row.rule:
        case "sort-lines":
            return SortLines(
                is_reversed=bool(lows & {"descending", "reverse", "reversed"}),
                ignores_case=bool(lows & {"case-insensitively", "case-insensitive"}),
            )
        case "unique-lines" | "comment" | "uncomment" as rule:
            return LineRequest(rule=rule)
        case rule:
            return PythonRequest(rule=rule, names=names)
