"""Completions that import what does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.checks.python.conftest import write_files

from redline.checks.completion_check import CompletionCheck
from redline.checks.completion_lines import n_good_lines
from redline.checks.edit_question import CheckedFolders


def check(workspace: Path, text: str, new: str, imports: tuple[str, ...] = ()) -> int:
    """Count the lines that are left of a text at the mark."""
    *above, left = text.removesuffix("│").split("\n")
    question = CompletionCheck(
        lines=[*above, left],
        at=len(above),
        left=left,
        new=new.split("\n"),
        right="",
        path="src/shop/orders.py",
        language="python",
        imports=imports,
        environment=CheckedFolders(roots=(workspace.as_uri(),)),
    )
    return n_good_lines(question)


@pytest.mark.parametrize(
    ("text", "new", "expected"),
    [
        ("import│", " nonexisting_mod", 0),
        ("import│", " textwrap", 1),
        ("from│", " textwrap import dedent", 1),
        ("from│", " textwrap import no_such_name", 0),
        ("from│", " shop.prices import (", 1),
        ("from│", " shop.costs import (", 0),
        ("from│", " .prices import RATE", 1),
        ("from│", " .costs import RATE", 0),
        ("│", "import os\nimport nonexisting_mod\nimport re", 1),
        ("def f():\n    │", "import os\n    import nonexisting_mod", 1),
        ("try:\n    │", "import nonexisting_mod", 1),
        ("│", "try:\n    import nonexisting_mod\nexcept ImportError:\n    pass", 4),
    ],
)
def test_imports(workspace: Path, text: str, new: str, expected: int) -> None:
    """A text is cut before an import of what does not exist, unless it may fail."""
    assert check(workspace, text, new) == expected


def test_a_file_of_another_environment(workspace: Path) -> None:
    """Where the file imports what is not found, nothing is known of what it can."""
    imports = ("import wobble", "from shop.prices import (")
    assert check(workspace, "import│", " gone", imports) == 1
    assert check(workspace, "import│", " gone", imports[1:]) == 0


def test_without_an_environment(tmp_path: Path) -> None:
    """Nothing is known of what is installed where no environment is found."""
    write_files(tmp_path, {"src/shop/prices.py": "RATE = 1\n"})
    assert check(tmp_path, "import│", " gone") == 1
