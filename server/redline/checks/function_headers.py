"""The headers of functions, read without a syntax tree.

So they are found in every language that writes parameters in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from msgspec import Struct

from redline.checks.code_text import in_brackets, parts
from redline.checks.go_results import n_results

_KEYWORD = (
    r"\b(?:def|func?|fn|function|proc|sub)\s+(?:\([^()\n]*\)\s*)?(?:self\.)?"
    r"(?P<keyword>\w+[?!]?)"
)
"""The header of a function by a keyword; one of Go has its receiver first."""

DEF = re.compile(_KEYWORD)

_TYPED = (
    r"^[ \t]*+(?!return\b|else\b|new\b|throw\b|await\b|yield\b|case\b)"
    r"(?:[\w.]+(?:<[^()\n]*>)?(?:\[\])*[?*&]*[ \t]+[*&]*)+(?P<typed>\w+)"
)
"""The same by a type in front of the name."""

_METHOD = (
    r"^[ \t]*+(?:(?:public|private|protected|static|async|override|readonly)[ \t]+)*"
    r"(?!(?:if|for|while|switch|catch|function|return|with)\b)(?P<bare>#?\w+)"
)
"""The same by the name alone, before a block."""

TYPED_LANGUAGES = frozenset({"c", "cpp", "csharp", "dart", "java"})
_SCRIPTS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})
BRACKET = re.compile(
    r"\s*+(?:<(?:[^()<>\n]|<[^()<>\n]*+>)*+>\s*+|\[[\w\s,:]*+\]\s*+)?+\("
)
_BODY = re.compile(r"[^;{}()]*(?:\{|=>)|\s*(?:throws[\w\s,.]+)?\{")
_OPTIONAL = re.compile(r"=(?!=|>)|^\w+\?\s*(?::|$)|^\??\w*:=")
_TAKES_MORE = re.compile(r"\.\.\.|^\*|^&|\bparams\b|\bvararg\b|@escaping|\binout\b")
_RECEIVERS = re.compile(
    r"(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?self\b.*|cls|this\b.*|void|\*|/"
)

MAX_N_CHARS = 1_000
"""Longer lines are data; so much of a function's body is read."""


class FunctionHeader(Struct, frozen=True, kw_only=True):
    name: str
    first: int
    """The place of its name in the code."""
    given: tuple[str, ...]
    n_results: int
    """Of Go: how many values it returns."""
    is_async: bool
    is_decorated: bool

    @property
    def n_least(self) -> int:
        return sum(_OPTIONAL.search(one) is None for one in self.given)

    @property
    def n_most(self) -> int:
        return len(self.given)

    def takes(self, n_arguments: int) -> bool:
        return self.n_least <= n_arguments <= self.n_most

    @property
    def is_fixed(self) -> bool:
        """Whether it takes a fixed number of arguments."""
        return not any(map(_TAKES_MORE.search, self.given))


def only_functions(
    code: str, language: str, words: Set[str]
) -> dict[str, FunctionHeader]:
    """Return the functions of a file of which there is one of the name.

    Only those whose name, without its signs, is one of some words.
    """
    found: dict[str, FunctionHeader] = {}
    several: set[str] = set()
    for start, header in _headers(code, language, words):
        name = header[header.lastgroup or ""]
        one = None if name in several else _function(code, start, header, language)
        if one is not None and name in found:
            several.add(name)
        if one is not None:
            found[name] = one
    return {name: one for name, one in found.items() if name not in several}


def functions(code: str, language: str, words: Set[str]) -> Iterator[FunctionHeader]:
    """Yield the functions of a file whose name, without its signs, is one of some."""
    for start, header in _headers(code, language, words):
        one = _function(code, start, header, language)
        if one is not None:
            yield one


def _headers(
    code: str, language: str, words: Set[str]
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield what may be headers, each with the place where its line begins."""
    headers = [_KEYWORD]
    if language in TYPED_LANGUAGES:
        headers = [_TYPED]
    elif language in _SCRIPTS:
        headers.append(_METHOD)
    pattern = re.compile(rf"(?:{'|'.join(headers)})(?={BRACKET.pattern})")
    start = 0
    for line in code.split("\n"):
        is_read = "(" in line and len(line) < MAX_N_CHARS
        for header in pattern.finditer(line) if is_read else ():
            if header[header.lastgroup or ""].strip("#?!") in words:
                yield start, header
        start += len(line) + 1


def _function(
    code: str, line_start: int, header: re.Match[str], language: str
) -> FunctionHeader | None:
    """Read a function from the match of its header in a line."""
    kind = header.lastgroup or ""
    bracket = BRACKET.match(code, line_start + header.end())
    given = in_brackets(code, bracket.end() - 1) if bracket else None
    if bracket is None or given is None:
        return None
    rest = code[bracket.end() + len(given) + 1 :][:MAX_N_CHARS]
    if kind != "keyword" and not _BODY.match(rest):
        return None
    above = code[:line_start].rstrip("\n").rpartition("\n")[2].strip()
    names = tuple(one for one in parts(given) if not _RECEIVERS.fullmatch(one))
    head = header.string[: header.start(kind)]
    return FunctionHeader(
        name=header[kind],
        first=line_start + header.start(kind),
        given=names,
        n_results=n_results(code, bracket.end() + len(given) + 1),
        is_async=re.search(r"\b(?:async|suspend)\b", head) is not None,
        is_decorated=above.startswith("@") and language == "python",
    )
