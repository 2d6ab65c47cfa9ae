"""What may do what a guard did that is gone."""

from __future__ import annotations

import re

from redline.checks.protections.changed_code import (
    ChangedCode,
    CodeLine,
    squeezed,
    words_in,
)
from redline.checks.protections.families import has_counterpart
from redline.checks.protections.guards import GuardClause, guards_in
from redline.checks.protections.weighed_guard import WeighedGuard, keys_of, names_in
from redline.checks.protections.wishes import names_one

_NAME = re.compile(r"[^\W\d]\w*")
_OTHER_MEMBER = re.compile(r"(?:\.|->)\w++(?!\()")
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
ERROR = re.compile(r"\berr(?:or)?\b")
ASSIGNMENT = re.compile(r"(?:[\w:]+\s+)*(?P<name>\w+)\s*:?=(?!=)")
_RETURNED = re.compile(r"return\b.*\(")
CALLED = re.compile(r"(?<!\w)([^\W\d]\w*)[!?]?\(")
_DEFINED = re.compile(
    r"\b(?:def|fn|func|function|fun|const|let|var|val)\s++(\w++)\s*+[(=:<]"
)
_OPTION = re.compile(r"\w+:\s")


def guard_has_counterpart(one: WeighedGuard, change: ChangedCode) -> bool:
    names = one.names
    if _is_in_line(one.guard, change):
        return True
    came = change.counterparts(one.lines(change))
    if any(has_counterpart(family, came) for family in one.families):
        return True
    checking = checked_words(change)
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


def _is_moved(one: WeighedGuard, change: ChangedCode) -> bool:
    """Whether a call of another function, or a returned call, is in its place."""
    added = next((new for old, new in change.hunks if one.guard.at in old), ())
    asked = _asked_guards(change)
    added = tuple(line for line in added if not _is_option(line, change))
    alive = names_in(one.guard.condition) & change.new.words
    is_error = ERROR.search(one.guard.condition) is not None
    own = set(_DEFINED.findall(change.added.code))
    if _has_helper(one, change):
        own |= set(_DEFINED.findall(change.outside))
        asked |= {line for line in added if own.isdisjoint(CALLED.findall(line.text))}
    return any(
        (
            bool(called := set(CALLED.findall(line.text)) - change.old.words)
            and not _TALK.search(line.text)
            and (not alive or bool(called & own) or _takes(line, alive, one))
        )
        or (is_error and _RETURNED.match(line.code) is not None)
        for line in added
        if line not in asked
    )


def _has_helper(one: WeighedGuard, change: ChangedCode) -> bool:
    """Whether it calls a function of the file with values that are still used."""
    called = set(CALLED.findall(one.guard.condition)) - change.new.words
    values = names_in(one.guard.condition) - called
    is_own = any(name in called for name in _DEFINED.findall(change.outside))
    return bool(values) and is_own and values <= change.new.words


def _takes(line: CodeLine, names: frozenset[str], one: WeighedGuard) -> bool:
    """Whether a call may look at what a guard was about.

    Of `item.price` it takes the price, or the whole item, and no other member.
    """
    about = one.names
    return any(
        found[0] in names
        and (found[0] in about or _OTHER_MEMBER.match(line.text, found.end()) is None)
        for found in _NAME.finditer(line.text)
    )


def _asked_guards(change: ChangedCode) -> set[CodeLine]:
    """Return the lines of new guards on new values that the instruction names."""
    lines: set[CodeLine] = set()
    for guard in guards_in(change.added):
        called = set(CALLED.findall(guard.condition))
        new = keys_of(guard.condition) - called - change.old.words
        if names_one(change.instruction, new):
            lines.update(change.added.lines[guard.at : guard.at + guard.n_lines])
    return lines


def _is_option(line: CodeLine, change: ChangedCode) -> bool:
    """Whether a line that came only gives more to a call that was there."""
    if _OPTION.match(line.code):
        return True
    calls = list(CALLED.finditer(line.text))
    return bool(calls) and calls[0][1] in change.old.words


def checked_words(change: ChangedCode) -> set[str]:
    """Return the words of what came and may do what a check did.

    What a line sets and another one checks is checked.
    """
    lines = [line for line in change.added.lines if _may_check(line, change)]
    words = {word for line in lines for word in words_in(line.text)}
    for line in change.added.lines:
        found = ASSIGNMENT.match(line.code)
        if found and found["name"] in words:
            words |= set(words_in(line.text))
    return {word.strip("_") for word in words}


def _may_check(line: CodeLine, change: ChangedCode) -> bool:
    """Whether a line that came may do what a check did."""
    if _CHECKS.search(line.code):
        return True
    calls = set(CALLED.findall(line.text)) - change.old.words
    return bool(calls) and not _TALK.search(line.text)


def _is_renamed(one: WeighedGuard, change: ChangedCode) -> bool:
    """Whether there is a new guard that only has other names."""
    form = _form(one.guard.condition)
    gone = one.names - change.new.words
    return bool(gone) and any(
        _form(other.condition) == form for other in guards_in(change.added)
    )


def _form(condition: str) -> str:
    return squeezed(_NAME.sub("_", condition))
