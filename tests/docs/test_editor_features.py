"""docs/reference/editors.md claims nothing that no test shows."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
PAGE = _ROOT / "docs" / "reference" / "editors.md"
DRIVEN = _ROOT / "tests" / "editors"

FOLDERS = {"VS Code": "vscode", "Neovim": "neovim", "Helix": "helix", "Emacs": "emacs"}


def table() -> tuple[list[str], list[list[str]]]:
    """The heads and the rows of the page's first table."""
    found = re.findall(r"^\|(.+)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    rows = [[cell.strip() for cell in line.split("|")] for line in found]
    heads, rule, *rest = rows
    assert set(rule) == {"---"}
    n_rows = next(i for i, row in enumerate(rest) if row[0] == "editor")
    return heads, rest[:n_rows]


def driven_by(editor: str) -> set[str]:
    """The names of all tests that drive an editor."""
    names: set[str] = set()
    for path in (DRIVEN / FOLDERS[editor]).glob("test_*.py"):
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, functions) and node.name.startswith("test_"):
                names.add(node.name)
    return names


HEADS, ROWS = table()


@pytest.mark.parametrize("editor", HEADS[1:])
def test_every_cell_names_a_test(editor: str) -> None:
    """Of that very editor."""
    column = HEADS.index(editor)
    named = {name for row in ROWS for name in re.findall(r"`(\w+)`", row[column])}
    assert named
    assert named <= driven_by(editor), named - driven_by(editor)


def test_every_cell_is_a_test_or_empty() -> None:
    """No feature is claimed in other words."""
    cells = [cell for row in ROWS for cell in row[1:]]
    assert [cell for cell in cells if not re.fullmatch(r"(`\w+`)?", cell)] == []
