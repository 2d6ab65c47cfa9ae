"""Why a guard may go: what the instruction says, and what is gone with it."""

from __future__ import annotations

import re
from collections import Counter

from redline.checks.protections.changed_code import (
    ChangedCode,
    Code,
    CodeLine,
    squeezed,
    value_changed,
    words_in,
)
from redline.checks.protections.families import speaks_of
from redline.checks.protections.guard_counterparts import ASSIGNMENT, ERROR
from redline.checks.protections.guards import GuardClause, guards_in
from redline.checks.protections.weighed_guard import WeighedGuard, names_in
from redline.checks.protections.wishes import (
    names_most,
    names_one,
    only_shortens,
    relaxes,
    removes,
    speaks_of_checks,
    speaks_of_errors,
)
from redline.checks.requested_changes import wants_addition

_RAISES = re.compile(
    r"(?:^|[{;)]\s*)(?:(?:raise|throw|panic!?|bail!)(?=[\s(])"
    r"|return\s++(?:Err\(|(?:[\w\"]++,\s*+)*+(?:errors\.New|fmt\.Errorf)\())"
)
_RAISED_ANYWAY = re.compile(
    r"\b(?:Key|Index|Type|Attribute|ZeroDivision|NoMethod)Error\b|NullPointer|ArgumentNull"
    r"|NoSuchElement|IndexOutOf|OutOfRange|KeyNotFound|Arithmetic|DivideByZero"
)
_STATE = re.compile(r"(?:\b(?:self|this)(?:\.|->)|@)([a-z_]\w*+)(?!\()")
_SHELL = re.compile(r"\$\d")
_MIN_VALUE = 6
"""Characters; a shorter value stands anywhere."""
_BLOCK = re.compile(
    r"(?:\}\s*)?(?:for|foreach|while|if|elif|elsif|else|match|switch|case|loop|unless"
    r"|do"
    r"|until|when|default)\b"
)
_MIN_REWRITTEN = 6
"""Lines; fewer are not called a rewrite."""


def may_be_wanted(one: WeighedGuard, change: ChangedCode) -> bool:
    wish = change.instruction
    if one.families:
        return any(speaks_of(wish, family) for family in one.families)
    if not one.guard.refuses or _is_rewritten(one.guard, change):
        return True
    if _is_nested(one.guard, change) or _is_kept(one.guard, change):
        return True
    if names_most(wish, one.names):
        return True
    if removes(wish) and _may_remove(one.guard, change):
        return True
    if speaks_of_errors(wish) and ERROR.search(one.guard.condition):
        return True
    if relaxes(wish) and names_one(wish, words_in(one.guard.condition)):
        return True
    if speaks_of_checks(wish) and not wants_addition(wish):
        return True
    return _is_moot(one, change)


def _may_remove(guard: GuardClause, change: ChangedCode) -> bool:
    """Whether a wish for less code, or for fewer refusals, may mean a guard.

    It does not if another guard came for it, or if the code should only be shorter.
    """
    if only_shortens(change.instruction) and _is_raising(guard):
        return False
    n_old, n_new = (len(list(guards_in(code))) for code in (change.old, change.new))
    return n_new < n_old


def _is_moot(one: WeighedGuard, change: ChangedCode) -> bool:
    """Whether the values that it checked are gone, or come another way."""
    condition = one.guard.condition
    errors = frozenset({"err", "error"}) & frozenset(words_in(condition))
    names = names_in(condition) | errors
    own = one.lines(change)
    others = Code(lines=tuple(line for line in change.old.lines if line not in own))
    inlined = _inlined(names, change)
    alive = names & (change.new.words | change.words_below) | inlined
    state = frozenset(_STATE.findall(condition)) - others.words - alive
    if any(name in change.outside for name in state):
        return False
    if any(parameter in change.new.text for parameter in _SHELL.findall(condition)):
        return False
    if not alive or (names - alive) & others.words:
        return True
    return any(
        value_changed(change, name) or _n_set(others, name) > _n_set(change.new, name)
        for name in alive - inlined
    )


def _inlined(names: frozenset[str], change: ChangedCode) -> frozenset[str]:
    """Return the names whose values stand where the names were."""
    values = (ASSIGNMENT.match(line.code) for line in change.removed.lines)
    new = squeezed(change.added.code)
    return frozenset(
        found["name"]
        for found in values
        if found is not None
        and found["name"] in names
        and len(value := squeezed(found.string[found.end() :]).strip(";")) >= _MIN_VALUE
        and value in new
    )


def _is_raising(guard: GuardClause) -> bool:
    """Whether it raises an exception that the code below would not raise itself."""
    return any(
        _RAISES.search(line.code) and not _RAISED_ANYWAY.search(line.code)
        for line in guard.body
    )


def _is_nested(guard: GuardClause, change: ChangedCode) -> bool:
    """Whether the block around it is gone, too."""
    left = Counter(squeezed(line.text) for line in change.removed.lines)
    for line in reversed(change.old.lines[: guard.at]):
        if line.depth < guard.depth:
            return (
                _BLOCK.match(line.code) is not None
                and left[squeezed(line.text)] > 0
                and not _is_changed(line, change)
            )
    return False


def _is_changed(block: CodeLine, change: ChangedCode) -> bool:
    """Whether a line that came begins the same block, with other values."""
    words = words_in(block.text)
    return any(
        line.depth == block.depth
        and line.text.split()[0] == block.text.split()[0]
        and 3 * len(set(words) & set(words_in(line.text))) >= 2 * len(set(words))
        for line in change.added.lines
    )


def _is_kept(guard: GuardClause, change: ChangedCode) -> bool:
    """Whether its condition is there, and what it leads to is other code."""
    key = squeezed(guard.text)
    lines = [squeezed(line.text) for line in change.new.lines]
    if key not in lines or guard.n_lines == 1:
        return False
    following = lines[lines.index(key) + 1 :][:1]
    return following not in ([], ["pass"], ["}"])


def _is_rewritten(guard: GuardClause, change: ChangedCode) -> bool:
    """Whether most of the code besides a guard is new."""
    n_others = len(change.old.lines) - guard.n_lines
    n_removed = len(change.removed.lines) - guard.n_lines
    return n_removed > _MIN_REWRITTEN and 2 * n_removed > n_others


def _n_set(code: Code, name: str) -> int:
    """Count the assignments to a name."""
    pattern = rf"(?<![\w.]){re.escape(name)}(?:\s*,\s*\w+)*\s*:?=(?!=)"
    return len(re.findall(pattern, code.code))
