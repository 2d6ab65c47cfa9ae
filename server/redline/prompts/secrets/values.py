"""Finds values by the name in front of them, or beside them in the same statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.prompts.secrets import formats, neighbours
from redline.prompts.secrets.kinds import Kind
from redline.prompts.secrets.names import (
    NAME,
    Promise,
    promise_of,
    promise_of_setting,
    words_of,
)

Span = tuple[int, int]

_MIN_TOKEN = 16
"""Characters of a value with letters and digits that is the secret of a weak name."""

_MIN_NAMED = 6
"""Shorter strings assigned to a name such as `password` do not count as secrets."""

_HARMLESS = re.compile(
    r"pass(?:word|wd|phrase)s?|secrets?|tokens?|credentials?|api|key|private|public"
    r"|string|required|optional|hidden|example|placeholder|changeme|change|me|your"
    r"|enter|new|old|confirm|current|repeat|user|none|null|true|false|undefined"
    r"|default|disabled|enabled|x+"
)
"""In a value without a digit: words that name or represent a secret."""

_HARMLESS_WORDS = re.compile(rf"(?:{_HARMLESS.pattern})++")

_PLAIN = re.compile(r"[\w.: -]+")
"""A value that may be a name or a label, and has words."""

REFERENCE = re.compile(
    r"\A(?:[$#@:.&*!?/%-]{1,2}+[^\W\d][^\W\d.]*[.%]?\Z|[\^~>=]{1,2}+[\d.]*\Z|\*\."
    r"|\$[A-Z_]|%\w+%|[$%][{(]"
    r"|<|\{(?!noop\}))"
    r"|\$\{[^{}]*+\}|\{\{[^{}]*+\}\}"
    r"|\A(?:os|env|process|config|self|this)\."
)
"""The forms of a value that is filled in elsewhere, and of a name with a sign."""

CALL = re.compile(r"[\w.\]]\(|\w\[|->|=>|::")
"""Code instead of a value, in files whose values need no quotes."""

_ODD = re.compile(r"[\"'`\\(\[]|\$\{|\{\{|[^\S \t\n]")
"""What may end a value, or be a part of a password."""


_IN_CODE = (
    formats.NAMED_STRING,
    formats.PASSED_STRING,
    formats.XML_TEXT,
    formats.XML_VALUE,
)
AFTER_NAME = {
    Kind.CODE: _IN_CODE,
    Kind.PROSE: (*_IN_CODE, formats.ASSIGNED_AT_END),
    Kind.SCRIPT: _IN_CODE,
    Kind.SETTINGS: (formats.XML_TEXT, formats.XML_VALUE),
}
"""Patterns of values after their name, by the kind of the file."""

BESIDE = (
    formats.BRACKETED_STRING,
    formats.FALLBACK,
    formats.ENVIRONMENT,
    formats.FORMATTED,
    formats.DEFAULT,
    formats.IN_PAIR,
    formats.OF_MEMBER,
    formats.FIELD_VALUE,
    formats.XML_FIELD,
)
"""Patterns of values in another part of the statement of their name."""

_OF_COOKIE = frozenset({"domain", "expires", "path"})
"""What a cookie's header says besides the cookie."""

_TEMPLATE = re.compile(r"[#$]?\{[^{}]*+\}|(?P<part>[^\s{}]{6,}+)")
"""What a template fills in, or a part that it has (the group)."""

_IN_QUERIES = frozenset({"code", "key"})
"""Names that promise a secret in a query only."""

_MAX_BEFORE = 80
"""Characters before a name in which a function is searched that takes it."""

_ASKS = re.compile(
    r"ask|change|check|compare|confirm|decrypt|encrypt|find|forgot|handle|has|hash|hide"
    r"|is|mask|match|on|prompt|reset|set|show|test|toggle|update|valid|validate|verify"
)
"""First words of the names of functions that return no secret."""

_CONDITION = re.compile(r"\b(?:if|elif|unless|until|when|while|and|or|not)\b|!")

_AFTER_WEAK_NAME = {
    Kind.CODE: (formats.ARGUMENT,),
    Kind.PROSE: (
        formats.ARGUMENT,
        formats.LABELLED,
        formats.IN_SENTENCE,
        formats.ASSIGNED_WORD,
        formats.FIELD_OF_GO,
    ),
    Kind.SCRIPT: (formats.ARGUMENT,),
    Kind.SETTINGS: (formats.ARGUMENT,),
}
"""Patterns whose values have to look like a secret, whatever the name promises."""

UNQUOTED = {
    Kind.SCRIPT: (formats.ASSIGNED_WORD, formats.LAST_WORD),
    Kind.SETTINGS: (formats.ASSIGNED_WORD, formats.SETTING, formats.IN_FLOW),
}
"""Patterns of values that need no quotes."""


def find_named(line: str, kind: Kind) -> Iterator[Span]:
    """Find values by the name in front of them."""
    is_odd = _ODD.search(line) is not None
    behind = formats.COMMENT_BEHIND.search(line)
    at_comment = behind.start() if behind else len(line)
    for name in NAME.finditer(line):
        if promise := promise_of(name[0]):
            is_comment = name.start() > at_comment
            yield from _values_after(line, name, promise, kind, is_comment=is_comment)
            if promise is Promise.STRONG and not is_comment:
                yield from _value_in_comment(line, at_comment)
            if is_odd and promise is Promise.STRONG:
                yield from _find_odd(line, name.end(), kind)
    yield from _values_for_names(line)
    yield from _values_of_other_forms(line)
    yield from _values_of_cookies(line)
    yield from _values_of_open_elements(line)


def _value_in_comment(line: str, start: int) -> Iterator[Span]:
    """Find the value of a name in the comment behind its statement."""
    found = formats.LAST_OF_COMMENT.match(line, start)
    if found and is_secret_of(Promise.WEAK, found["value"]):
        yield found.span("value")


def _values_of_other_forms(line: str) -> Iterator[Span]:
    """Find values that are in front of their names, in headers and in queries."""
    if "==" in line or "!=" in line:
        for found in formats.COMPARED_STRING.finditer(line):
            if is_secret_of(promise_of(found["name"]), found["value"]):
                yield found.span("value")
    if "?" in line or "&" in line:
        for found in formats.QUERY.finditer(line):
            name = found["name"]
            is_short = name.lower() in _IN_QUERIES
            promise = Promise.WEAK if is_short else promise_of_setting(name)
            if is_secret_of(promise, found["value"]):
                yield found.span("value")
    if "-" in line or "uthorization" in line:
        for found in formats.SECRET_HEADER.finditer(line):
            if may_be_secret(found["value"]):
                yield found.span("value")


def _values_of_open_elements(line: str) -> Iterator[Span]:
    """Find the text of an element of XML that is being typed."""
    for found in formats.OPEN_ELEMENT.finditer(line) if "<" in line else ():
        if is_secret_of(promise_of(found["name"]), found["value"]):
            yield found.span("value")


def _values_of_cookies(line: str) -> Iterator[Span]:
    """Find the values of a header whose names promise a secret, whatever they are, and
    those that look like the id of a session."""
    header = formats.COOKIE_HEADER.search(line) if "ookie" in line else None
    if header is not None:
        for found in formats.COOKIE.finditer(line, header.end()):
            name, value = found["name"], found["value"]
            is_id = name.lower() not in _OF_COOKIE and _is_id(value)
            if may_be_secret(value) and (is_id or promise_of(name)):
                yield found.span("value")


def _is_id(value: str) -> bool:
    return neighbours.is_opaque(value) or _is_token(value)


def _values_for_names(line: str) -> Iterator[Span]:
    """Find values that are passed in front of their names."""
    for found in formats.VALUE_FOR.finditer(line) if " for" in line else ():
        if is_secret_of(_promise_of_header(found["name"]), found["value"]):
            yield found.span("value")


def _promise_of_header(name: str) -> Promise:
    """Return what a name promises that may be one of a header: there a value that is
    named a credential is one."""
    promise = promise_of(name)
    is_header = "-" in name or name.lower() == "authorization"
    return Promise.STRONG if is_header and promise is Promise.WEAK else promise


def _values_after(
    line: str, name: re.Match[str], promise: Promise, kind: Kind, *, is_comment: bool
) -> Iterator[Span]:
    """Find the value of a name, which may be in a comment behind code."""
    yield from _values_of_patterns(line, name, promise, kind)
    if promise is Promise.STRONG:
        yield from _values_beside(line, name)
    # The name may be one of several strings, or a word of a sentence.
    is_comment = is_comment or formats.COMMENT.match(line) is not None
    for pattern in _AFTER_WEAK_NAME[Kind.PROSE if is_comment else kind]:
        found = pattern.match(line, name.end())
        if found and is_secret_of(min(promise, Promise.WEAK), found["value"]):
            yield found.span("value")
    if kind not in UNQUOTED:
        return
    # Here a name such as `token` is that of a value, and of nothing else.
    promise = promise_of_setting(name[0])
    is_pair = formats.IN_FRONT_OF_PAIR[kind].fullmatch(line, 0, name.start())
    for pattern in (*UNQUOTED[kind], *((formats.PAIR,) if is_pair else ())):
        if found := pattern.match(line, name.end()):
            value = re.split(r"(?<!\s)\s++[#;]", found["value"])[0].rstrip()
            if is_secret_of(promise, value) and not is_call(value):
                yield found.start("value"), found.start("value") + len(value)


def _values_of_patterns(
    line: str, name: re.Match[str], promise: Promise, kind: Kind
) -> Iterator[Span]:
    for pattern in AFTER_NAME[kind]:
        found = pattern.match(line, name.end())
        if found and is_secret_of(promise, found["value"]):
            yield found.span("value")
        elif found and promise is Promise.STRONG and "{" in found["value"]:
            yield from _parts_of_template(line, *found.span("value"))


def _parts_of_template(line: str, start: int, end: int) -> Iterator[Span]:
    """Find what a template such as `f"{prefix}…"` adds to the values that it gets."""
    for found in _TEMPLATE.finditer(line, start, end):
        part = (found["part"] or "").rstrip("#$")
        if is_secret_of(Promise.WEAK, part):
            yield found.start(), found.start() + len(part)


def _values_beside(line: str, name: re.Match[str]) -> Iterator[Span]:
    """Find the value of a name that is in another part of the same statement."""
    patterns = [*BESIDE]
    if formats.SETS.fullmatch(name[0]):
        patterns.append(formats.GIVEN)
        if name[0].lower() != "pass":
            # In a sentence it is a verb.
            patterns.append(formats.NEXT_STRING)
    if formats.OPENS_BRACES.search(
        line, max(0, name.start() - _MAX_BEFORE), name.start()
    ):
        patterns.append(formats.IN_BRACES)
    if _may_return(line, name):
        patterns.append(formats.RETURNED)
    if formats.NAMES_NEXT.search(
        line, max(0, name.start() - _MAX_BEFORE), name.start()
    ):
        patterns.append(formats.SECOND)
    for pattern in patterns:
        found = pattern.match(line, name.end())
        if found and may_be_secret(found["value"]):
            yield found.span("value")


def _may_return(line: str, name: re.Match[str]) -> bool:
    """Whether a name may be that of a function, where it is defined, with a secret."""
    start = max(0, name.start() - _MAX_BEFORE)
    is_asked = _CONDITION.search(line, start, name.start()) is not None
    return not (is_asked or _ASKS.fullmatch(words_of(name[0])[0]))


def is_secret_of(promise: Promise, value: str) -> bool:
    """Whether a value may be the secret that its name promises."""
    if not may_be_secret(value):
        return False
    match promise:
        case Promise.STRONG:
            return True
        case Promise.WEAK:
            return formats.TOKEN.fullmatch(value) is not None and (
                neighbours.is_opaque(value)
                or neighbours.is_password(value)
                or _is_token(value)
            )
        case Promise.SETTING:
            return neighbours.is_opaque(value)
        case Promise.NONE:
            return False


def _is_token(value: str) -> bool:
    return (
        len(value) >= _MIN_TOKEN
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
    )


def _find_odd(line: str, start: int, kind: Kind) -> Iterator[Span]:
    """Find whole values with quotes, brackets and the like, if they look like one."""
    patterns = [formats.QUOTED_VALUE]
    if kind is Kind.SETTINGS:
        patterns.append(formats.PLAIN_VALUE)
    for pattern in patterns:
        if found := pattern.match(line, start):
            value = found["value"].rstrip(",;")
            if (
                _ODD.search(value)
                and neighbours.is_opaque(value)
                and not REFERENCE.search(value)
            ):
                yield found.start("value"), found.start("value") + len(value)


def may_be_secret(value: str) -> bool:
    """Whether a value is no reference, no sentence, and no name of a secret."""
    return (
        len(value) >= _MIN_NAMED
        and not any(map(str.isspace, value))
        and any(map(str.isalnum, value))
        and (any(map(str.isdigit, value)) or not _is_harmless(value))
        and (REFERENCE.search(value) is None or neighbours.is_generated(value))
    )


def is_call(value: str) -> bool:
    """Whether a value is code, in files whose values need no quotes."""
    return CALL.search(value) is not None and not neighbours.is_generated(value)


def _is_harmless(value: str) -> bool:
    """Whether one of the words of a name is harmless, or all of a value is."""
    words = words_of(value)
    if _HARMLESS_WORDS.fullmatch("".join(words)):
        return True
    return (
        len(words) > 1
        and _PLAIN.fullmatch(value) is not None
        and any(map(_HARMLESS.fullmatch, words))
    )
