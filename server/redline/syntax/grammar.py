"""Grammars: the parser and the query of a language, loaded on first use.

Only this room uses tree-sitter. A grammar and its query take 1 to 11 ms to load, once,
the binding itself 15 ms; nothing else in the process runs meanwhile.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.language import Language

if TYPE_CHECKING:
    import tree_sitter

_MODULES = {
    Language.TYPESCRIPT: ("tree_sitter_typescript", "language_typescript"),
    Language.TSX: ("tree_sitter_typescript", "language_tsx"),
    Language.CSHARP: ("tree_sitter_c_sharp", "language"),
    Language.PHP: ("tree_sitter_php", "language_php"),
    Language.BASH: ("tree_sitter_bash", "language"),
}
"""The package of a grammar, and its name for the grammar; the others are `language` of
the package that is named after the language."""

_QUERY_FILES = {
    Language.JAVASCRIPT: ("script", "javascript", "jsx"),
    Language.TYPESCRIPT: ("script", "typescript"),
    Language.TSX: ("script", "typescript", "jsx"),
    Language.CPP: ("c", "cpp"),
}
"""Queries in several files; the others have the language's name."""


class Grammar(Struct, frozen=True, kw_only=True):
    """The grammar and query of a language; thread-safe."""

    grammar: tree_sitter.Language
    outline: tree_sitter.Query
    """Captures definitions and imports, by the names in `tree`'s docstring."""


@cache
def grammar_of(language: Language) -> Grammar:
    """Load a language's grammar; cached."""
    import tree_sitter

    usual = (f"tree_sitter_{language.value}", "language")
    module, name = _MODULES.get(language, usual)
    grammar = tree_sitter.Language(getattr(import_module(module), name)())
    outline = tree_sitter.Query(grammar, _text(_queries(), language))
    return Grammar(grammar=grammar, outline=outline)


@cache
def calls_of(language: Language) -> tree_sitter.Query:
    """Load the query for calls; cached.

    It is separate, because files have far more calls than definitions, and few callers
    need them.
    """
    import tree_sitter

    grammar = grammar_of(language).grammar
    return tree_sitter.Query(grammar, _text(_queries() / "calls", language))


def _queries() -> Traversable:
    return resources.files("redline.syntax") / "queries"


def _text(folder: Traversable, language: Language) -> str:
    names = _QUERY_FILES.get(language, (language.value,))
    files = (folder / f"{name}.scm" for name in names)
    return "\n".join(
        file.read_text(encoding="utf-8") for file in files if file.is_file()
    )
