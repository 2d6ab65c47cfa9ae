"""The languages that Redline can parse, and how to detect a document's."""

from __future__ import annotations

import re
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

_BY_NAME = {
    **dict.fromkeys(
        ("rakefile", "gemfile", "guardfile", "podfile", "vagrantfile", "brewfile"),
        Language.RUBY,
    ),
    **dict.fromkeys((".bashrc", ".bash_profile", ".profile"), Language.BASH),
}
"""Languages of files without a suffix, by their lower-case names."""

SUFFIXES = tuple(_BY_SUFFIX)
"""The suffixes of files in these languages."""


_WITHOUT_GRAMMAR = {
    suffix: name
    for name, suffixes in (
        ("json", ".json"),
        ("jsonc", ".jsonc"),
        ("yaml", ".yaml .yml"),
        ("toml", ".toml"),
        ("html", ".html .htm"),
        ("xml", ".xml .svg"),
        ("css", ".css"),
        ("scss", ".scss"),
        ("less", ".less"),
        ("markdown", ".md .markdown"),
        ("restructuredtext", ".rst"),
        ("sql", ".sql"),
        ("vue", ".vue"),
        ("svelte", ".svelte"),
        ("kotlin", ".kt .kts"),
        ("swift", ".swift"),
        ("dart", ".dart"),
        ("scala", ".scala"),
        ("lua", ".lua"),
        ("terraform", ".tf"),
        ("proto", ".proto"),
        ("graphql", ".graphql .gql"),
        ("ini", ".ini .cfg"),
        ("properties", ".properties"),
        ("clojure", ".clj .cljs .cljc .edn"),
        ("cmake", ".cmake"),
        ("elixir", ".ex .exs"),
        ("erlang", ".erl .hrl"),
        ("fsharp", ".fs .fsx"),
        ("groovy", ".groovy .gradle"),
        ("haskell", ".hs"),
        ("julia", ".jl"),
        ("nim", ".nim"),
        ("nix", ".nix"),
        ("objective-c", ".m .mm"),
        ("ocaml", ".ml .mli"),
        ("perl", ".pl .pm"),
        ("powershell", ".ps1 .psm1"),
        ("r", ".r"),
        ("solidity", ".sol"),
        ("tex", ".tex"),
        ("vb", ".vb"),
        ("zig", ".zig"),
        ("dockerfile", ".dockerfile dockerfile containerfile"),
        ("makefile", ".mk makefile gnumakefile"),
    )
    for suffix in suffixes.split()
}
"""LSP language ids of files that have no grammar here, by suffix or by the lower-case
name of files that have no suffix."""


_COMMENTED_JSON = re.compile(
    r"(?:^|/)(?:[tj]sconfig(?:\.[^/]+)?\.json|\.(?:babel|eslint|jshint|swc)rc(?:\.json)?"
    r"|\.?devcontainer\.json|(?:api-extractor|language-configuration)\.json"
    r"|\.vscode/[^/]+\.json|[^/]+\.code-workspace)$"
)
"""Files of JSON that may have comments, as VS Code names them."""


def language_id_of(path: str) -> str:
    """Return the LSP language id of a file by its name; empty if it is not known.

    Args:
        path: The file; editors send the id themselves, the command line has only this.
    """
    if _COMMENTED_JSON.search(path.replace("\\", "/").lower()):
        return "jsonc"
    found = language_of(path)
    file = PurePosixPath(path.replace("\\", "/"))
    name = file.suffix.lower() or file.name.lower()
    return found.value if found else _WITHOUT_GRAMMAR.get(name, "")


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
    # A backslash separates folders, or is a part of a name, as in `back\.py`.
    suffix = PurePosixPath(path).suffix
    name = PurePosixPath(path.replace("\\", "/")).name
    return _BY_SUFFIX.get(suffix.lower()) or _BY_NAME.get(name.lower())
