"""The editor's language id decides a document's language, or else its name."""

from __future__ import annotations

import pytest

from redline.syntax.language import Language, language_id_of, language_of


@pytest.mark.parametrize(
    ("language_id", "language"),
    [
        *((language.value, language) for language in Language),
        ("javascriptreact", Language.JAVASCRIPT),
        ("Python", Language.PYTHON),
        ("bash", Language.BASH),
        ("haskell", None),
        ("plaintext", None),
    ],
)
def test_the_editor_decides(language_id: str, language: Language | None) -> None:
    """Whatever the file is called."""
    assert language_of("file:///a/b.rs", language_id) is language


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", Language.PYTHON),
        ("/x/y.pyi", Language.PYTHON),
        ("file:///c%3A/x/y.TSX", Language.TSX),
        ("file:///x/y.ts?ref=1#L2", Language.TYPESCRIPT),
        (r"C:\x\y.cs", Language.CSHARP),
        (r"back\.py", Language.PYTHON),
        ("x.h", Language.CPP),
        ("x.c", Language.C),
        ("deploy.sh", Language.BASH),
        ("Makefile", None),
        ("a.py.txt", None),
        ("", None),
    ],
)
def test_the_suffix_decides_else(path: str, language: Language | None) -> None:
    """Where the editor says nothing."""
    assert language_of(path) is language


@pytest.mark.parametrize(
    ("path", "language_id"),
    [
        ("tsconfig.json", "jsonc"),
        ("web/tsconfig.build.json", "jsonc"),
        (".vscode/settings.json", "jsonc"),
        (r"C:\w\.vscode\launch.json", "jsonc"),
        (".devcontainer/devcontainer.json", "jsonc"),
        ("all.code-workspace", "jsonc"),
        ("package.json", "json"),
        ("vscode/settings.json", "json"),
        ("mytsconfig.json", "json"),
        ("a.py", "python"),
        ("Makefile", "makefile"),
        ("unknown", ""),
    ],
)
def test_the_id_of_a_file_that_no_editor_names(path: str, language_id: str) -> None:
    """Some files of JSON have comments."""
    assert language_id_of(path) == language_id
