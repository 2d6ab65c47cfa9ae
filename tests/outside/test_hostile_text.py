"""Text of a workspace that is made to keep us busy."""

from __future__ import annotations

import asyncio

import pytest
from tests.e2e.editor_document import Json, lines
from tests.outside.commands import Desk
from tests.outside.conftest import Scripted, Serve

MANY = 200_000

TEXTS = {
    "spaces.py": " " * MANY + "x",
    "quotes.ts": "'" * MANY + '"',
    "quotes.js": "'" * MANY + '"',
    "dots.rb": "a." * (MANY // 2),
    "comments.py": "/*" * (MANY // 2),
    "tags.cpp": "<a " * (MANY // 3),
    "tags.cs": "<a " * (MANY // 3),
    "words.py": "password = " + "a1" * (MANY // 2),
    "keys.go": "key: " * (MANY // 5) + "'",
    "urls.rs": "http://a:" + "b@" * (MANY // 2),
}
"""Tree-sitter needs more than 20 s or gigabytes for four of them."""

INDEXED_S = 200.0
"""A bound, never a measure."""


@pytest.mark.timeout(300)
async def test_the_index_of_hostile_files(
    desk: Desk, serve: Serve, gateway: Scripted
) -> None:
    """It comes to its end, an edit works meanwhile, and nothing is left running."""
    for name, text in TEXTS.items():
        desk.write(name, text)
    model = await gateway({"otherwise": {"text": "x = 2\n"}})
    redline = await serve(desk.settings(model.url))
    editor = redline.editor
    uri = (desk.project / "mine.py").as_uri()
    editor.open(uri, "x = 1\n")
    outcome = await editor.result(editor.edit(uri, lines(0, 1)))
    assert outcome["outcome"] == "applied"

    def is_indexed(message: Json) -> bool:
        if message.get("method") != "redline/status":
            return False
        return not message["params"]["indexing"]

    async with asyncio.timeout(INDEXED_S):
        while (await editor.run_now("redline.status", {}))["indexing"]:
            try:
                await editor.hear(is_indexed, after=len(editor.heard))
            except TimeoutError:
                continue
    await redline.end()
