"""`lost-definition`: a variable at the margin is gone, but the edit should only add.

A reply to "add a docstring to f" may hold nothing but `f`, although the range is the
whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_addition

_DECLARED = re.compile(
    r"(?:export\s+|pub(?:\([^)]*\))?\s+)?(?:(?:const|let|var|static|static\s+mut)\s+)?"
    r"(?P<name>[A-Za-z_$]\w*+)\s*+(?::[^=]*)?=(?!=)|#\s*define\s+(?P<macro>\w++)"
)
_WORD = re.compile(r"[A-Za-z_$]\w*+")


def check_lost_names(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report what the region declares without indentation and the file no longer has.

    Functions and classes are those of `check_lost`.
    """
    if candidate.tree_before is None or not wants_addition(candidate.instruction):
        return
    names = _declared(candidate.old_lines)
    known = set(_WORD.findall(candidate.text_after)) if names else set()
    known.update(_WORD.findall(candidate.instruction))
    known.update(one.definition.name for one in candidate.defined_before)
    lost = [name for name in names if name not in known]
    # As many new names are those of renamed ones.
    n_new = len(_declared(candidate.new_lines).keys() - names.keys()) if lost else 0
    lost = lost[n_new:]
    if lost:
        more = f", and {len(lost) - 1} more" if len(lost) > 1 else ""
        message = f"`{lost[0]}` is gone, which was not asked for{more}."
        yield Problem(rule="lost-definition", message=message)


def _declared(lines: Sequence[str]) -> dict[str, None]:
    """Return the names that lines declare at the margin, in order."""
    found = filter(None, map(_DECLARED.match, lines))
    return dict.fromkeys(one["name"] or one["macro"] for one in found)
