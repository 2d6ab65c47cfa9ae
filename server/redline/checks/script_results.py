"""`phantom-parameter` in JavaScript and TypeScript: results of another kind.

A function of the file returned an array, a map or a number, and the edit returns
something else; the rest of the file still uses the old one.
"""

from __future__ import annotations

from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.syntax.script_results import (
    MEMBERS,
    Result,
    ResultUse,
    named_functions,
    result_of,
    uses,
)
from redline.syntax.type_names import SCRIPTS

_RULE = "phantom-parameter"
_NOT_ITERABLE = frozenset({"an object", "a number"})
_NO_NUMBERS = frozenset({"an object", "an array", "a Map", "a Set"})


def check_script_results(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first use of each changed result that no longer fits it."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.language not in SCRIPTS:
        return
    if before.errors or after.errors:
        return
    region = candidate.region_after
    for name in dict.fromkeys(named_functions(after, region)):
        old, new = result_of(before, name), result_of(after, name)
        if old is None or new is None or (old.kind, old.keys) == (new.kind, new.keys):
            continue
        for use in uses(after, name):
            if use.line not in region and _misfits(use, old, new):
                yield Problem(
                    rule=_RULE,
                    message=f"`{name}` now returns {new.kind}, and line {use.line + 1}"
                    f" of the file uses {old.kind}: `{use.text}`.",
                )
                break


def _misfits(use: ResultUse, old: Result, new: Result) -> bool:
    """Whether a use fits the old result and not the new one."""
    if use.is_number:
        return old.kind == "a number" and new.kind in _NO_NUMBERS
    if use.is_iterated:
        return old.kind not in _NOT_ITERABLE and new.kind in _NOT_ITERABLE
    if not use.member or not _has(old, use.member, default=False):
        return False
    return not _has(new, use.member, default=True)


def _has(result: Result, member: str, *, default: bool) -> bool:
    if member in MEMBERS[result.kind]:
        return True
    if result.kind != "an object":
        return False
    return default if result.keys is None else member in result.keys
