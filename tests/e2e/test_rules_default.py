"""Nothing configured at all: the rules engine does real work and says what it is."""

from __future__ import annotations

import ast
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.editor_document import lines
from tests.e2e.redline_session import Redline, start_redline

import redline.cli.demo

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAMPLE = Path(redline.cli.demo.__file__).parent / "samples" / "report.py"
URI = "file:///project/report.py"


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def unconfigured(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Redline]:
    """A server in an empty home, without a key in its environment."""
    home = tmp_path_factory.mktemp("unconfigured")
    redline = await start_redline(home=home, environment={})
    await redline.editor.initialize(rootUri=home.as_uri())
    yield redline
    await redline.end()


@pytest_asyncio.fixture(loop_scope="session")
async def bare(unconfigured: Redline) -> AsyncIterator[Redline]:
    """The same, checked after each test."""
    yield unconfigured
    await unconfigured.settle()


def documented(text: str) -> int:
    """How many functions and classes of a module have a docstring."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return sum(ast.get_docstring(node) is not None for node in found)


async def test_docstrings_on_a_real_file(bare: Redline) -> None:
    """The whole way of an edit, with the gateway as a child process."""
    editor = bare.editor
    text = SAMPLE.read_text(encoding="utf-8")
    editor.open(URI, text)
    end = editor.documents[URI].position(len(text))
    where = {"start": {"line": 0, "character": 0}, "end": end}
    edit = editor.edit(URI, where, "add docstrings", apply="end")
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "applied"
    assert any("rules engine" in reason for reason in outcome["reasons"])
    assert documented(editor.text(URI)) > documented(text)
    kept = [row for row in text.splitlines() if row.strip()]
    written = editor.text(URI).splitlines()
    assert all(row in written for row in kept), "what was there is still there"


@pytest.mark.parametrize("apply", ["end", "preview"])
async def test_an_instruction_that_it_does_not_know(bare: Redline, apply: str) -> None:
    """The file is untouched, and the answer lists what it can do."""
    editor = bare.editor
    editor.open(URI, "def a(x):\n    return x\n")
    edit = editor.edit(URI, lines(0, 2), "make it web scale", apply=apply)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "unchanged"
    for word in ("not a model", "docstrings", "Configure a model"):
        assert word in outcome["message"]
    assert editor.text(URI) == "def a(x):\n    return x\n"
    assert not editor.all_of("workspace/applyEdit")


async def test_another_language(bare: Redline) -> None:
    """Line by line it can work on any text."""
    editor = bare.editor
    uri = "file:///project/list.txt"
    editor.open(uri, "c\na\nb\n", language="plaintext")
    edit = editor.edit(uri, lines(0, 3), "sort these lines", apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(uri) == "a\nb\nc\n"


async def test_a_preview_of_its_work(bare: Redline) -> None:
    """Previews work as with any model."""
    editor = bare.editor
    editor.open(URI, "def a(x):\n    raise KeyError(x)\n")
    edit = editor.edit(
        URI, lines(0, 2), "add docstrings", sessionId="one", apply="preview"
    )
    assert (await editor.result(edit))["outcome"] == "offered"
    await editor.run_now("redline.accept", {"sessionId": "one"})
    assert documented(editor.text(URI)) == 1


async def test_the_status_says_that_there_is_no_model(bare: Redline) -> None:
    """No tier has a model, and the note says how to configure one.

    A model server that listens at its usual port of this machine would be found.
    """
    status = await bare.editor.run_now("redline.status", {})
    for tier in status["tiers"]:
        assert tier["isModel"] is False, f"{tier['model']} runs on this machine"
        assert "No model is configured" in tier["note"]
        assert "redline doctor" in tier["note"]
    assert status["connection"] in ("ready", "connecting", "cold")
    assert status["problems"] == []


async def test_a_range_that_cuts_a_block_of_a_long_file(bare: Redline) -> None:
    """It is shown the whole file, however long the code around the range is."""
    editor = bare.editor
    long = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(1_000))
    block = (
        "def show(name, tax):\n"
        "    if tax:\n"
        '        print("%s: %s" % (name, 1))\n'
        "    else:\n"
        '        print("%s" % (name,))\n'
    )
    uri = "file:///project/long.py"
    editor.open(uri, long + block + "\n\n" + long)
    # From the body of one branch into the other.
    at = long.count("\n") + 2
    edit = editor.edit(uri, lines(at, at + 3), "use f-strings", apply="end")
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "applied", outcome.get("message")
    assert 'print(f"{name}: {1}")' in editor.text(uri)


async def test_a_file_that_is_no_python(bare: Redline) -> None:
    """The line that is wrong is named as it is counted in the editor."""
    editor = bare.editor
    uri = "file:///project/broken.py"
    editor.open(uri, "x = 1\n\n\ny = = 2\n")
    edit = editor.edit(uri, lines(3, 4), "add type hints", apply="end")
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "unchanged"
    assert "line 4 of the file cannot be parsed as Python" in outcome["message"]
