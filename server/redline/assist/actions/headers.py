"""How definitions begin in each language: regular expressions for one line.

They need not be exact, since they only decide what a menu offers; the model sees the
code, and the checks judge the result.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

HeaderKind = Literal["function", "class"]

_MAX_CHARS = 400
"""Longest line that can begin a definition; minified lines reach a megabyte."""


class Header(Struct, frozen=True, kw_only=True):
    """The line with a definition's name."""

    kind: HeaderKind
    name: str


def read_header(line: str, language: str) -> Header | None:
    """Read the line that begins a definition; None for other lines."""
    if len(line) > _MAX_CHARS:
        return None
    for kind, pattern in _BY_LANGUAGE.get(language, _OTHERS):
        found = pattern.match(line)
        if found is not None and not _NO_NAME.match(found["name"]):
            return Header(kind=kind, name=found["name"])
    return None


_NO_NAME = re.compile(
    r"(?:if|for|while|switch|catch|return|function|new|throw|else|do|await|using|lock"
    r"|sizeof|typeof|match|with|foreach|elseif|synchronized|when|unless)?$"
)
"""Keywords that precede a parenthesis as a name would; or no name at all."""

_Headers = tuple[tuple[HeaderKind, re.Pattern[str]], ...]


def _headers(*patterns: tuple[HeaderKind, str]) -> _Headers:
    return tuple((kind, re.compile(rf"\s*{pattern}")) for kind, pattern in patterns)


_PYTHON = _headers(
    ("function", r"(?:async\s+)?def\s+(?P<name>\w+)"),
    ("class", r"class\s+(?P<name>\w+)"),
)
_JAVASCRIPT = _headers(
    (
        "class",
        r"(?:(?:export|default|declare|abstract)\s+)*"
        r"(?:class|interface|enum|namespace)\s+(?P<name>[\w$]+)",
    ),
    (
        "function",
        r"(?:(?:export|default|declare)\s+)*(?:async\s+)?function\b\s*+\*?\s*+"
        r"(?P<name>[\w$]+)",
    ),
    (
        "function",
        r"(?:export\s+)?(?:const|let|var)\s+(?P<name>[\w$]+)\b[^=]*=\s*(?:async\s*)?"
        r"(?:function\b|\([^)]*$|\([^)]*\)[^=]*=>|[\w$]+\s*=>)",
    ),
    (
        "function",
        r"(?:(?:public|private|protected|static|async|readonly|override|abstract|get"
        r"|set)\s+)*[*#]?(?P<name>[\w$]+)\s*(?:<[^>]*>)?\([^;]*(?:\{\s*|[(,]\s*)$",
    ),
)
_GO = _headers(
    ("function", r"func\s+(?:\([^)]*\)\s*)?(?P<name>\w+)"),
    ("class", r"type\s+(?P<name>\w+)\s+(?:struct|interface)\b"),
)
_RUST = _headers(
    (
        "function",
        r"(?:(?:pub(?:\([^)]*\))?|async|const|unsafe|extern(?:\s+\"[^\"]*\")?)\s+)*"
        r"fn\s+(?P<name>\w+)",
    ),
    (
        "class",
        r"(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?"
        r"(?:struct|enum|trait|impl(?:<[^>]*>)?|mod)\s+(?P<name>\w+)",
    ),
)
_C_LIKE = _headers(
    (
        "class",
        r"(?:[\w\[\]]+\s+)*(?:class|struct|interface|enum|record|namespace|union)\s+"
        r"(?P<name>\w+)[^;(]*(?:\([^;]*)?$",
    ),
    (
        "function",
        r"(?:[\w<>\[\],.?@&*:~]+\s+)+[*&]*(?:\w+::)*(?P<name>~?\w+)\s*\([^;]*$",
    ),
)
_RUBY = _headers(
    ("function", r"def\s+(?:self\.)?(?P<name>\w+[?!]?)"),
    ("class", r"(?:class|module)\s+(?P<name>\w+)"),
)
_PHP = _headers(
    (
        "function",
        r"(?:(?:public|private|protected|static|final|abstract)\s+)*function\s+&?"
        r"(?P<name>\w+)",
    ),
    (
        "class",
        r"(?:(?:final|abstract|readonly)\s+)*(?:class|interface|trait|enum)\s+"
        r"(?P<name>\w+)",
    ),
)
_SHELL = _headers(
    ("function", r"function\s+(?P<name>[\w-]+)"),
    ("function", r"(?P<name>[\w-]+)\s*\(\)"),
)
_OTHERS = _headers(
    (
        "function",
        r"(?:\w+\s+)*(?:function|func|fun|fn|def|defp|defn|sub|proc)\s+(?P<name>\w+)",
    ),
    (
        "class",
        r"(?:\w+\s+)*(?:class|struct|interface|trait|enum|object|module|protocol"
        r"|extension)\s+(?P<name>\w+)",
    ),
)

_BY_LANGUAGE: dict[str, _Headers] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "javascriptreact": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "typescriptreact": _JAVASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _C_LIKE,
    "csharp": _C_LIKE,
    "c": _C_LIKE,
    "cpp": _C_LIKE,
    "ruby": _RUBY,
    "php": _PHP,
    "shellscript": _SHELL,
    "sh": _SHELL,
    "bash": _SHELL,
    # Prose has no definitions, whatever its sentences begin with.
    "markdown": (),
    "plaintext": (),
    "restructuredtext": (),
    "latex": (),
    "json": (),
    "yaml": (),
    "toml": (),
    "xml": (),
    "html": (),
}
