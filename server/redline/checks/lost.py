"""`lost-definition`: a definition of the region is gone without being asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.definitions import HOLDING, Defined, begin_in, is_hollow
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_hollow, wants_loss
from redline.text.indentation import indent_of

_PRIVATE = re.compile(r"(?:\w+ )*private\b|static\b.*\(", re.DOTALL)
"""The start of a definition that no other file can use; `static` as in C."""


_CREATED = re.compile(
    r"\s*create\s+(?:\w+\s+){0,3}(?:table|view|index|function|procedure|trigger|type"
    r"|sequence|schema)\s+(?:if\s+not\s+exists\s+)?[\"`\[]?(?P<name>[\w.]+)",
    re.IGNORECASE,
)


def check_lost(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report definitions of the region that no longer exist in the file.

    A file that does not parse is skipped: its definitions would be a guess, and
    `syntax` reports it.
    """
    if wants_loss(candidate.instruction):
        return
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None:
        yield from _lost_of_sql(candidate)
        return
    if after.errors:
        return
    kept = {one.key for one in candidate.defined_after}
    lost = [
        one
        for one in begin_in(candidate.region_before, candidate.defined_before)
        if one.key not in kept
        and all(outer.kind in HOLDING for outer in one.around)
        and not _is_spent(one, candidate)
        and not _is_emptied(one, candidate)
        and not _is_assigned(one, candidate)
    ]
    if _is_named(lost, candidate):
        return
    names = {one.definition.qualified_name for one in lost}
    for one in lost:
        # The methods of a lost class are not reported separately.
        if one.definition.parent not in names:
            yield Problem(rule="lost-definition", message=_message(one))


def _is_named(lost: list[Defined], candidate: CheckedEdit) -> bool:
    """Whether the one that is gone has a new name, which the instruction has, too."""
    if len(lost) != 1:
        return False
    known = {one.key for one in candidate.defined_before}
    new = begin_in(candidate.region_after, candidate.defined_after)
    names = [one.definition.name for one in new if one.key not in known]
    asked = re.findall(r"\w+", candidate.instruction)
    is_new = len(names) == 1 and names[0] != lost[0].definition.name
    return is_new and names[0] in asked


def _lost_of_sql(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report what the region creates in SQL, and the file no longer names."""
    if candidate.language != "sql" and not candidate.path.endswith(".sql"):
        return
    old = list(filter(None, map(_CREATED.match, candidate.old_lines)))
    new = list(filter(None, map(_CREATED.match, candidate.new_lines)))
    # As many are only renamed.
    for created in old if len(new) < len(old) else ():
        word = rf"(?<!\w){re.escape(created['name'])}(?!\w)"
        if not re.search(word, candidate.text_after, re.IGNORECASE):
            message = f"`{created['name']}` is gone, which was not asked for."
            yield Problem(rule="lost-definition", message=message)


def _is_spent(one: Defined, candidate: CheckedEdit) -> bool:
    """Whether it was private to this file, and its last use is gone too."""
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


def _is_emptied(one: Defined, candidate: CheckedEdit) -> bool:
    """Whether it was a member of a type that should be empty, and is."""
    if not wants_hollow(candidate.instruction):
        return False
    parent = one.definition.parent
    return any(
        other.definition.qualified_name == parent and is_hollow(other.body)
        for other in candidate.defined_after
    )


def _is_assigned(one: Defined, candidate: CheckedEdit) -> bool:
    """Whether a function's name is now that of a function which is a value."""
    if one.key[0] != "function":
        return False
    definition = one.definition
    indent = indent_of(one.lines[definition.first_line])
    assigned = re.compile(
        rf"{indent}(?:\w+\s+)*{re.escape(definition.name)}\s*(?::[^=]*)?=\s*"
        r"(?:async\b|function\b|fn\b|lambda\b|\||->|[\w.]+\()"
    )
    return any(map(assigned.match, candidate.new_lines))


def _message(one: Defined) -> str:
    definition = one.definition
    return (
        f"The {definition.kind} `{definition.qualified_name}` is gone, which was not"
        " asked for."
    )
