"""The language ids that replies are read by."""

from __future__ import annotations

import pytest

from redline.syntax.language import language_id_of
from redline.text.language_ids import reading_id


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("python", "python"),
        ("Kotlin", "kotlin"),
        ("gitcommit", "git-commit"),
        ("rst", "restructuredtext"),
        ("instructions", "markdown"),
        ("htmldjango", "html"),
        ("yaml.docker-compose", "yaml"),
        ("markdown.mdx", "markdown"),
        ("svg", "xml"),
        ("", ""),
        ("a-new-one", "plaintext"),
    ],
)
def test_ids_of_editors(language: str, expected: str) -> None:
    """Other names of one language are read alike, and unknown ones as plain text."""
    assert reading_id(language) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  <h1>One</h1>\n", "javascriptreact"),
        ("  <Card\n", "javascriptreact"),
        ("  </>\n", "javascriptreact"),
        ("  a < b;\n", "javascript"),
    ],
)
def test_javascript_with_elements_is_that_of_react(line: str, expected: str) -> None:
    """VS Code calls a `.js` file JavaScript."""
    assert reading_id("javascript", ["f(\n", line]) == expected


@pytest.mark.parametrize(
    "path", ["a.py", "a.tsx", "a.go", "a.ex", "a.hs", "a.zig", "a.tf", "Makefile"]
)
def test_ids_by_path_are_known(path: str) -> None:
    """What the command line finds by a file's name is read as code."""
    assert reading_id(language_id_of(path)) != "plaintext"
