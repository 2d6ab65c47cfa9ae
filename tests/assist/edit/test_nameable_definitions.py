"""The definitions that an instruction can name are listed, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.assist.in_process import InThisProcess

from redline.assist.edit.attached.nameable_definitions import (
    MAX_LISTED,
    NameableDefinitions,
)
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.text.document import ContentChange
from redline.text.position import Position, Range

INVOICE = """\
class Invoice:
    def total(self):
        def add(a):
            return a
        return add(1)

def subtotal(rows):
    return rows
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A project; `invoice.py` and two files that must not be sent are open."""
    files = {
        "project/.gitignore": "private.py\n",
        "project/invoice.py": INVOICE,
        "project/private.py": "def total_secret(): pass\n",
        "project/closed.py": "def total_closed(): pass\n",
        "project/notes.md": "# total\n",
        "outside.py": "def total_outside(): pass\n",
    }
    (tmp_path / "project").mkdir()
    workspace = Workspace()
    workspace.roots = ((tmp_path / "project").as_uri(),)
    for path, text in files.items():
        (tmp_path / path).write_text(text)
        if path not in ("project/closed.py", "project/.gitignore"):
            workspace.open((tmp_path / path).as_uri(), "python", 1, text)
    return workspace


@pytest.fixture
def definitions(workspace: Workspace) -> NameableDefinitions:
    """Parse in this process."""
    return NameableDefinitions(workspace, IgnoreRules(), InThisProcess())


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("TOTAL", ["Invoice.total", "Invoice.total.add", "subtotal"]),
        ("invoice.t", ["Invoice.total", "Invoice.total.add"]),
        ("add", ["Invoice.total.add"]),
        ("zzz", []),
        ("", []),
        ("#total", []),
        ("invoice.py#sub", ["subtotal"]),
        ("invoice.py#", ["subtotal", "Invoice", "Invoice.total", "Invoice.total.add"]),
        ("private.py#", []),
        ("../outside.py#", []),
        ("missing.py#", []),
    ],
)
async def test_what_is_typed_is_listed(
    definitions: NameableDefinitions, typed: str, expected: list[str]
) -> None:
    """Of open documents, or of the file before `#`; never of an excluded file."""
    found = await definitions.find(typed)
    assert sorted(found) == sorted(f"invoice.py#{name}" for name in expected)


async def test_a_file_that_is_not_open(definitions: NameableDefinitions) -> None:
    """It is read for its own definitions only."""
    assert await definitions.find("closed.py#t") == ("closed.py#total_closed",)


async def test_the_likeliest_are_first(definitions: NameableDefinitions) -> None:
    """Those that begin with what is typed; inner ones after outer ones."""
    assert await definitions.find("total") == (
        "invoice.py#Invoice.total",
        "invoice.py#subtotal",
        "invoice.py#Invoice.total.add",
    )


async def test_a_change_is_seen(
    workspace: Workspace, definitions: NameableDefinitions
) -> None:
    """Of the current text, at most so many, and nothing once it is closed."""
    assert await definitions.find("sub")
    (uri,) = (each.uri for each in workspace.documents if "invoice" in each.uri)
    added = "".join(f"def more_{number}(): pass\n" for number in range(MAX_LISTED + 5))
    place = Position(0, 0)
    workspace.change(uri, 2, [ContentChange(range=Range(place, place), text=added)])
    assert len(await definitions.find("more")) == MAX_LISTED
    workspace.close(uri)
    assert await definitions.find("more") == ()
