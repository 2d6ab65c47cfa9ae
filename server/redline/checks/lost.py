"""`lost-definition`: what the region defined is gone, and nobody asked for that."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.checks.candidate import CheckedEdit
from redline.checks.definitions import Defined, all_defined, defined_in
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_loss

_HOLDING = frozenset(
    {"class", "enum", "impl", "interface", "namespace", "struct", "trait"}
)
"""Kinds whose inner definitions others can see; what a function defines is its own."""

_PRIVATE = re.compile(r"(?:\w+ )*private\b|static\b.*\(", re.DOTALL)
"""How a definition begins that no other file can use; of `static`, C's."""


def check_lost(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report definitions of the region that are nowhere in the file any more.

    Nothing is said of a file that does not parse: what it defines is then a guess, and
    `syntax` speaks for it.
    """
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or wants_loss(candidate.instruction):
        return
    if after.errors:
        return
    kept = {one.key for one in all_defined(after, candidate.after)}
    lost = [
        one
        for one in defined_in(before, candidate.before, candidate.region_before)
        if one.key not in kept
        and all(outer.kind in _HOLDING for outer in one.around)
        and not _is_spent(one, candidate)
    ]
    names = {one.definition.qualified_name for one in lost}
    for one in lost:
        # Of a lost class its methods need not be told.
        if one.definition.parent not in names:
            yield Problem(rule="lost-definition", message=_message(one))


def _is_spent(one: Defined, candidate: CheckedEdit) -> bool:
    """Whether it was for this file's own use, which has ended with it."""
    definition = one.definition
    name = definition.name
    is_private = (
        name.startswith(("_", "#")) and not name.endswith("__")
    ) or _PRIVATE.match(definition.signature)
    if not is_private:
        return False
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    was_used = len(word.findall(candidate.text_before)) > 1
    return was_used and word.search(candidate.text_after) is None


def _message(one: Defined) -> str:
    definition = one.definition
    return (
        f"The {definition.kind} `{definition.qualified_name}` is gone, which was not"
        " asked for."
    )
