"""`phantom-parameter`: callers that pass arguments in the order of before.

The edit gives the parameters of a function of the file another order, and a call
outside of the range still passes values by their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.problem import Problem

_RULE = "phantom-parameter"
_BEGIN = (
    r"\b(?:def|func?|fn|function|proc|sub)\s{1,4}"
    r"(?:\([^()\n]{0,80}\)\s{0,4})?(?:self\.)?"
)
_HEADER = re.compile(rf"{_BEGIN}(?P<name>\w{{1,80}}[?!]?)\s{{0,4}}\(")
_BEFORE_NAME = re.compile(rf"{_BEGIN}$")
_MAX_HEADER_CHARS = 120
_MAX_N_CALLS = 200
_NAMED = re.compile(r"\w+\s*(?:=(?!=)|:(?!:))")
_OPEN = re.compile(r"\.\.\.|^[*&]")


def check_reordered(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first call that no longer has the order of the parameters."""
    headers = chain.from_iterable(map(_HEADER.finditer, candidate.new_lines))
    for name in dict.fromkeys(header["name"] for header in headers):
        was = _parameters(candidate.code_before, name)
        given = _parameters(candidate.code_after, name)
        if given == was or sorted(given) != sorted(was) or len(set(given)) < len(given):
            continue
        line = _first_call(candidate, candidate.code_after, name, len(given))
        if line is not None:
            yield Problem(
                rule=_RULE,
                message=f"The parameters of `{name}` have another order now, and line"
                f" {line + 1} of the file calls it as before.",
            )


def _parameters(code: str, name: str) -> list[str]:
    """Return the parameters of the only function of a name; empty for several."""
    found = [
        call
        for call in re.finditer(rf"{re.escape(name)}\s{{0,4}}\(", code)
        if _BEFORE_NAME.search(
            code, max(0, call.start() - _MAX_HEADER_CHARS), call.start()
        )
    ]
    given = in_brackets(code, found[0].end() - 1) if len(found) == 1 else None
    names = parts(given or "")
    return [] if any(map(_OPEN.search, names)) else names


def _first_call(
    candidate: CheckedEdit, code: str, name: str, n_given: int
) -> int | None:
    """Return the line of a call outside of the range that passes all by place."""
    header = rf"(?:def|func?|fn|function|proc|sub)\s{{1,4}}{re.escape(name)}"
    word = re.compile(rf"(?<![\w$]){re.escape(name)}\(")
    for call in islice(word.finditer(code), _MAX_N_CALLS):
        line = code.count("\n", 0, call.start())
        head = code[: call.start()].rpartition("\n")[2]
        is_header = re.search(header, head + name) is not None
        owner = re.search(r"(?<![\w$])([\w$]++)(?:\.|->|::)$", head)
        is_own = owner is None or owner[1] in ("self", "this", "cls", "$this", "Self")
        given = in_brackets(code, call.end() - 1)
        if line in candidate.region_after or is_header or given is None or not is_own:
            continue
        values = parts(given)
        is_by_place = not any(map(_NAMED.match, values))
        if len(values) == n_given > 1 and is_by_place:
            return line
    return None
