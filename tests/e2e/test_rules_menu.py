"""The menu with nothing configured: every entry leads somewhere."""

from __future__ import annotations

import ast
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import pytest_asyncio
from tests.e2e.editor_document import Json, place, span
from tests.e2e.redline_session import Redline, start_redline

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/prices.py"
TEXT = """\
import sys
import os


class Prices:
    def __init__(self, prices):
        self.prices = prices

    def show(self, name, tax):
        print("%s: %s" % (name, tax))


def main():
    # redline: rename old_name to prices
    old_name = Prices(sys.argv)
    old_name.show(f"all", 1)
"""
UNUSED: Json = {
    "range": span((1, 7), (1, 9)),
    "message": "`os` imported but unused",
    "source": "Ruff",
    "code": "F401",
    "severity": 2,
}
NO_FIELD: Json = {
    "range": span((15, 18), (15, 24)),
    "message": "f-string without any placeholders",
    "source": "Ruff",
    "code": "F541",
    "severity": 2,
}
OF_ANOTHER: Json = {
    "range": span((15, 4), (15, 8)),
    "message": "the name is too old",
    "source": "other",
    "severity": 2,
}
CONFIGURE = "Redline: configure a model for more actions"
REVIEW = "Review this file"


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def unconfigured(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Redline]:
    """A server in an empty home, which has looked for models and found none."""
    home = tmp_path_factory.mktemp("unconfigured")
    redline = await start_redline(home=home, environment={})
    await redline.editor.initialize(rootUri=home.as_uri())
    await redline.hear_of("rules")
    yield redline
    await redline.end()


@pytest_asyncio.fixture(loop_scope="session")
async def bare(unconfigured: Redline) -> AsyncIterator[Redline]:
    """The same, checked after each test."""
    yield unconfigured
    await unconfigured.settle()


async def offered(
    redline: Redline, line: int, diagnostics: list[Json], *, uri: str = URI
) -> list[Json]:
    """The menu at the start of a line."""
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": place(line), "end": place(line)},
        "context": {"diagnostics": diagnostics},
    }
    editor = redline.editor
    menu = await editor.result(editor.ask("textDocument/codeAction", params))
    assert isinstance(menu, list)
    return menu


def text_of(shown: Json) -> str:
    """The text of a document that the server shows."""
    return Path(unquote(urlsplit(shown["uri"]).path)).read_text()


def titles(menu: list[Json]) -> list[str]:
    """What a menu offers to edit."""
    shown = [each["title"] for each in menu if each["title"] != REVIEW]
    assert shown[-1:] == [CONFIGURE]
    return shown[:-1]


@pytest.mark.parametrize(
    ("line", "diagnostics", "expected"),
    [
        (
            1,
            [UNUSED],
            [
                "Fix with Redline: `os` imported but unused",
                "Sort the imports with Redline",
            ],
        ),
        (
            6,
            [],
            ["Add types with Redline"],
        ),
        (
            9,
            [],
            [
                "Add types with Redline",
                "Convert to f-strings with Redline",
            ],
        ),
        (
            13,
            [],
            [
                "Do this with Redline: rename old_name to prices",
                "Add types with Redline",
            ],
        ),
        (
            15,
            [NO_FIELD, OF_ANOTHER],
            [
                "Fix with Redline: f-string without any placeholders",
                "Fix every F541 in the file with Redline",
                "Add types with Redline",
            ],
        ),
    ],
)
async def test_every_entry_leads_to_an_edit_that_applies(
    bare: Redline, line: int, diagnostics: list[Json], expected: list[str]
) -> None:
    editor = bare.editor
    editor.open(URI, TEXT)
    assert titles(await offered(bare, line, diagnostics)) == expected
    for title in expected:
        menu = await offered(bare, line, diagnostics)
        (action,) = [each for each in menu if each["title"] == title]
        resolved = await editor.result(editor.ask("codeAction/resolve", action))
        changed = editor.apply({"edit": resolved["edit"]})
        assert changed is not None
        editor.tell(changed)
        assert editor.text(URI) != TEXT, title
        ast.parse(editor.text(URI))
        editor.close_document(URI)
        editor.open(URI, TEXT)


async def test_the_last_entry_says_how_to_configure_a_model(bare: Redline) -> None:
    """As a document; no request is sent to a model."""
    editor = bare.editor
    uri = "file:///project/prices.go"
    editor.open(uri, "func Total(a int) int {\n\treturn a\n}\n", language="go")
    menu = await offered(bare, 1, [OF_ANOTHER], uri=uri)
    assert titles(menu) == []
    command = menu[-1]["command"]
    request = editor.run(command["command"], *command["arguments"])
    shown = await editor.hear_method("window/showDocument")
    text = text_of(shown)
    assert "[models.luna]" in text
    assert "redline doctor" in text
    assert (await editor.result(request))["markdown"] == text
    assert editor.all_of("workspace/applyEdit") == []


async def test_a_comment_in_another_language(bare: Redline) -> None:
    """What the rules understand in any of them."""
    editor = bare.editor
    uri = "file:///project/list.ts"
    text = "const all = [\n  // redline: sort these lines\n  'b',\n  'a',\n];\n"
    editor.open(uri, text, language="typescript")
    menu = await offered(bare, 1, [], uri=uri)
    assert titles(menu) == ["Do this with Redline: sort these lines"]
    (do,) = [each for each in menu if each["title"].startswith("Do this")]
    resolved = await editor.result(editor.ask("codeAction/resolve", do))
    changed = editor.apply({"edit": resolved["edit"]})
    assert changed is not None
    editor.tell(changed)
    assert editor.text(uri) == "const all = [\n  'a',\n  'b',\n];\n"


async def test_a_menu_asked_for_at_once(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """It waits until the server knows that there is no model for anything else."""
    home = tmp_path_factory.mktemp("at_once")
    redline = await start_redline(home=home, environment={})
    try:
        await redline.editor.initialize(rootUri=home.as_uri())
        redline.editor.open(URI, TEXT)
        shown = titles(await offered(redline, 6, []))
        assert shown == ["Add types with Redline"]
    finally:
        await redline.end()
