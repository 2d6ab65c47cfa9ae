"""`compile-error`: what the edit makes a compiler refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.syntax.compile_faults.compile_faults import compile_faults
from redline.syntax.compile_faults.fault import everywhere, in_lines

_RULE = "compile-error"


def check_compile_errors(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report faults that the file did not have before."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.errors:
        return
    near = in_lines(candidate.region_after)
    if _n_async(candidate.new_lines) < _n_async(candidate.old_lines):
        # The rest of a function may wait, which is no longer allowed.
        near = everywhere
    found = list(compile_faults(after, near))
    if not found or before.errors:
        return
    known = Counter(one.key for one in compile_faults(before, everywhere))
    for fault in found:
        known[fault.key] -= 1
        if known[fault.key] < 0:
            line = candidate.line_in_region(fault.line)
            where = "" if line is not None else f"In line {fault.line + 1}: "
            yield Problem(rule=_RULE, message=f"{where}{fault.message}", line=line)


def _n_async(lines: Sequence[str]) -> int:
    return sum(line.count("async ") for line in lines)
