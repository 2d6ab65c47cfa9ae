"""A text whose comments and strings are blank, for what is read without a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HASH_COMMENTS = frozenset(
    {"dockercompose", "dockerfile", "elixir", "makefile", "perl", "php", "powershell"}
    | {"python", "r", "ruby", "shellscript", "terraform", "toml", "yaml"}
)
_DASH_COMMENTS = frozenset({"haskell", "lua", "sql"})
_TEXTS = (
    r"\"\"\".*?\"\"\"|'''.*?'''|/\*.*?(?:\*/|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\])*+`"
)
_SLASHES = r"|//[^\n]*"
_HERE = (
    r"|<<<[ \t]*+(?P<mark>[\"']?)(?P<here>[A-Za-z_]\w*+)(?P=mark)\n"
    r"(?:(?:.*?\n)??[ \t]*+(?P=here)\b|.*)"
)
_READERS = {
    sign: re.compile(_TEXTS + more, re.DOTALL)
    for sign, more in (
        ("#", r"|#[^\n]*"),
        ("--", r"|--[^\n]*"),
        ("//", _SLASHES),
        ("php", _SLASHES + r"|#(?!\[)[^\n]*" + _HERE),
    )
}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_GENERIC = re.compile(r"(?<=\w)<[\w\s,.?&:\[\]]*+>")


def without_text(text: str, language: str) -> str:
    """Replace comments and strings by blanks; each line keeps its place and length.

    A string keeps its quotation marks, so that it is still seen as a value.
    """
    sign = "//"
    if language == "php":
        sign = "php"
    elif language in _HASH_COMMENTS:
        sign = "#"
    elif language in _DASH_COMMENTS:
        sign = "--"
    return _READERS[sign].sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    text = found[0]
    blank = "\n".join(" " * len(line) for line in text.split("\n"))
    if text.startswith("<<<"):
        return f'"{blank[1:-1]}"'
    is_string = text[0] in "\"'`" and len(text) > 1
    return f"{text[0]}{blank[1:-1]}{text[-1]}" if is_string else blank


def in_brackets(code: str, start: int) -> str | None:
    """Return what is between the bracket at a place and its other half; None: none."""
    waiting: list[str] = []
    for at in range(start, len(code)):
        sign = code[at]
        if sign in _CLOSING:
            waiting.append(_CLOSING[sign])
        elif sign in ")]}":
            if not waiting or waiting.pop() != sign:
                return None
            if not waiting:
                return code[start + 1 : at]
    return None


def parts(code: str) -> list[str]:
    """Split a list at its commas, without those in brackets; blank parts are none."""
    return [part for part in _parts(code) if part]


def _parts(code: str) -> Iterator[str]:
    code = _GENERIC.sub("", _GENERIC.sub("", code))
    depth, start = 0, 0
    for at, sign in enumerate(code):
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and not depth:
            yield code[start:at].strip()
            start = at + 1
    yield code[start:].strip()
