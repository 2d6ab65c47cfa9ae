"""A vague instruction runs, and says what it took for granted."""

from __future__ import annotations

import pytest
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/rows.py"
TEXT = "import os\n\n\ndef total(rows):\n    return sum(rows)\n"
ASSUMES = [
    "Only `total` changes.",
    "Its behaviour stays the same.",
    "No name that other code uses is added, renamed or removed.",
]


async def sharpen(redline: Redline, instruction: str) -> Json:
    arguments = {"uri": URI, "range": lines(3, 5), "instruction": instruction}
    found: Json = await redline.editor.run_now("redline.sharpen", arguments)
    return found


async def test_a_vague_instruction_runs_and_says_what_it_assumes(
    redline: Redline, model: ScriptedModel
) -> None:
    """Before the edit, in its preview, to the model, and in its answer."""
    editor = redline.editor
    new = "def total(rows):\n    return sum(rows, 0)\n"
    model.say(Script(otherwise=ScriptReply(text=new)))
    editor.open(URI, TEXT)
    sharp = await sharpen(redline, "make this better #fast")
    assert sharp["assumes"] == ASSUMES
    assert sharp["vague"] is True
    assert sharp["task"] == "make `total` better"
    assert sharp["target"]["symbol"] == "total"
    assert sharp["tier"] == "fast"
    edit = editor.edit(
        URI, lines(3, 5), "make this better", sessionId="one", apply="preview"
    )
    outcome = await editor.result(edit)
    (began,) = editor.all_of("redline/edit/began")
    assert outcome["assumes"] == began["assumes"] == ASSUMES
    assert model.tasks[-1].assumes == tuple(ASSUMES)


async def test_a_precise_instruction_is_left_alone(redline: Redline) -> None:
    """Its expected behaviour is found, and nothing is taken for granted."""
    redline.editor.open(URI, TEXT)
    sharp = await sharpen(redline, "it should skip rows that are None")
    assert (sharp["vague"], sharp["assumes"]) == (False, [])
    assert sharp["expected"] == "skip rows that are None"
