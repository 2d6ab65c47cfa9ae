"""`phantom-parameter`: callers that pass arguments in the order of before.

The edit gives the parameters of a function of the file another order, and a call
outside of the range still passes values by their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.problem import Problem

_RULE = "phantom-parameter"
_HEADER = re.compile(
    r"\b(?:def|func?|fn|function|proc|sub)\s{1,4}(?:\([^()\n]{0,80}\)\s{0,4})?(?:self\.)?"
    r"(?P<name>\w{1,80}[?!]?)\s{0,4}\("
)
_MAX_N_CALLS = 200
_NAMED = re.compile(r"\w+\s*(?:=(?!=)|:(?!:))")
_OPEN = re.compile(r"\.\.\.|^[*&]")


def check_reordered(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first call that no longer has the order of the parameters."""
    if not any(map(_HEADER.search, candidate.new_lines)):
        return
    before, after = candidate.code_before, candidate.code_after
    old, new = dict(_functions(before)), dict(_functions(after))
    for name, given in new.items():
        was = old.get(name, [])
        if given == was or sorted(given) != sorted(was) or len(set(given)) < len(given):
            continue
        line = _first_call(candidate, after, name, len(given))
        if line is not None:
            yield Problem(
                rule=_RULE,
                message=f"The parameters of `{name}` have another order now, and line"
                f" {line + 1} of the file calls it as before.",
            )


def _functions(code: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the functions of which there is one of the name, with their parameters."""
    found: dict[str, list[str]] = {}
    several: set[str] = set()
    for header in _HEADER.finditer(code):
        given = in_brackets(code, header.end() - 1)
        if header["name"] in found:
            several.add(header["name"])
        if given is not None:
            found[header["name"]] = parts(given)
    for name, names in found.items():
        if name not in several and not any(map(_OPEN.search, names)):
            yield name, names


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
