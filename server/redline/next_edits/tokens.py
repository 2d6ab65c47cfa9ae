"""Tokens of source code, exact enough to tell names from strings and comments.

No grammar: a file that does not parse, as most do while they are typed, has tokens all
the same. Code inside f-strings and template literals is code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from redline.text.elision import BRACE_LANGUAGES

TokenKind = Literal["name", "number", "string", "comment", "op", "blank", "end"]
Family = Literal["python", "braces", "hash", "markup", "other"]
"""Languages that share their comments and strings."""


class Token(NamedTuple):
    """One token; `end` is a line end."""

    kind: TokenKind
    text: str
    start: int
    """Offset in the text."""

    @property
    def stop(self) -> int:
        """Offset behind it."""
        return self.start + len(self.text)


OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

_FAMILIES: dict[Family, frozenset[str]] = {
    "python": frozenset({"python"}),
    "braces": BRACE_LANGUAGES,
    "hash": frozenset(
        ["ruby", "shellscript", "yaml", "toml", "perl", "r", "elixir", "makefile"]
    ),
    "markup": frozenset(["html", "xml", "vue", "svelte", "xhtml", "svg", "handlebars"]),
}

_QUOTED = r'"(?:\\.|[^"\\\r\n])*"?|\'(?:\\.|[^\'\\\r\n])*\'?'
_TRIPLE = r'"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'(?:\\.|[^\\])*?(?:\'\'\'|\Z)'
_PYTHON_PREFIX = r"(?i:[rbuf]|rb|br|fr|rf)?"

_COMMENTS: dict[Family, str] = {
    "python": r"#[^\r\n]*",
    "braces": r"//[^\r\n]*|/\*[\s\S]*?(?:\*/|\Z)",
    "hash": r"#[^\r\n]*",
    "markup": r"<!--[\s\S]*?(?:-->|\Z)",
    "other": r"(?!)",
}
_STRINGS: dict[Family, str] = {
    "python": rf"{_PYTHON_PREFIX}(?:{_TRIPLE}|{_QUOTED})",
    # A lone apostrophe is a Rust lifetime.
    "braces": r'"(?:\\.|[^"\\\r\n])*"?|\'(?:\\.|[^\'\\\r\n])*\'|'
    r"`(?:\\[\s\S]|[^`\\])*(?:`|\Z)",
    "hash": _QUOTED,
    "markup": r'"[^"]*"|\'[^\']*\'',
    "other": r'"[^"\r\n]*"',
}
_REST = (
    r"|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<end>\r\n|\n|\r)|(?P<blank>[ \t]+)"
    r"|(?P<op>:=|->|=>|\*\*=?|//=|<<=|>>=|[-+*/%@&|^]=|[=!<>]=|\.\.\.|[\s\S])"
)
_PATTERNS: dict[Family, re.Pattern[str]] = {
    family: re.compile(
        rf"(?P<comment>{_COMMENTS[family]})|(?P<string>{_STRINGS[family]}){_REST}"
    )
    for family in _COMMENTS
}

_FIELD_STRING = re.compile(r"(?i)(?:f|fr|rf)(\"\"\"|'''|\"|')")


def family_of(language: str) -> Family:
    """Return the family of a language, by LSP language id."""
    for family, languages in _FAMILIES.items():
        if language in languages:
            return family
    return "other"


def tokens(
    text: str, family: Family, start: int = 0, stop: int | None = None
) -> list[Token]:
    """Split a part of a text; `start` must not be inside a token."""
    return list(_tokens(text, family, start, len(text) if stop is None else stop))


def with_depth(some: Iterable[Token]) -> Iterator[tuple[int, Token]]:
    """Yield tokens, each with the number of brackets that are open after it."""
    depth = 0
    for one in some:
        if one.kind == "op":
            depth += (one.text in OPENING) - (one.text in CLOSING)
        yield depth, one


def code(all_tokens: Iterable[Token]) -> list[Token]:
    """Return the tokens that are not white space, line ends or comments."""
    return [one for one in all_tokens if one.kind not in ("blank", "end", "comment")]


def _tokens(text: str, family: Family, start: int, stop: int) -> Iterator[Token]:
    for found in _PATTERNS[family].finditer(text, start, stop):
        kind, part = found.lastgroup, found[0]
        body = _body(part, family) if kind == "string" else 0
        if body:
            begin = found.start()
            yield from _with_fields(text, family, begin, begin + body, found.end())
        else:
            yield Token(kind, part, found.start())  # type: ignore[arg-type]  # A group.


def _body(part: str, family: Family) -> int:
    """Return where the contents of a string with fields begin; 0: it has none."""
    if family == "python":
        prefix = _FIELD_STRING.match(part)
        return prefix.end() if prefix else 0
    return 1 if family == "braces" and part[0] == "`" else 0


def _with_fields(
    text: str, family: Family, start: int, body: int, stop: int
) -> Iterator[Token]:
    """Yield the parts of a string as strings, and its fields as code."""
    opening = "{" if family == "python" else "${"
    at, place = start, body
    while (place := text.find(opening, place, stop)) >= 0:
        inner = place + len(opening)
        if family == "python" and text.startswith("{", inner):
            place = inner + 1
            continue
        place = _field_end(text, inner, stop, ":!}" if family == "python" else "}")
        yield Token("string", text[at:inner], at)
        yield from _tokens(text, family, inner, place)
        at = place
    yield Token("string", text[at:stop], at)


def _field_end(text: str, start: int, stop: int, ends: str) -> int:
    """Return where the expression of a field ends."""
    depth = 0
    place = start
    while place < stop:
        char = text[place]
        if char in "\"'":
            closing = text.find(char, place + 1, stop)
            place = closing if closing >= 0 else stop
        elif depth == 0 and char in ends and not text.startswith("!=", place):
            return place
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        place += 1
    return stop
