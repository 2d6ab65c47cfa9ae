"""`phantom-parameter`: objects made in the file that no longer fit a constructor.

The edit changes how many arguments a constructor needs, and a place outside of the
range that did fit makes an object as before. Languages whose constructor has the name
of its class are judged as calls, see `callers`, and Python by its types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.function_headers import FunctionHeader, functions
from redline.checks.problem import Problem

_NAMES = {
    "php": "__construct",
    "ruby": "initialize",
    "typescript": "constructor",
    "typescriptreact": "constructor",
}
"""The name of a constructor, by LSP language id."""

_CLASS = re.compile(r"^[ \t]*+(?:\w+[ \t]+)*?class[ \t]++(?P<name>\w++)", re.MULTILINE)
_SPREAD = re.compile(r"\.\.\.|^[ \t]*[*&]", re.MULTILINE)
_MAX_N_CALLS = 200


def check_constructors(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first place outside of the range that a constructor no longer fits."""
    word = _NAMES.get(candidate.language_id)
    if word is None or not any(word in line for line in candidate.new_lines):
        return
    code = candidate.code_after
    old = _by_class(candidate.code_before, candidate.language_id, word)
    for name, new in _by_class(code, candidate.language_id, word).items():
        line = code.count("\n", 0, new.first)
        before = old.get(name)
        if before is None or line not in candidate.region_after:
            continue
        if not (before.is_fixed and new.is_fixed):
            continue
        made = rf"\b{name}\.new\(" if word == "initialize" else rf"\bnew\s+{name}\s*\("
        for call in islice(re.finditer(made, code), _MAX_N_CALLS):
            at = code.count("\n", 0, call.start())
            given = in_brackets(code, call.end() - 1)
            if at in candidate.region_after or given is None or _SPREAD.search(given):
                continue
            n_given = len(parts(given))
            if before.takes(n_given) and not new.takes(n_given):
                yield Problem(
                    rule="phantom-parameter",
                    message=f"The constructor of `{name}` now takes {_count(new)}, and"
                    f" gets {n_given} at line {at + 1} of the file.",
                )
                return


def _count(header: FunctionHeader) -> str:
    least, most = header.n_least, header.n_most
    return f"{most} arguments" if least == most else f"{least} to {most} arguments"


def _by_class(code: str, language: str, word: str) -> dict[str, FunctionHeader]:
    """Return the constructors of a file by the class in front of them."""
    classes = [(one.start(), one["name"]) for one in _CLASS.finditer(code)]
    found: dict[str, FunctionHeader] = {}
    for header in functions(code, language, {word}):
        names = [name for start, name in classes if start < header.first]
        if names:
            found[names[-1]] = header
    return found
