"""Finds values that look like passwords and stand near a name that promises one.

A value may be far from its name: in the next field, as in `{"name": "DB_PASSWORD",
"value": …}`, after other words, as in `login ada password …`, or in the next line. So
here the value decides: it has digits between letters, as hardly any identifier has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from redline.prompts.secrets.signs import NEAR_WORDS

_NAME = (
    r"(?:pass(?:word|wd|wort|phrase|code)|(?<![a-z])(?:pwd?|psk)(?![a-z])|pwd"
    r"|(?<![a-z])pass(?![a-z])|mot[_-]?de[_-]?passe|contrase[nñ]a|secret|token"
    r"|credential|bearer|(?<![a-z])auth(?!or)|(?:require|bind|_)pass|masterauth|bindpw"
    r"|(?:api|auth|service|account|access|signing|encryption|db|priv|private|client"
    r"|license|shared)[ ._-]?key|(?:totp|otp)[ ._-]?seed|(?<![a-z])salt(?![a-z])"
    r"|basic_?auth|securestring|getconnection|new pdo|mysqli|pgp_sym|session_?id"
    r"|session=|community|jwt\.|hmac\.|(?:sig|signature)=|\bp_?w_?d%3d)"
)
NEAR = re.compile(_NAME, re.IGNORECASE)
"""A name that promises a secret."""

_TOKEN = re.compile(r"[\w+/!#@^*~.-]{8,}={0,2}")
"""What may be a value: no separator of fields, no quote, no bracket."""

_MIXED = re.compile(r"[^\W\d_]\d+(?=[^\W\d_])")
"""Digits between letters."""

_ALPHABET_STEPS = 6
"""In a row; by chance one in 10^8 random strings of 40 characters has as many."""

_QUOTES = "\"'`"
_SIGNS = "!#@^*~+"

_SIGNS_OF_GENERATED = frozenset("!#$%&*+;?@^|~")
"""Signs that generators of passwords use, and hardly any path or call."""

_BRACKETS = frozenset("()[]{}<>")

_MIN_MIXED = 2
_MIN_VALUE = 8
_MAX_VALUE = 200
_REACH = 160
"""Characters after a name in which its value is searched."""

_ALONE = re.compile(
    r"\s*(?:[-+?:]\s+)?(?:[\"']?(?P<key>value|default|string|parametervalue)[\"']?"
    r"\s{0,8}[:=]\s{0,8}|<\w+>(?:<!\[CDATA\[)?)?"
    r"[(\[]?[\"'`]{0,3}(?P<quote>(?<=[\"'`]))?(?P<value>[^\s\"'`<>(){}\[\]]{6,200}?)[\"'`]{0,3}"
    r"[)\]]?[,;+\\]?(?:\]\]>)?\s*(?:</\w+>)?[\s,;})\]]*",
    re.IGNORECASE,
)
"""A line with nothing but a value."""

_QUOTED_FIELD = re.compile(
    r"\s*(?:-\s+)?[\"']?(?P<key>value|default|string|parametervalue)[\"']?\s{0,8}[:=]"
    r"\s{0,8}(?P<quote>[\"'])(?P<value>[^\s\"'`]{6,200}+)(?P=quote),?\s*",
    re.IGNORECASE,
)
"""The same in quotes, where each sign belongs to the value."""

_OPEN_END = re.compile(
    r"[\w.-]{0,40}+(?:</\w+>)?[\"'`\])>]{0,3}+(?:\s{0,4}:\s{0,4}[\w.&?]{1,20}(?=\s{0,4}=))?"
    r"[\s=:>|(\[\]{\\<~&,-]{0,20}(?:[\"'`]{1,3}|[A-Z_]{1,12}|\"?string\"?,?)?\s{0,4}\\?",
    re.IGNORECASE,
)
"""The end of a line after a name whose value is in one of the next lines."""

_VALUE_FIELDS = ("default", "parametervalue", "value")

_MAX_END = 120

_NAMED_FIRST = re.compile(r"\s*(?:-\s+)?[\"']?(?:name|key)[\"']?\s*[:=]", re.IGNORECASE)

_REVERSED = re.compile(
    r"value[\"']?\s{0,4}[:=]\s{0,4}[\"']?([^\s\"'<>]{8,200})[\"']?[\s,]{1,4}"
    rf"[\"']?(?:name|key)[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"']?[\w.-]{{0,40}}{_NAME}",
    re.IGNORECASE,
)
"""A value and then its name, on one line."""

_MEMBER = re.compile(r"\s*+([\"'`])[\w .-]{1,80}\1,\s*+")

_BETWEEN = re.compile(r"\"?type\"?[ \t]{0,8}[:=].*|[-| ]+|[({\[]?", re.IGNORECASE)
"""A line that may stand between a name and its value."""

MAX_LINE = 300
"""Characters of the longest line that may hold only a value, or only its name."""

MAX_BETWEEN = 2
"""Lines between a name and its value."""


def has_name(line: str) -> bool:
    """Whether a line has a name that promises a secret."""
    return bool(_name_ends(line))


@lru_cache(maxsize=8_192)
def _name_ends(line: str) -> tuple[int, ...]:
    """Return where the names end that promise a secret; to find them takes longer than
    all that is done with them."""
    lower = line.lower()
    if not any(map(lower.__contains__, NEAR_WORDS)):
        return ()
    return tuple(name.end() for name in NEAR.finditer(line))


def is_opaque(value: str) -> bool:
    """Whether a value looks like a password, and not like a name or a number."""
    if "." in value:
        return any(map(is_opaque, value.split(".")))
    n_mixed = len(_MIXED.findall(value))
    has_both = value != value.lower() and value != value.upper()
    return n_mixed >= _MIN_MIXED or (
        n_mixed == 1 and has_both and any(char in value for char in "!#@^*~+-")
    )


def is_password(value: str) -> bool:
    """Whether a string is like those that people make up: letters and a digit, with an
    upper-case letter or a sign, or without any sign. Many names in code are so, too.
    """
    return (
        len(value) >= _MIN_VALUE
        and any(map(str.isdigit, value))
        and any(map(str.islower, value))
        and (
            value.isalnum()
            or any(map(str.isupper, value))
            or any(map(value.__contains__, _SIGNS))
        )
        and not holds_alphabet(value)
    )


def is_generated(value: str) -> bool:
    """Whether a value is like those that password managers make: letters of both cases
    with several signs, or opaque behind signs. A reference or a call may have brackets
    and a sign in front, but is neither."""
    if len(value) < _MIN_VALUE or value == value.lower() or value == value.upper():
        return False
    n_signs = len(_SIGNS_OF_GENERATED.intersection(value))
    return n_signs >= (2 if any(map(str.isdigit, value)) else 3) or (
        _BRACKETS.isdisjoint(value) and is_opaque(value.lstrip("$"))
    )


def holds_alphabet(value: str) -> bool:
    """Whether a part of a string counts up, character by character."""
    n_steps = 0
    for one, next_one in pairwise(value):
        n_steps = n_steps + 1 if ord(next_one) - ord(one) == 1 else 0
        if n_steps == _ALPHABET_STEPS:
            return True
    return False


def find_near_names(line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of values that follow a name on its line.

    They are opaque, or text that is like a password.
    """
    done = 0
    # Without a digit, nothing is opaque or like a password.
    for name_end in _name_ends(line) if any(map(str.isdigit, line)) else ():
        start = max(name_end, done)
        done = min(len(line), name_end + _REACH)
        # Whole words: a value is not cut at the end of the reach.
        for token in _TOKEN.finditer(line, start):
            if token.start() >= done:
                break
            span = _value_in(line, token)
            if span is not None:
                yield span
    for found in _REVERSED.finditer(line):
        yield found.span(1)


def _value_in(line: str, token: re.Match[str]) -> tuple[int, int] | None:
    value = token[0].rstrip(".")
    start = token.start()
    end = start + len(value)
    if end - start > _MAX_VALUE:
        return None
    if not (is_opaque(value) or (_is_text(line, start, end) and is_password(value))):
        return None
    if line[end : end + 1] == "(" or "://" in value or value.startswith(("./", "../")):
        return None
    return start, end


def _is_text(line: str, start: int, end: int) -> bool:
    """Whether a part of a line is text, and not a name in code: it ends a string, is an
    XML element's, or follows `=` without a blank, as in a shell."""
    before, after = line[start - 1], line[end : end + 1]
    if before == "=" and (not after or after in " \t&"):
        return NEAR.search(line, start, end) is None
    if before == ">":
        return after == "<"
    return after != "" and after in _QUOTES and before in f"{_QUOTES}= "


def expects_value(line: str) -> bool:
    """Whether a line ends with a name whose value follows on another line."""
    start = max(0, len(line) - _MAX_END)
    return any(
        _OPEN_END.fullmatch(line, end) for end in _name_ends(line) if end > start
    )


@lru_cache(maxsize=4_096)
def is_member(line: str) -> bool:
    """Whether a line is one string of a list, and no field, as `"password",`."""
    return _MEMBER.fullmatch(line) is not None


def names_value(line: str) -> bool:
    """Whether a line is `name: DB_PASSWORD`, perhaps after the line of the value."""
    return _NAMED_FIRST.match(line) is not None


@lru_cache(maxsize=4_096)
def lone_value(
    line: str, *, is_named: bool = False, is_text: bool = False
) -> tuple[int, int] | None:
    """Return the span of the value of a line that has nothing else.

    It has letters and digits; letters are enough if the line names it a value, and a
    line before it has a strong name. In text, one that is like a password needs no
    quotes.
    """
    found = _alone(line)
    if found is None:
        return None
    value = found["value"]
    is_value = any(map(str.isalpha, value)) and (
        any(map(str.isdigit, value))
        or (is_named and (found["key"] or "").lower() in _VALUE_FIELDS)
    )
    # Without quotes or the name of a field it may be code.
    is_code = found["quote"] is None and found["key"] is None
    if not is_value or len(value) < _MIN_VALUE:
        return None
    if is_code and not (is_opaque(value) or (is_text and is_password(value))):
        return None
    return found.span("value")


def is_value_field(line: str) -> bool:
    """Whether a line of a value names itself one."""
    found = _alone(line)
    return found is not None and found["key"] is not None


def _alone(line: str) -> re.Match[str] | None:
    return _ALONE.fullmatch(line) or _QUOTED_FIELD.fullmatch(line)


@lru_cache(maxsize=4_096)
def may_be_between(line: str) -> bool:
    """Whether a line may stand between a name and its value."""
    return _BETWEEN.fullmatch(line.strip()) is not None
