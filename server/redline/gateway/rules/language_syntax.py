"""The syntax of comments, strings and names of languages, as the rules need it.

It is enough to tell names from text in ordinary code, but it is not a parser: regular
expression literals and here-documents are read as code.
"""

from __future__ import annotations

import re

from msgspec import Struct

_BRACES = r"\$\{[^{}]*\}"
_SIGILS = r"\$\{[^{}]*\}|\$\(.*?\)|\$\w+"
_HASH_BRACES = r"#\{[^{}]*\}"


class StringSyntax(Struct, frozen=True, kw_only=True):
    """One kind of string literal."""

    opening: str
    closing: str
    has_escapes: bool = True
    is_multiline: bool = False
    holes: str = ""
    """Pattern of the embedded parts that are code."""


class LanguageSyntax(Struct, frozen=True, kw_only=True):
    """A language's comments, strings and names."""

    line_comment: str = ""
    block_comment: tuple[str, str] | None = None
    strings: tuple[StringSyntax, ...] = ()
    name: str = r"[^\W\d][\w]*"
    """Pattern of a whole name."""
    is_prose: bool = False
    """Whether lines are text and not statements."""


def _string(
    quote: str, *, holes: str = "", escapes: bool = True, lines: bool = False
) -> StringSyntax:
    return StringSyntax(
        opening=quote,
        closing=quote,
        has_escapes=escapes,
        is_multiline=lines,
        holes=holes,
    )


_DOUBLE, _SINGLE = _string('"'), _string("'")
_TRIPLES = (_string('"""', lines=True), _string("'''", lines=True))
_SLASHES = ("/*", "*/")

_C = LanguageSyntax(
    line_comment="//", block_comment=_SLASHES, strings=(_DOUBLE, _SINGLE)
)
_SCRIPT = LanguageSyntax(
    line_comment="//",
    block_comment=_SLASHES,
    strings=(_DOUBLE, _SINGLE, _string("`", holes=_BRACES, lines=True)),
    name=r"[^\W\d][\w$]*|\$[\w$]+",
)
_SHELL = LanguageSyntax(
    line_comment="#",
    strings=(
        _string('"', holes=_SIGILS, lines=True),
        _string("'", escapes=False, lines=True),
    ),
)
_MARKUP = LanguageSyntax(
    block_comment=("<!--", "-->"), name=r"[^\W\d][\w-]*", is_prose=True
)
_STYLES = LanguageSyntax(
    block_comment=_SLASHES, strings=(_DOUBLE, _SINGLE), name=r"[^\W\d][\w-]*"
)
_HASH = LanguageSyntax(line_comment="#", strings=(_DOUBLE, _SINGLE))
_SQL = LanguageSyntax(
    line_comment="--",
    block_comment=_SLASHES,
    strings=(_string("'", escapes=False, lines=True),),
)
_PROSE = LanguageSyntax(is_prose=True)

_SYNTAXES = {
    "python": LanguageSyntax(line_comment="#", strings=(*_TRIPLES, _DOUBLE, _SINGLE)),
    "c cpp objective-c objective-cpp cuda-cpp java groovy": _C,
    "csharp": LanguageSyntax(
        line_comment="//",
        block_comment=_SLASHES,
        strings=(
            StringSyntax(opening='$"', closing='"', holes=r"\{[^{}]*\}"),
            StringSyntax(
                opening='@"', closing='"', has_escapes=False, is_multiline=True
            ),
            _DOUBLE,
            _SINGLE,
        ),
    ),
    "go": LanguageSyntax(
        line_comment="//",
        block_comment=_SLASHES,
        strings=(_DOUBLE, _SINGLE, _string("`", escapes=False, lines=True)),
    ),
    # A quote before a name without a quote after it is a lifetime.
    "rust": LanguageSyntax(
        line_comment="//",
        block_comment=_SLASHES,
        strings=(
            StringSyntax(
                opening='r#"', closing='"#', has_escapes=False, is_multiline=True
            ),
            _string('"', lines=True, holes=r"\{\w+(?::[^{}]*)?\}"),
        ),
    ),
    "swift": LanguageSyntax(
        line_comment="//",
        block_comment=_SLASHES,
        strings=(
            _string('"""', lines=True, holes=r"\\\([^()]*\)"),
            _string('"', holes=r"\\\([^()]*\)"),
        ),
    ),
    "kotlin scala dart": LanguageSyntax(
        line_comment="//",
        block_comment=_SLASHES,
        strings=(
            _string('"""', holes=_SIGILS, lines=True),
            _string('"', holes=_SIGILS),
            _string("'", holes=_SIGILS),
        ),
    ),
    "php": LanguageSyntax(
        line_comment="//",
        block_comment=_SLASHES,
        strings=(_string('"', holes=_SIGILS, lines=True), _string("'", lines=True)),
    ),
    "javascript javascriptreact typescript typescriptreact vue svelte": _SCRIPT,
    "json jsonc": LanguageSyntax(line_comment="//", strings=(_DOUBLE,)),
    "shellscript sh bash zsh fish": _SHELL,
    "powershell": LanguageSyntax(
        line_comment="#",
        block_comment=("<#", "#>"),
        strings=(_string('"', holes=_SIGILS), _string("'", escapes=False)),
    ),
    "ruby crystal elixir": LanguageSyntax(
        line_comment="#", strings=(_string('"', holes=_HASH_BRACES), _SINGLE)
    ),
    "perl": LanguageSyntax(
        line_comment="#", strings=(_string('"', holes=_SIGILS + r"|[@%]\w+"), _SINGLE)
    ),
    "yaml toml r julia makefile dockerfile cmake nix terraform graphql": _HASH,
    "ini properties gitignore": LanguageSyntax(line_comment="#"),
    "sql plsql": _SQL,
    "lua": LanguageSyntax(
        line_comment="--", block_comment=("--[[", "]]"), strings=(_DOUBLE, _SINGLE)
    ),
    "haskell elm": LanguageSyntax(
        line_comment="--", block_comment=("{-", "-}"), strings=(_DOUBLE,)
    ),
    "ada vhdl": LanguageSyntax(line_comment="--", strings=(_DOUBLE,)),
    "erlang": LanguageSyntax(line_comment="%", strings=(_DOUBLE, _SINGLE)),
    "latex tex": LanguageSyntax(line_comment="%", is_prose=True),
    "matlab": LanguageSyntax(line_comment="%", strings=(_DOUBLE,)),
    "clojure lisp scheme racket": LanguageSyntax(
        line_comment=";",
        strings=(_string('"', lines=True),),
        name=r"[^\W\d][\w\-?!*+/<>=]*",
    ),
    "zig": LanguageSyntax(line_comment="//", strings=(_DOUBLE, _SINGLE)),
    "fsharp": LanguageSyntax(
        line_comment="//", block_comment=("(*", "*)"), strings=(_DOUBLE,)
    ),
    "ocaml": LanguageSyntax(block_comment=("(*", "*)"), strings=(_DOUBLE,)),
    "vb": LanguageSyntax(line_comment="'", strings=(_string('"', escapes=False),)),
    "bat": LanguageSyntax(line_comment="REM "),
    "vim": LanguageSyntax(line_comment='"', strings=(_SINGLE,)),
    "html xml markdown svg": _MARKUP,
    "css": _STYLES,
    "scss less": LanguageSyntax(
        line_comment="//",
        block_comment=_SLASHES,
        strings=(_DOUBLE, _SINGLE),
        name=r"[^\W\d][\w-]*",
    ),
    "plaintext text csv restructuredtext git-commit": _PROSE,
}
_BY_ID = {
    language: syntax for ids, syntax in _SYNTAXES.items() for language in ids.split()
}


def syntax_of(language: str) -> LanguageSyntax | None:
    """Look up a language by its LSP id; None if it is not in the table."""
    return _BY_ID.get(language)


def text_pattern(syntax: LanguageSyntax) -> re.Pattern[str]:
    """Match a comment or a string; group `s<i>` is string syntax number i."""
    parts = []
    if syntax.block_comment:
        opening, closing = map(re.escape, syntax.block_comment)
        parts.append(rf"{opening}.*?(?:{closing}|\Z)")
    if syntax.line_comment:
        # `$#` and `a#b` contain no comment.
        border = r"(?<!\S)" if syntax.line_comment == "#" else ""
        parts.append(rf"{border}{re.escape(syntax.line_comment)}[^\n]*")
    for at, string in enumerate(syntax.strings):
        parts.append(f"(?P<s{at}>{_string_pattern(string)})")
    return re.compile("|".join(parts) or r"(?!)", re.DOTALL)


def _string_pattern(string: StringSyntax) -> str:
    opening, closing = re.escape(string.opening), re.escape(string.closing)
    character = "." if string.is_multiline else r"[^\n]"
    if string.has_escapes:
        character = r"\\." + rf"|(?!\\){character}"
    return rf"{opening}(?:(?!{closing})(?:{character}))*{closing}"
