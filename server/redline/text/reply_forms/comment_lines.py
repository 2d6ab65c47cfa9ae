"""Lines of signs that are comments in some languages and wrappers in others."""

from __future__ import annotations

_WITHOUT_HASHES = frozenset(
    {"c", "cpp", "csharp", "css", "dart", "go", "java", "javascript"}
    | {"javascriptreact", "json", "jsonc", "kotlin", "less", "lua", "rust", "scala"}
    | {"scss", "sql", "swift", "typescript", "typescriptreact"}
)
"""LSP language ids in which `#` begins no comment."""

_WITH_DASHES = frozenset(
    {"ada", "agda", "applescript", "elm", "haskell", "idris", "lean", "lua", "luau"}
    | {"plsql", "purescript", "sql", "tsql", "vhdl"}
)
"""LSP language ids in which `--` begins one."""


def may_be_comment(text: str, language: str) -> bool:
    """Whether a line without indentation is a comment of `#` or `--`."""
    if text.startswith("#"):
        return language not in _WITHOUT_HASHES
    return text.startswith("--") and language in _WITH_DASHES
