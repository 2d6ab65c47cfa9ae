"""Guards and parts of conditions that an edit takes away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from redline.checks.problem import Problem
from redline.checks.protections.changed_code import (
    ChangedCode,
    owner_is_gone,
    squeezed,
    words_in,
)
from redline.checks.protections.guard_counterparts import (
    checked_words,
    guard_has_counterpart,
)
from redline.checks.protections.guard_excuses import may_be_wanted
from redline.checks.protections.guards import GuardClause, conditions_in, guards_in
from redline.checks.protections.names import lost
from redline.checks.protections.weighed_guard import (
    WeighedGuard,
    families_of,
    keys_of,
)
from redline.checks.protections.wishes import names_most, removes

_AND = re.compile(r"&&|\band\b")
_OR = re.compile(r"\|\||\bor\b")
_SPLIT = re.compile(r"&&|\|\||\band\b|\bor\b")


def lost_guards(change: ChangedCode) -> Iterator[Problem]:
    """Yield the guards of the old code that the new one has in no form."""
    left = Counter(squeezed(one.condition) for one in guards_in(change.new))
    removed = Counter(squeezed(one.text) for one in change.removed.lines)
    for guard in guards_in(change.old):
        key = squeezed(guard.condition)
        left[key] -= 1
        if left[key] >= 0:
            continue
        one = WeighedGuard(guard=guard, families=families_of(guard))
        if not (_is_removed(guard, removed) or _is_exchanged(one, change)):
            continue
        if guard_has_counterpart(one, change) or may_be_wanted(one, change):
            continue
        if owner_is_gone(change, change.old.lines[guard.at]):
            continue
        yield lost("check", _shown(guard))


def lost_conjuncts(change: ChangedCode) -> Iterator[Problem]:
    """Yield conditions that let more pass, since one of their parts is gone."""
    if removes(change.instruction):
        return
    removed = {line.text for line in change.removed.lines}
    new = [
        {squeezed(part) for part in _atoms(one.text)}
        for one in conditions_in(change.new)
        if one.line in change.added.lines
    ]
    for condition in conditions_in(change.old):
        atoms = _atoms(condition.text)
        if condition.line.text not in removed or len(atoms) < 2:
            continue
        if _joins(condition.text, both=condition.refuses):
            continue
        for atom in atoms:
            names = keys_of(atom)
            if (
                {squeezed(one) for one in atoms if one != atom} in new
                and names - change.new.words
                and not names & change.added.words
                and not names_most(change.instruction, names)
            ):
                yield lost("condition", condition.line.text.rstrip(" {"))
                break


def _joins(condition: str, *, both: bool) -> bool:
    """Whether its parts are joined by words of the other kind: `and`, or `or`."""
    form = _AND if both else _OR
    return form.search(condition) is not None


def _atoms(condition: str) -> list[str]:
    """Return the parts of a condition, without the brackets around them."""
    parts = [part.strip("(){}:; ") for part in _SPLIT.split(condition)]
    return [part for part in parts if part]


def _shown(guard: GuardClause) -> str:
    return guard.text.rstrip(" {")


def _is_removed(guard: GuardClause, removed: Counter[str]) -> bool:
    """Whether a line of its block is gone, too: with it, the condition has changed."""
    return any(removed[squeezed(one.text)] for one in guard.body)


def _is_exchanged(one: WeighedGuard, change: ChangedCode) -> bool:
    """Whether its block has another condition now, on other values."""
    first = squeezed(one.guard.text)
    is_gone = any(squeezed(line.text) == first for line in change.removed.lines)
    names = one.names | {"err", "error"}.intersection(words_in(one.guard.condition))
    return is_gone and names.isdisjoint(checked_words(change))
