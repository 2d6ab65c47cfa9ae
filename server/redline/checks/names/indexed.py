"""`phantom-member`: an index in brackets on a collection of Java that has none.

`List`, `Map` and the like have methods, and only arrays have brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.syntax.language import Language

_TYPES = (
    r"(?:Array|Linked|Immutable)?(?:List|Deque|Queue|Set|Map|Collection|Iterable)"
    r"|(?:Hash|Linked|Tree)(?:Set|Map|HashSet|HashMap)|String|StringBuilder|Optional"
)
_DECLARED = re.compile(
    rf"\b(?:{_TYPES})\s*+(?:<(?:[^<>\n;]|<[^<>\n]*+>)*+>)?+\s++(?P<name>[a-z]\w*+)\s*+[=;,):]"
)
_RESULT = re.compile(
    r"\.(?:keySet|values|entrySet|toList|subList|stream|toString|substring|trim|getBytesList)"
    r"\([^()\n]{0,99}\)\["
)


def check_indexed(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report brackets behind a variable that is declared only as a collection."""
    if candidate.grammar is not Language.JAVA:
        return
    code = candidate.code_after
    names = {found["name"] for found in _DECLARED.finditer(code)}
    lines = code.split("\n")
    for number, _ in candidate.introduced:
        line = lines[candidate.region_after.start + number]
        for found in re.finditer(r"(?<![\w.])(?:this\.)?(?P<name>[a-z]\w*)\[", line):
            name = found["name"]
            is_array = re.search(
                rf"\]\s*{name}\b|\b{name}\s*\[\s*\]|\.\.\.\s*{name}", code
            )
            if name in names and not is_array:
                yield _problem(f"`{name}` is no array, and takes no index", number)
        if _RESULT.search(line):
            yield _problem("The result is no array, and takes no index", number)


def _problem(text: str, number: int) -> Problem:
    return Problem(rule="phantom-member", message=f"{text} in brackets.", line=number)
