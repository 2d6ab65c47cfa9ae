"""Names in places where they protect: calls, annotations, modifiers, options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from redline.checks.problem import Problem
from redline.checks.protections.changed_code import (
    ChangedCode,
    Code,
    CodeLine,
    owner_is_gone,
    value_changed,
    words_in,
)
from redline.checks.protections.families import (
    FAMILIES,
    family_of,
    has_counterpart,
    speaks_of,
)

_NAME = r"[^\W\d]\w*"
_PLACES = (
    re.compile(rf"(?<!\w)(?P<name>{_NAME})[!?]?(?:<[\w\s,.]*+>)?\("),
    re.compile(r"(?<!\w)(?P<name>hmac\.Equal|MessageDigest\.isEqual)\("),
    re.compile(
        r"(?<!\w)(?P<name>bcrypt|argon2|hmac|secrets|DOMPurify|bleach|\w*[lL]ock"
        r"|\w*[mM]utex)\."
    ),
    re.compile(rf"(?<!\w)@(?:[\w.]+\.)?(?P<name>{_NAME})"),
    re.compile(rf"^#?\[(?P<name>{_NAME})"),
    re.compile(rf"^(?:before|around|prepend_before)_\w+\s+:(?P<name>{_NAME})"),
    re.compile(
        r"(?<![\w.])(?P<name>(?:require|ensure|verify|check|validate|auth|only"
        r"|rateLimit"
        r"|rate_limit|csrf|protect|limit)\w+|nonReentrant|synchronized|[Aa]tomic\w*)"
        r"(?=\s*[,){\s])(?!\s*=)"
    ),
    re.compile(
        r"(?:\bwith|\busing|\bsynchronized|\block)\b[^\w\n]*+(?:[\w]+[.>:-]+)*"
        rf"(?P<name>{_NAME})"
    ),
)
_OPTION = re.compile(
    rf"(?<![\w.])[\"']?(?P<name>{_NAME})[\"']?\s*(?:=>"
    rf"|[:=](?![:=]))\s*(?P<value>[^,)}}]*)"
)
_OPTIONS = re.compile(
    r"timeout\w*|http_?only|secure|same_?site|auto_?escape|check|signal|cafile|ca_certs"
    r"|max_?(?:bytes|redirects)",
    re.IGNORECASE,
)
_OFF = re.compile(r"\s*(?:False|false|None|null|nil|0|undefined)\b")
_STRONG = frozenset({"comparison", "signature", "access", "request forgery"})
_STARTS = ("@", "[", "await ", "this.", "self.", "$this->")
_SUBJECT = re.compile(
    r"\(\s*(?P<subject>[$\w.\[\]>-]+)(?:\[[\"'](?P<key>\w+)[\"']\])?\s*(?:[,)]|\?\?)"
)
_LABEL = re.compile(r"^[ \t]*+([A-Z][A-Z_]*+);?$", re.MULTILINE)
"""The line that ends a here-document."""
_DEFINED = re.compile(r"\b(?:def|fn|func?|function|fun|sub)\s+$")


class _Protection(Struct, frozen=True, kw_only=True):
    name: str
    family: str
    line: CodeLine


def lost_names(change: ChangedCode) -> Iterator[Problem]:
    """Yield a problem for each name that protected something and has no counterpart."""
    seen: set[str] = set()
    found = list(_protections(change.removed))
    for one in found:
        if not seen.isdisjoint((one.family, one.line.text)):
            continue
        if _is_there(one.name, change):
            continue
        own = [other.line for other in found if other.family == one.family]
        if _has_moved(one.family, own, change) or _is_moot(one, change):
            continue
        if owner_is_gone(change, one.line):
            continue
        if not speaks_of(change.instruction, one.family):
            seen |= {one.family, one.line.text}
            yield lost(FAMILIES[one.family].what, one.line.text)
    yield from _lost_options(change)


def _has_moved(family: str, own: Iterable[CodeLine], change: ChangedCode) -> bool:
    """Whether a name that came may stand for those of a family that are gone.

    What a line had besides the name, such as the value, is no counterpart if it stays.
    """
    moved = {word for line in own for word in words_in(line.text)}
    came = change.added.words - change.old.words
    came -= set(_LABEL.findall(change.added.text))
    return has_counterpart(family, came) or any(
        family_of(word) == family for word in change.added.words & moved
    )


def _is_there(name: str, change: ChangedCode) -> bool:
    return name in change.new.words or ("." in name and name in change.new.code)


def lost(what: str, text: str) -> Problem:
    return Problem(
        rule="lost-protection",
        message=(
            f"The reply removes the {what} `{text}`, which the instruction does not ask"
            " for. Keep it."
        ),
    )


def _protections(code: Code) -> Iterator[_Protection]:
    for line in code.lines:
        for place in _PLACES:
            for found in place.finditer(line.text):
                family = family_of(found["name"])
                if family and not _DEFINED.search(line.text[: found.start()]):
                    yield _Protection(name=found["name"], family=family, line=line)


def _is_moot(one: _Protection, change: ChangedCode) -> bool:
    """Whether what was protected is gone as well."""
    if one.family in _STRONG:
        return False
    after = one.line.text.partition(one.name)[2]
    found = _SUBJECT.match(after)
    words = words_in(found["subject"] if found else one.line.code)
    others = [word for word in words if word != one.name]
    if one.family == "lock":
        return not _is_alive(one, change)
    if one.family == "validation" and not one.line.text.startswith(
        (*_STARTS, one.name)
    ):
        return True
    if not others:
        return False
    if found and found["key"] and found["key"] not in change.new.words:
        return True
    subject = others[-1]
    return subject not in change.new.words or value_changed(change, subject)


def _is_alive(one: _Protection, change: ChangedCode) -> bool:
    """Whether the code behind a lock is still there."""
    at = change.old.lines.index(one.line)
    names = set(words_in("\n".join(li.code for li in change.old.lines[at + 1 :][:6])))
    return not names or 2 * len(names & change.new.words) >= len(names)


def _lost_options(change: ChangedCode) -> Iterator[Problem]:
    for line in change.removed.lines:
        for found in _OPTION.finditer(line.text):
            name = found["name"]
            if not _OPTIONS.fullmatch(name) or name in change.new.words:
                continue
            if _OFF.match(found["value"]):
                continue
            if line.text.startswith(found[0]) and not line.text.rstrip().endswith(","):
                continue  # An assignment.
            head = line.text[: found.start()].rpartition("(")[0]
            callee = words_in(head)[-1:]
            is_called = not callee or callee[0] in change.new.words
            if is_called and not _is_named(change, name):
                yield lost("option", f"{found[0].strip()}")


def _is_named(change: ChangedCode, name: str) -> bool:
    stem = name.lower()[:5]
    return stem in change.instruction.lower() or stem in change.added.text.lower()
