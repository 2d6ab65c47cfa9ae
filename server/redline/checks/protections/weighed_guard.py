"""A guard of the old code, with the names that it is about."""

from __future__ import annotations

import re

from msgspec import Struct

from redline.checks.protections.changed_code import ChangedCode, CodeLine, words_in
from redline.checks.protections.families import family_of
from redline.checks.protections.guards import GuardClause
from redline.syntax.word_set import word_set

KEYWORDS = word_set(
    "if elif elsif unless guard not and or is in let var const else null None nil"
    " undefined true false True False this self await instanceof typeof as some Some Ok"
    " Err return then do end mut ref new err error len length isEmpty case"
    " match throw raise continue break test"
)
_VARIABLES = frozenset({"new", "test", "case", "match", "error", "err"})
"""Keywords of one language that are variables in others, if a member follows."""
_BEFORE_MEMBER = re.compile(r"\s*(?:[?!]{0,2}\.|->|::)\s*[^\W\d]")
_NAME = re.compile(r"[^\W\d]\w*")
_OWN_FIELD = re.compile(r"(?:\b(?:self|this)\??(?:\.|->)|@)$")
_REFUSES = re.compile(
    r"\b40[13]\b|forbid|unauthori|denied|PermissionError|AccessDenied|not allowed"
    r"|Security\w*(?:Error|Exception)|permission|AuthError|AuthenticationError"
    r"|\bsignature|tamper|mismatch",
    re.IGNORECASE,
)


class WeighedGuard(Struct, frozen=True, kw_only=True):
    guard: GuardClause
    families: frozenset[str]
    """The families of its names, if it protects from somebody."""

    def lines(self, change: ChangedCode) -> tuple[CodeLine, ...]:
        start = self.guard.at
        return change.old.lines[start : start + self.guard.n_lines]

    @property
    def names(self) -> frozenset[str]:
        condition = self.guard.condition
        return keys_of(condition) or frozenset(words_in(condition))


def families_of(guard: GuardClause) -> frozenset[str]:
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


def keys_of(condition: str) -> frozenset[str]:
    """Return the names that a condition is about: of `user.name` the last."""
    return frozenset(
        found[0]
        for found in _NAME.finditer(condition)
        if not is_keyword(found) and not _BEFORE_MEMBER.match(condition, found.end())
    )


def is_keyword(found: re.Match[str]) -> bool:
    """Whether a word of a condition is no name, such as `len` in `len(x)`."""
    if found[0] not in KEYWORDS:
        return False
    head, tail = found.string[: found.start()], found.string[found.end() :]
    if _OWN_FIELD.search(head):
        return tail.startswith("(")
    return found[0] not in _VARIABLES or not tail.startswith(".")


def names_in(condition: str) -> frozenset[str]:
    """Return the names of a condition, also those of which it takes members."""
    found = _NAME.finditer(condition)
    return frozenset(one[0] for one in found if not is_keyword(one))
