"""Guards and parts of conditions that an edit takes away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from redline.checks.problem import Problem
from redline.checks.protections.changed_code import (
    ChangedCode,
    Code,
    CodeLine,
    owner_is_gone,
    squeezed,
    value_changed,
    words_in,
)
from redline.checks.protections.families import (
    family_of,
    has_counterpart,
    speaks_of,
)
from redline.checks.protections.guards import GuardClause, conditions_in, guards_in
from redline.checks.protections.names import lost
from redline.checks.protections.wishes import (
    names_most,
    names_one,
    relaxes,
    removes,
    speaks_of_checks,
    speaks_of_errors,
)
from redline.checks.requested_changes import wants_addition
from redline.syntax.word_set import word_set

_KEYWORDS = word_set(
    "if elif elsif unless guard not and or is in let var const else null None nil"
    " undefined true false True False this self await instanceof typeof as some Some Ok"
    " Err return then do end mut ref new err error len length isEmpty case"
    " match throw raise continue break test"
)
_BEFORE_MEMBER = re.compile(r"\s*(?:[?!]{0,2}\.|->|::)\s*[^\W\d]")
_NAME = re.compile(r"[^\W\d]\w*")
_CHECKS = re.compile(
    r"\b(?:if|elif|elsif|unless|guard|while|until|when|case|match|switch|assert\w*|and"
    r"|or"
    r"|not|filter\w*|reject|where|all|any|every|some|min|max|clamp|take\w*|requires?\w*"
    r"|ensure\w*|check\w*|validat\w*|verify\w*|default|fetch|suppress|try|catch|except"
    r"|rescue|precondition|unwrap_or\w*|or[_A-Z]?[Ee]lse\w*|ok_or\w*|get|dig|throw\w*"
    r"|map_or\w*|and_then|coerce\w*|Optional\w*|getOrDefault|ensure)\b"
    r"|&&|\|\||\?\?|\?\.|\?:|&\.|\? |[<>!=]=|\[\[|\s<\s|\s>\s|\?$|\?;|\?\)|\.get\("
)
_TALK = re.compile(
    r"(?:^|[\s.])(?:log\w*|print\w*|warn\w*|info|debug|trace|emit|console|echo|Print\w*"
    r"|puts|write_?[lL](?:ine|n)\w*|record|track|metric\w*|notify|note)\b.*\(|<<"
    r"|^echo\b"
)
_ERROR = re.compile(r"\berr(?:or)?\b")
_SET = re.compile(r"(?:[\w:]+\s+)*(?P<name>\w+)\s*:?=(?!=)")
_RETURNED = re.compile(r"return\b.*\(")
_CALLED = re.compile(r"(?<!\w)([^\W\d]\w*)[!?]?\(")
_OPTION = re.compile(r"\w+:\s")
_REFUSES = re.compile(
    r"\b40[13]\b|forbid|unauthori|denied|PermissionError|AccessDenied|not allowed"
    r"|Security\w*(?:Error|Exception)|permission|AuthError|AuthenticationError"
    r"|\bsignature|tamper|mismatch",
    re.IGNORECASE,
)
_AND = re.compile(r"&&|\band\b")
_OR = re.compile(r"\|\||\bor\b")
_SPLIT = re.compile(r"&&|\|\||\band\b|\bor\b")

_BLOCK = re.compile(
    r"(?:\}\s*)?(?:for|foreach|while|if|elif|elsif|else|match|switch|case|loop|unless"
    r"|do"
    r"|until|when|default)\b"
)
_MIN_REWRITTEN = 6
"""Lines; fewer are not called a rewrite."""


class _Weighed(Struct, frozen=True, kw_only=True):
    guard: GuardClause
    families: frozenset[str]
    """The families of its names, if it protects from somebody."""

    def lines(self, change: ChangedCode) -> tuple[CodeLine, ...]:
        start = self.guard.at
        return change.old.lines[start : start + self.guard.n_lines]

    @property
    def names(self) -> frozenset[str]:
        condition = self.guard.condition
        return _keys(condition) or frozenset(words_in(condition))


def lost_guards(change: ChangedCode) -> Iterator[Problem]:
    """Yield the guards of the old code that the new one has in no form."""
    left = Counter(squeezed(one.condition) for one in guards_in(change.new))
    removed = Counter(squeezed(one.text) for one in change.removed.lines)
    for guard in guards_in(change.old):
        key = squeezed(guard.condition)
        left[key] -= 1
        if left[key] >= 0 or not _is_removed(guard, removed):
            continue
        one = _Weighed(guard=guard, families=_families(guard))
        if _has_counterpart(one, change) or _is_wanted(one, change):
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
            names = _keys(atom)
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


def _families(guard: GuardClause) -> frozenset[str]:
    names = words_in(guard.condition)
    found = {
        family
        for family in map(family_of, names)
        if family in ("comparison", "signature", "access", "request forgery", "path")
    }
    inside = "\n".join(one.text for one in guard.body)
    if _REFUSES.search(inside):
        found.add("access" if "ignature" not in inside else "signature")
    return frozenset(found)


def _keys(condition: str) -> frozenset[str]:
    """Return the names that a condition is about: of `user.name` the last."""
    return frozenset(
        found[0]
        for found in _NAME.finditer(condition)
        if found[0] not in _KEYWORDS
        and not _BEFORE_MEMBER.match(condition, found.end())
    )


def _has_counterpart(one: _Weighed, change: ChangedCode) -> bool:
    names = one.names
    if _is_in_line(one.guard, change):
        return True
    came = change.counterparts(one.lines(change))
    if any(has_counterpart(family, came) for family in one.families):
        return True
    checking = _checked(change)
    shared = {name for name in names if name.strip("_") in checking}
    if names and 2 * len(shared) >= len(names):
        return True
    return _is_renamed(one, change) or (not one.families and _is_moved(one, change))


def _is_in_line(guard: GuardClause, change: ChangedCode) -> bool:
    """Whether a line that came has its words, such as a command in a string."""
    words = set(words_in(guard.text))
    return guard.n_lines == 1 and any(
        words <= set(words_in(line.text)) for line in change.added.lines
    )


def _is_moved(one: _Weighed, change: ChangedCode) -> bool:
    """Whether a call of another function, or a returned call, is in its place."""
    added = next((new for old, new in change.hunks if one.guard.at in old), ())
    added = tuple(line for line in added if not _is_option(line, change))
    is_error = _ERROR.search(one.guard.condition) is not None
    return any(
        (
            bool(set(_CALLED.findall(line.text)) - change.old.words)
            and not _TALK.search(line.text)
        )
        or (is_error and _RETURNED.match(line.code) is not None)
        for line in added
    )


def _is_option(line: CodeLine, change: ChangedCode) -> bool:
    """Whether a line that came only gives more to a call that was there."""
    if _OPTION.match(line.code):
        return True
    calls = list(_CALLED.finditer(line.text))
    return bool(calls) and calls[0][1] in change.old.words


def _checked(change: ChangedCode) -> set[str]:
    """Return the words of what came and may do what a check did.

    What a line sets and another one checks is checked.
    """
    lines = [line for line in change.added.lines if _may_check(line, change)]
    words = {word for line in lines for word in words_in(line.text)}
    for line in change.added.lines:
        found = _SET.match(line.code)
        if found and found["name"] in words:
            words |= set(words_in(line.text))
    return {word.strip("_") for word in words}


def _may_check(line: CodeLine, change: ChangedCode) -> bool:
    """Whether a line that came may do what a check did."""
    if _CHECKS.search(line.code):
        return True
    calls = set(_CALLED.findall(line.text)) - change.old.words
    return bool(calls) and not _TALK.search(line.text)


def _is_renamed(one: _Weighed, change: ChangedCode) -> bool:
    """Whether there is a new guard that only has other names."""
    form = _form(one.guard.condition)
    gone = one.names - change.new.words
    return bool(gone) and any(
        _form(other.condition) == form for other in guards_in(change.added)
    )


def _form(condition: str) -> str:
    return squeezed(_NAME.sub("_", condition))


def _is_wanted(one: _Weighed, change: ChangedCode) -> bool:
    wish = change.instruction
    if one.families:
        return any(speaks_of(wish, family) for family in one.families)
    if not one.guard.refuses or _is_rewritten(one.guard, change):
        return True
    if _is_nested(one.guard, change) or _is_kept(one.guard, change):
        return True
    if removes(wish) or names_most(wish, one.names):
        return True
    if speaks_of_errors(wish) and _ERROR.search(one.guard.condition):
        return True
    if relaxes(wish) and names_one(wish, words_in(one.guard.condition)):
        return True
    if speaks_of_checks(wish) and not wants_addition(wish):
        return True
    return _is_moot(one, change)


def _is_moot(one: _Weighed, change: ChangedCode) -> bool:
    """Whether the values that it checked are gone, or come another way."""
    found = frozenset(words_in(one.guard.condition))
    names = found - _KEYWORDS | found & {"err", "error"}
    alive = names & change.new.words
    own = one.lines(change)
    others = Code(lines=tuple(line for line in change.old.lines if line not in own))
    if not alive or (names - alive) & others.words:
        return True
    return any(
        value_changed(change, name) or _n_set(others, name) > _n_set(change.new, name)
        for name in alive
    )


def _is_nested(guard: GuardClause, change: ChangedCode) -> bool:
    """Whether the block around it is gone, too."""
    left = Counter(squeezed(line.text) for line in change.removed.lines)
    for line in reversed(change.old.lines[: guard.at]):
        if line.depth < guard.depth:
            return _BLOCK.match(line.code) is not None and (
                left[squeezed(line.text)] > 0
            )
    return False


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
