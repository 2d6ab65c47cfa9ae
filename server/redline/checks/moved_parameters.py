"""`phantom-parameter`: callers that pass values by places that parameters have left.

The edit inserts, removes or moves parameters of a function of the file, and a call
outside of the range still gives its values in the order of before. The number of values
may fit. Or `play(buffer)` becomes `play(track)` and reads `track.buffer`, and a call
still passes `track.buffer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from redline.checks.candidate import CheckedEdit
from redline.checks.function_edits import FunctionEdit, function_edits
from redline.checks.problem import Problem

_NAMED = re.compile(r"\w+\s*+(?:=(?![=>])|:(?!:))|\.\.\.|\*\*?\w|&\w+$|\w+\.\.\.$")
"""A value that is given by a name, or that stands for several."""
_NAME = re.compile(r"[\w$]++")


def check_moved_parameters(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first call of each function that no longer fits its parameters."""
    for edit in function_edits(candidate):
        line = _moved(edit)
        if line is not None:
            message = (
                f"The parameters of `{edit.name}` have other places now, and line"
                f" {line + 1} of the file calls it as before."
            )
            yield Problem(rule="phantom-parameter", message=message)
        elif (found := _passed_part(edit)) is not None:
            line, whole, part = found
            message = (
                f"`{edit.name}` takes `{whole}` now, and line {line + 1} of the file"
                f" still passes `{whole}.{part}`."
            )
            yield Problem(rule="phantom-parameter", message=message)


def _moved(edit: FunctionEdit) -> int | None:
    """Return the line of a call that passes values by their old places."""
    was, now = edit.parameters
    moved = [
        at
        for at, (old, new) in enumerate(zip(was, now, strict=False))
        if old != new and (old in now or new in was)
    ]
    for call in edit.calls() if moved else ():
        if len(call.given) > edit.old.n_most:
            continue
        values = list(takewhile(lambda one: not _NAMED.match(one), call.given))
        at = next((at for at in moved if at < len(values)), None)
        # Who passes `width` where `width` is now was wrong before.
        if at is not None and _NAME.findall(values[at])[-1:] != [now[at]]:
            return call.line
    return None


def _passed_part(edit: FunctionEdit) -> tuple[int, str, str] | None:
    """Return the line of a call that passes a part of what is now taken whole."""
    was, now = edit.parameters
    pairs = enumerate(zip(was, now, strict=False))
    changed = [(at, *pair) for at, pair in pairs if pair[0] != pair[1]]
    if len(changed) != 1 or len(was) != len(now):
        return None
    at, part, whole = changed[0]
    if not _is_read(edit.candidate, part, whole):
        return None
    for call in edit.calls():
        if len(call.given) > at and f".{call.given[at]}".endswith(f".{whole}.{part}"):
            return call.line, whole, part
    return None


def _is_read(candidate: CheckedEdit, part: str, whole: str) -> bool:
    """Whether the new lines take the part of the whole, and of nothing less."""
    lines = candidate.code_after.split("\n")
    region = candidate.region_after
    code = "\n".join(lines[region.start : region.stop])
    whole, part = re.escape(whole), re.escape(part)
    found = list(
        re.finditer(rf"(?<![\w$.]){whole}\.{part}\b\s*+(\?\?|\|\||or\b)?", code)
    )
    return bool(found) and not any(one[1] for one in found)
