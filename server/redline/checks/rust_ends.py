"""`syntax` in Rust: semicolons that the grammar does not miss.

The tolerant grammar reads `let n = f()` and `*n += 1;` below it as one product, and a
function whose last expression ends with a semicolon as right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets
from redline.checks.problem import Problem
from redline.syntax.language import Language

_UNFINISHED = re.compile(r"\s*(?:let\b|\*?[\w.]+\s*[-+*/]?=(?!=)).*[\w)\]\"'?]$")
_NEXT = re.compile(r"\s*[*&(\[-]\s*[\w*&(]")
_NO_VALUE = ("()", "!", "impl ")
"""How results begin that are nothing, or not known."""

_ENDLESS = re.compile(
    r"\b(?:return|loop|panic!|unreachable!|todo!|unimplemented!|exit|break|Err)\b"
)


def check_rust_ends(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report a statement without its semicolon, and a result that has one."""
    if candidate.grammar is not Language.RUST:
        return
    code = candidate.code_after
    lines = code.split("\n")
    for number in candidate.region_after:
        if number + 1 < len(lines) and _lacks_end(lines[number], lines[number + 1]):
            yield _problem("A semicolon is missing here", number, candidate)
    before = candidate.code_before
    if not list(_ended(before)):
        for number in _ended(code):
            if number in candidate.region_after:
                text = "The function returns a value, and this semicolon drops it"
                yield _problem(text, number, candidate)


def _lacks_end(line: str, below: str) -> bool:
    """Whether a line is a whole statement but for its end, as the next one shows.

    What goes on in the next line is indented more.
    """
    depths = [len(one) - len(one.lstrip()) for one in (line, below)]
    is_apart = depths[0] == depths[1]
    return bool(is_apart and _UNFINISHED.match(line) and _NEXT.match(below))


def _ended(code: str) -> Iterator[int]:
    """Yield the last lines of functions whose result a semicolon drops."""
    lines = code.split("\n")
    start = 0
    for line in lines:
        end = start + len(line)
        if _has_result(line):
            body = in_brackets(code, end - 1)
            if body is not None and not _ENDLESS.search(body):
                filled = body.rstrip()
                if filled.endswith(";"):
                    yield code.count("\n", 0, end + len(filled))
        start = end + 1


def _has_result(line: str) -> bool:
    """Whether a line is the header of a function that returns a value."""
    head, arrow, result = line.partition(") ->")
    is_header = arrow != "" and line.endswith("{") and re.search(r"\bfn\b", head)
    return bool(is_header) and not result.lstrip().startswith(_NO_VALUE)


def _problem(text: str, number: int, candidate: CheckedEdit) -> Problem:
    line = candidate.line_in_region(number)
    return Problem(rule="syntax", message=f"{text}.", line=line)
