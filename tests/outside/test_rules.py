"""The built-in rules and checks on code as it is found in packages."""

from __future__ import annotations

import pytest
from tests.e2e.editor_document import Json, lines
from tests.outside.commands import Desk
from tests.outside.conftest import Serve

BOM = "\ufeff"


async def edited(
    desk: Desk, serve: Serve, text: str, wish: str, where: Json | None = None
) -> tuple[str, Json]:
    """Have the rules carry out a wish on a file; returns its text and the outcome."""
    redline = await serve({"checks": {"repair": False, "escalate": False}})
    editor = redline.editor
    uri = desk.write("a.py", text).as_uri()
    editor.open(uri, text)
    n_lines = len(text.splitlines())
    outcome = await editor.result(editor.edit(uri, where or lines(0, n_lines), wish))
    after = editor.text(uri)
    await redline.end()
    return after, outcome


@pytest.mark.parametrize(
    "expression",
    [
        "\"type %s: the '...'\" % (str(t).replace('/*...*/', '...'),)",
        "'/*...*/'",
        "'# ...'",
    ],
)
async def test_dots_in_strings_are_no_elision(desk: Desk, expression: str) -> None:
    """A string may say whatever it likes."""
    before = desk.write("a.py", "def f(t):\n    return 1\n")
    after = desk.write("b.py", f"def f(t):\n    return {expression}\n")
    ran = await desk.run("check", "--before", str(before), "--after", str(after))
    assert ran.code == 0, ran.out


async def test_sorted_imports_keep_a_byte_order_mark(desk: Desk, serve: Serve) -> None:
    """It is the file's, not the first import's."""
    text = f"{BOM}import sys\nimport os\n\nprint(os, sys)\n"
    after, outcome = await edited(desk, serve, text, "sort imports")
    assert outcome["outcome"] == "applied"
    assert after == f"{BOM}import os\nimport sys\n\nprint(os, sys)\n"


async def test_docstrings_behind_a_byte_order_mark(desk: Desk, serve: Serve) -> None:
    """Such a file parses like any other."""
    text = f"{BOM}def add(left, right):\n    raise NotImplementedError\n"
    after, outcome = await edited(desk, serve, text, "add docstrings")
    assert outcome["outcome"] == "applied", outcome
    assert after.startswith(BOM)
    assert BOM not in after[1:]
    assert '"""' in after


async def test_raises_names_no_variable(desk: Desk, serve: Serve) -> None:
    """As `asyncore` catches: a tuple of exceptions has no name of its own."""
    text = (
        "_DISCONNECTED = (OSError, EOFError)\n\n\n"
        "def write(obj):\n    try:\n        obj.handle()\n"
        "    except _DISCONNECTED:\n        raise\n"
        "    except KeyError:\n        raise\n"
    )
    after, outcome = await edited(
        desk, serve, text, "add a docstring", where=lines(3, 10)
    )
    assert outcome["outcome"] == "applied", outcome
    docstring = after.split('"""')[1]
    assert "KeyError:" in docstring
    assert "_DISCONNECTED:" not in docstring


async def test_a_class_rename_reaches_its_name_in_cast(
    desk: Desk, serve: Serve
) -> None:
    """As in requests: the first argument of `cast` is a type, in quotes or not."""
    text = (
        "from typing import cast\n\n\nclass Old:\n    pass\n\n\n"
        'def f(x: object) -> "Old":\n    return cast("Old", x)\n'
    )
    after, outcome = await edited(desk, serve, text, "rename Old to New")
    assert outcome["outcome"] == "applied", outcome
    assert after == text.replace("Old", "New")


async def test_lines_keep_the_ends_that_their_range_had(
    desk: Desk, serve: Serve
) -> None:
    """A file with both kinds keeps both."""
    text = "import sys\r\nimport os\r\n\r\nprint(os,\n      sys)\n"
    after, outcome = await edited(desk, serve, text, "sort imports")
    assert outcome["outcome"] == "applied"
    assert after == "import os\r\nimport sys\r\n\r\nprint(os,\n      sys)\n"
