"""Problems of an edit that is in the document all the same are marked there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.assist.anchors import n_anchors_of
from tests.assist.conftest import EditHarness, RunningEdit
from tests.assist.fake_editor import URI

from redline.assist.edit.document.problem_marks import ProblemMarks
from redline.text.position import Position, Range

HEAD = "import os\n\n\n"
BODY = "".join(f"    price_{n} = prices[{n}]\n" for n in range(20))
OLD = f"def total(prices):\n{BODY}    return sum(prices)\n"
BAD = f"def total(prices: list[int]):\n{BODY}    return sum(prices, strat)\n"
N_LINES = 22
TAIL = "\n\nprint(os)\n"


@pytest.fixture
async def marked(harness: EditHarness) -> AsyncIterator[EditHarness]:
    """A rig that checks, repairs nothing, and shows the problems."""
    marks = ProblemMarks(harness.workspace, harness.editor)
    harness.observers.append(marks.session_changed)
    harness.n_anchors_besides = lambda: len(marks._marked)
    harness.configure(checks={"off": []})
    harness.editor.open(HEAD + OLD + TAIL)
    yield harness
    await harness.idle()
    marks.close()
    assert not any(harness.editor.marks.values())
    harness.n_anchors_besides = lambda: 0


async def stepped(harness: EditHarness) -> RunningEdit:
    """Have a bad answer enter the document by steps."""
    running = harness.edit_lines(3, 3 + N_LINES, apply="stream")
    generation = await harness.model.generation()
    generation.write(*BAD.splitlines(keepends=True))
    async with asyncio.timeout(5):
        while not harness.editor.asked:
            await harness.editor.changed.wait()
            await asyncio.sleep(0)
    await harness.idle()
    generation.finish()
    result = await running.result()
    assert result.outcome == "applied"
    assert [problem.rule for problem in result.checks] == ["undefined-name"]
    return running


def line_range(line: int, text: str) -> Range:
    """Where a line's text stands, without its indentation."""
    return Range(
        Position(line, len(text) - len(text.lstrip())), Position(line, len(text))
    )


async def test_marked_on_its_line(marked: EditHarness) -> None:
    """By the check's id and its message, until the user changes the range."""
    await stepped(marked)
    (mark,) = marked.editor.marks[URI]
    assert mark.rule == "undefined-name"
    assert "strat" in mark.message
    assert mark.range == line_range(2 + N_LINES, "    return sum(prices, strat)")
    marked.editor.type("print", "# ")
    assert marked.editor.marks[URI] == (mark,)
    marked.editor.type("ices, strat", "r")
    assert marked.editor.marks[URI] == ()


async def test_it_moves_with_its_lines(marked: EditHarness) -> None:
    """Lines that are put in above it move it."""
    await stepped(marked)
    marked.editor.type("import os", "import io\n")
    (mark,) = marked.editor.marks[URI]
    assert mark.range.start.line == 3 + N_LINES


@pytest.mark.parametrize("how", ["taken back", "closed"])
async def test_it_goes_with_its_text(marked: EditHarness, how: str) -> None:
    """Taken back, or closed."""
    running = await stepped(marked)
    if how == "closed":
        document = marked.workspace.document(URI)
        marked.editor.close()
        assert n_anchors_of(document) == 0
    else:
        await marked.edits.take_back(running.id)
        assert marked.editor.text() == HEAD + OLD + TAIL
    assert marked.editor.marks[URI] == ()


async def test_an_edit_without_problems_has_no_marks(marked: EditHarness) -> None:
    """Nothing is sent then."""
    running = marked.edit_lines(3, 3 + N_LINES)
    (await marked.model.generation()).reply(
        OLD.replace("sum(prices)", "sum(prices, 0)")
    )
    await running.result()
    assert marked.editor.marks == {}


async def test_what_is_held_is_not_marked(marked: EditHarness) -> None:
    """It is not in the document."""
    running = marked.edit_lines(3, 3 + N_LINES)
    (await marked.model.generation()).reply(BAD)
    assert (await running.result()).outcome == "held"
    assert marked.editor.marks == {}
