"""Secrets in a list, a map or a section whose name says that it holds some.

The items have names of their own, such as those of users, or none: `passwords = [...]`,
`[tokens]` in TOML and INI, `secrets:` in YAML, `<passwords>` in XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from redline.prompts.secrets.names import Promise
from redline.prompts.secrets.values import is_secret_of
from redline.syntax.word_set import word_set

_WORDS = (
    r"(?:passwords|passwds|passphrases|secrets|api[_-]?keys"
    r"|(?:access|auth|refresh|bearer|api|deploy|user)?[_-]?tokens)"
)
_NAME = rf"[\w.-]{{0,60}}?{_WORDS}"
_SECTION = re.compile(rf"[ \t]*+\[++\"?{_NAME}\"?\]++\s*+", re.IGNORECASE)
_KEY = re.compile(
    rf"(?P<indent>[ \t]*+)(?:-[ ])?[\"']?{_NAME}[\"']?:[ \t]*+(?:#.*+)?", re.IGNORECASE
)
_ELEMENT = re.compile(rf"\s*+<(?P<tag>{_NAME})(?:\s[^<>]*+)?>\s*+", re.IGNORECASE)
_WORD = re.compile(rf"(?<!\w)\w{{0,40}}?{_WORDS}(?!\w)", re.IGNORECASE)
_MADE = re.compile(r"[^()=]{0,20}=\s*+(?:new\b[^;]*+)?")
"""What is between the name and a bracket on the next line."""

_SIGNS = tuple(
    form
    for word in ("passw", "passph", "secrets", "keys", "tokens")
    for form in (word, word.capitalize(), word.upper())
)
"""Each name contains one of these."""

_STRING = re.compile(r"(?P<quote>[\"'`])(?P<value>[^\"'`\s]{6,200}+)(?P=quote)")
_BARE = re.compile(
    r"\s*+(?:-\s++)?(?:(?P<key>[\w.-]{1,60}+)\s*+[:=]\s*+)?"
    r"(?P<value>[^\s\"'`#{\[(<]\S{5,199}+)\s*+"
)
_TEXT = re.compile(r">(?P<value>[^<>\s]{6,200}+)<")
_BEFORE = re.compile(r"[\"'\[]?(?P<key>[\w.-]{1,60}+)[\"'\]]{0,2}\s*+(?:=>|[:=])\s*+$")
_BEHIND = re.compile(r"[\"'\]]?\s*+(?:=>|:|=)")
_LABELS = word_set(
    "description email environment external file host id key kind login name path"
    " scope secretname source target title type url user username version"
)
"""Keys of items whose value is no secret."""

_MIN_N_CHANGES = 5
_MAX_N_LINES = 2_000
_MAX_N_CHARS = 200
"""Longer lines open nothing; items are read in twice as much."""


def has_container(text: str) -> bool:
    """Whether a container of secrets begins in a line of a text."""
    for sign in _SIGNS:
        at = text.find(sign)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = end if end >= 0 else len(text)
            if end - start <= _MAX_N_CHARS and _opens(text[start:end]):
                return True
            at = text.find(sign, end)
    return False


def _opens(line: str) -> bool:
    if len(line) > _MAX_N_CHARS:
        return False
    forms = (_SECTION, _KEY, _ELEMENT)
    return any(form.fullmatch(line) for form in forms) or _opens_bracket(line)


def _opens_bracket(line: str) -> bool:
    """Whether a line ends with the bracket of a value, or where it is to follow."""
    name = _WORD.search(line)
    if name is None:
        return False
    rest = line[name.end() :].strip()
    if not rest.endswith(("[", "{", "(")):
        return _MADE.fullmatch(rest) is not None
    before = rest[:-1].partition("=")[0]
    return len(rest) == 1 or (
        ("=" in rest or ":" in rest) and "(" not in before and ")" not in before
    )


def values_in_containers(text: str, *, is_bare: bool) -> Iterator[tuple[int, int]]:
    """Find the secrets of a text that are items of such a container.

    Args:
        text: Any text; LF line ends.
        is_bare: Whether values need no quotes.
    """
    if not has_container(text):
        return
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    done = 0
    for first, line in enumerate(lines):
        if first < done or not _opens(line):
            continue
        done = _end(lines, first)
        for at in range(first + 1, done):
            for start, end in _values(lines[at], is_bare=is_bare):
                yield starts[at] + start, starts[at] + end


def _end(lines: Sequence[str], first: int) -> int:
    """Return the line after a container."""
    limit = min(len(lines), first + _MAX_N_LINES)
    line = lines[first]
    if key := _KEY.fullmatch(line):
        return _end_of_block(lines, first, limit, len(key["indent"]))
    element = _ELEMENT.fullmatch(line)
    is_section = _SECTION.fullmatch(line) is not None
    depth = _depth(line)
    for at in range(first + 1, limit):
        if element is not None:
            is_end = f"</{element['tag']}" in lines[at]
        elif is_section:
            is_end = lines[at].startswith("[")
        else:
            depth += _depth(lines[at])
            is_end = depth <= 0
        if is_end:
            return at
    return limit


def _end_of_block(lines: Sequence[str], first: int, limit: int, indent: int) -> int:
    for at in range(first + 1, limit):
        text = lines[at].lstrip(" \t")
        depth = len(lines[at]) - len(text)
        is_item = depth == indent and text.startswith("- ")
        if text and depth <= indent and not is_item:
            return at
    return limit


def _depth(line: str) -> int:
    return sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))


def _values(line: str, *, is_bare: bool) -> Iterator[tuple[int, int]]:
    if len(line) > 2 * _MAX_N_CHARS:
        return
    found = [*_STRING.finditer(line), *_TEXT.finditer(line)]
    bare = _BARE.fullmatch(line) if is_bare and not found else None
    for one in (*found, *((bare,) if bare is not None else ())):
        before = _BEFORE.search(line[: one.start()])
        key = before["key"] if before else (one.groupdict().get("key") or "")
        if key.lower() in _LABELS or _BEHIND.match(line, one.end()):
            continue
        value = one["value"].rstrip(",;")
        if is_secret_of(Promise.WEAK, value) or _is_random(value):
            yield one.start("value"), one.start("value") + len(value)


def _is_random(value: str) -> bool:
    """Whether letters change their case as they do in no name."""
    changes = sum(a.isupper() != b.isupper() for a, b in pairwise(value))
    return value.isalnum() and value.isascii() and changes >= _MIN_N_CHANGES
