"""Models that never end, loop or think for ever, and a text that changes meanwhile."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.suggestions.complete.test_completions import Desk, answered, run

from redline.assist.suggestions.complete.document_state import OpenRequest
from redline.text.document import ContentChange
from redline.text.position import Position


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("x = one + two\ny = 3\n", ["one + two"]),
        ("x = one + two + ", []),
        ("x = one + two  # " + "=" * 40, []),
        ("<think>one or two?\n", []),
        ("```python\n", []),
        ("I'm sorry, but I cannot do that.\n", []),
        ("\n", []),
        ("\u200b", []),
    ],
)
def test_a_reply_that_never_ends(piece: str, expected: list[str]) -> None:
    """The editor is answered once, and the next key works."""

    async def work() -> None:
        desk = Desk("x = │")
        asked = asyncio.ensure_future(desk.shown())
        generation = await desk.model.generation()
        for _ in range(20_000 // len(piece)):
            generation.write(piece)
        assert await asked == expected
        assert not generation.is_released
        desk.type("z")
        assert await desk.replied("x = zone") == ["one"]
        await desk.completions.aclose()
        assert desk.model.n_running == 0

    run(work)


def test_a_formatter_changes_the_text_under_a_reply() -> None:
    """The open request is answered with null; the reply is for a text that is gone."""

    async def work() -> None:
        desk = Desk("a=1\nx = │")
        asked = desk.ask()
        assert isinstance(asked, OpenRequest)
        generation = await desk.model.generation()
        desk.version += 1
        formatted = ContentChange(range=None, text="a = 1\n\nx = \n")
        desk.workspace.change(desk.uri, desk.version, [formatted])
        desk.at = Position(2, 4)
        generation.reply("x = one\n")
        assert await answered(asked) is None
        desk.type("t")
        assert await desk.replied("x = two") == ["wo"]
        await desk.completions.aclose()

    run(work)
