"""The languages that Redline can parse, and how to detect a document's."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath


class Language(StrEnum):
    """A language with a grammar; the values are LSP's language ids."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    TSX = "typescriptreact"
    JAVA = "java"
    C = "c"
    CPP = "cpp"
    CSHARP = "csharp"
    GO = "go"
    RUST = "rust"
    RUBY = "ruby"
    PHP = "php"
    BASH = "shellscript"


_BY_ID = {
    **{language.value: language for language in Language},
    # JavaScript's grammar includes JSX.
    "javascriptreact": Language.JAVASCRIPT,
    "javascript.jsx": Language.JAVASCRIPT,
    "typescript.tsx": Language.TSX,
    "tsx": Language.TSX,
    "jsx": Language.JAVASCRIPT,
    "cuda-cpp": Language.CPP,
    "c++": Language.CPP,
    "cs": Language.CSHARP,
    "sh": Language.BASH,
    "bash": Language.BASH,
}
"""Languages by the ids that editors send; some send a file type instead of LSP's id."""

_BY_SUFFIX = {
    suffix: language
    for suffixes, language in (
        (".py .pyi .pyw", Language.PYTHON),
        (".js .mjs .cjs .jsx", Language.JAVASCRIPT),
        (".ts .mts .cts", Language.TYPESCRIPT),
        (".tsx", Language.TSX),
        (".java", Language.JAVA),
        (".c", Language.C),
        # A header may be either; the C++ grammar reads nearly all of C.
        (".cc .cpp .cxx .c++ .h .hh .hpp .hxx .h++ .cu .cuh", Language.CPP),
        (".cs", Language.CSHARP),
        (".go", Language.GO),
        (".rs", Language.RUST),
        (".rb .rake .gemspec", Language.RUBY),
        (".php .phtml", Language.PHP),
        (".sh .bash", Language.BASH),
    )
    for suffix in suffixes.split()
}

SUFFIXES = tuple(_BY_SUFFIX)
"""The suffixes of files in these languages."""


def language_of(path_or_uri: str, language_id: str = "") -> Language | None:
    """Return the language of a document; None if there is no grammar for it.

    Args:
        path_or_uri: Its suffix decides if there is no language id.
        language_id: The id from the editor. An unknown one means a language without
            a grammar, whatever the suffix.
    """
    if language_id:
        return _BY_ID.get(language_id.lower())
    path = path_or_uri
    if "://" in path_or_uri:
        # Not parsed as a URI, since some editors' buffer names are not URIs.
        path = path_or_uri.partition("?")[0].partition("#")[0]
    suffix = PurePosixPath(path.replace("\\", "/")).suffix
    return _BY_SUFFIX.get(suffix.lower())
