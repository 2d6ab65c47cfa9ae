"""Problems of growing steps are shown as diagnostics where they are in the document."""

from __future__ import annotations

import pytest
import pytest_asyncio
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, span
from tests.e2e.redline_session import Redline
from tests.e2e.wire_editor import WireEditor

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/problems.py"
HEAD = 'import os\n\n\n# "😀"\n'
BODY = "".join(f"    price_{n} = prices[{n}]\n" for n in range(40))
OLD = f"def total(prices):\n{BODY}    return sum(prices)\n"
BAD = f"def total(prices: list[int]):\n{BODY}    return sum(prices, '😀', strat)\n"
TAIL = "\n\nprint(os)\n"
FIRST, END = 4, 46
REGION = {
    "start": {"line": FIRST, "character": 0},
    "end": {"line": END, "character": 0},
}
DIAGNOSTICS = "textDocument/publishDiagnostics"


@pytest_asyncio.fixture(loop_scope="session")
async def marked(redline: Redline, connect: Connect) -> WireEditor:
    """An editor in whose document the bad answer is."""
    script = Script(otherwise=ScriptReply(chunks=tuple(BAD.splitlines(keepends=True))))
    await connect(script, checks={"off": [], "repair": False})
    editor = redline.editor
    editor.open(URI, HEAD + OLD + TAIL)
    edit = editor.edit(URI, REGION, sessionId="live", apply="stream")
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "applied"
    assert [check["rule"] for check in outcome["checks"]] == ["undefined-name"]
    return editor


async def shown(editor: WireEditor) -> list[Json]:
    """What is shown for the document now."""
    await editor.run_now("redline.status", {})
    published = [each for each in editor.all_of(DIAGNOSTICS) if each["uri"] == URI]
    diagnostics: list[Json] = published[-1]["diagnostics"]
    return diagnostics


async def test_a_problem_is_shown_where_it_is(marked: WireEditor) -> None:
    """With its rule, its message, and the version that its range is in."""
    (diagnostic,) = await shown(marked)
    assert (diagnostic["source"], diagnostic["code"]) == ("redline", "undefined-name")
    assert diagnostic["severity"] == 2
    assert "strat" in diagnostic["message"]
    # In UTF-16, in which the emoji counts as two.
    assert diagnostic["range"] == span((END - 1, 4), (END - 1, 35))
    published = marked.all_of(DIAGNOSTICS)[-1]
    assert published["version"] == marked.documents[URI].version


async def test_it_goes_when_somebody_changes_the_lines(marked: WireEditor) -> None:
    """Changes elsewhere leave it, or move it."""
    marked.type(URI, span((END + 2, 0), (END + 2, 0)), "# ")
    marked.type(URI, span((0, 0), (0, 0)), "import io\n")
    (diagnostic,) = await shown(marked)
    assert diagnostic["range"]["start"]["line"] == END
    marked.type(URI, span((FIRST + 5, 4), (FIRST + 5, 5)), "P")
    assert await shown(marked) == []


async def test_it_goes_when_the_edit_is_taken_back(marked: WireEditor) -> None:
    """By the command."""
    await marked.run_now("redline.takeBack", {"sessionId": "live"})
    assert marked.text(URI) == HEAD + OLD + TAIL
    assert await shown(marked) == []


async def test_it_goes_with_its_document(marked: WireEditor) -> None:
    """Nothing is shown in what is closed; opened again it has none."""
    marked.close_document(URI)
    assert await shown(marked) == []
    marked.open(URI, HEAD + OLD + TAIL)
    assert await shown(marked) == []
