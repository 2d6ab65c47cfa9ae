"""Renames a word in languages without a parser.

The language's syntax table separates names from comments and strings. Scopes are
unknown, so every use in the range is renamed, unless some of them are of another kind,
such as the field of an object with the name of a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.gateway.rules.language_syntax import (
    LanguageSyntax,
    syntax_of,
    text_pattern,
)
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.instructions.request import Rename

_UNKNOWN = LanguageSyntax()
_QUOTES = frozenset("\"'`#/%;-")
_MAX_NAME_CHARS = 200

_WITHOUT_MEMBERS = frozenset({"css", "scss", "less"})
"""Languages in which a dot begins a name."""

_MEMBER = re.compile(r"(?:(?<!\.)\.|->|::|@|(?<![\w:)\]}\"'?]):)$")
"""What stands in front of a member, an instance variable or a symbol."""
_KEY = re.compile(r"\{\s*$")
_AFTER_KEY = re.compile(r"\s*(?::(?!:)|[,}])")
"""What stands around the first key of an object, also in its short form."""


def rename_word(region: EditedLines, request: Rename) -> Outcome:
    """Rename a whole word in the range, outside comments and strings."""
    old, new = request.old, request.new
    syntax = syntax_of(region.language) or _UNKNOWN
    for name in (old, new):
        if len(name) > _MAX_NAME_CHARS or not re.fullmatch(syntax.name, name):
            return Declined(reason=f"`{name}` is not a name")
    if old == new:
        return region.target
    word = word_pattern(old, syntax)
    if syntax is _UNKNOWN and (line := _doubtful_line(region.target, word)):
        return Declined(
            reason=f"it does not know {region.language or 'this language'} and cannot"
            f" tell code from text in line {line} of the range"
        )
    if word_pattern(new, syntax).search(region.text):
        return Declined(reason=f"`{new}` is already there")
    kinds = set(_kinds(region, word, syntax))
    if len(kinds) > 1:
        return Declined(
            reason=f"`{old}` is the name of a variable and of a member or a key, too,"
            " and it cannot tell their uses apart"
        )
    result = replace_names(region, word, new, syntax)
    if result == region.target:
        return Declined(reason=f"the range does not use a name `{old}`")
    return result


def word_pattern(name: str, syntax: LanguageSyntax) -> re.Pattern[str]:
    """Return a pattern of a name that is not part of another one."""
    inside = (
        r"[\w-]" if "-" in syntax.name else r"[\w$]" if "$" in syntax.name else r"\w"
    )
    return re.compile(rf"(?<!{inside}){re.escape(name)}(?!{inside})")


def replace_names(
    region: EditedLines, word: re.Pattern[str], new: str, syntax: LanguageSyntax
) -> str:
    """Replace a word in the range's code and in the code inside its strings.

    The text before the range is read too: the range may start inside a comment.
    """
    text, at = region.before + region.target, 0
    start = len(region.before)
    parts: list[str] = []
    if not syntax.is_prose:
        for found in text_pattern(syntax).finditer(text):
            parts.append(word.sub(lambda _: new, text[max(at, start) : found.start()]))
            inner = _in_holes(found, word, new, syntax)
            skipped = max(0, start - found.start())
            # A string or comment that the range cuts is not changed.
            parts.append(
                text[found.start() + skipped : found.end()] if skipped else inner
            )
            at = found.end()
    parts.append(word.sub(lambda _: new, text[max(at, start) :]))
    return "".join(parts)


def _kinds(
    region: EditedLines, word: re.Pattern[str], syntax: LanguageSyntax
) -> Iterator[str]:
    """Yield the kind of each use of a name in the code of the range."""
    if syntax.is_prose or region.language in _WITHOUT_MEMBERS:
        return
    text, start = region.before + region.target, len(region.before)
    others = [found.span() for found in text_pattern(syntax).finditer(text)]
    for found in word.finditer(text, start):
        if any(first <= found.start() < end for first, end in others):
            continue
        before = text[max(start, found.start() - 99) : found.start()]
        if region.language == "php" and before.endswith("$"):
            yield "variable"
        elif _MEMBER.search(before):
            yield "member"
        elif _KEY.search(before) and _AFTER_KEY.match(text, found.end()):
            yield "key"
        else:
            yield "name"


def _in_holes(
    found: re.Match[str], word: re.Pattern[str], new: str, syntax: LanguageSyntax
) -> str:
    text, group = found[0], found.lastgroup
    holes = syntax.strings[int(group[1:])].holes if group else ""
    if not holes:
        return text
    return re.sub(holes, lambda hole: word.sub(lambda _: new, hole[0]), text)


def _doubtful_line(text: str, word: re.Pattern[str]) -> int | None:
    for number, line in enumerate(text.split("\n"), start=1):
        if word.search(line) and _QUOTES & set(line):
            return number
    return None
