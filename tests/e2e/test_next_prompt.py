"""What an instruction would be sent with, while it is typed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.conftest import Serve, Shared, Start
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel

from redline.assist.edit.prompt.next_prompt import IMAGE_TOKENS
from redline.gateway.engines.script import Script

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "import os\n\n\ndef total(rows):\n    return sum(rows)\n\n\ndef other(): ...\n"
ROUNDING = "".join(f"DIGITS_{n} = {n}\n" for n in range(200))

BOTH = ({"range": lines(3, 5)}, {"range": lines(7, 8)})
SENT = ("range", "around", "context", "files", "images")


@pytest_asyncio.fixture(loop_scope="session")
async def model(serve: Serve) -> ScriptedModel:
    """A model that answers with the range as it is."""
    return await serve(Script())


@pytest_asyncio.fixture(loop_scope="session")
async def redline(
    shared: Shared, model: ScriptedModel, tmp_path: Path
) -> AsyncIterator[Redline]:
    """A shared server on a folder with a file to name, with the document open."""
    (tmp_path / "rounding.py").write_text(ROUNDING)
    settings = settings_for(model, name="fast", vision=True)
    async with shared.in_folder(tmp_path, settings) as redline:
        redline.editor.open(f"{tmp_path.as_uri()}/rows.py", TEXT)
        yield redline


async def describe(redline: Redline, instruction: str = "", **more: object) -> Json:
    """Ask, by default for the first function."""
    (uri,) = redline.editor.documents
    place = {} if "ranges" in more else {"range": lines(3, 5)}
    arguments = {"uri": uri, "instruction": instruction, **place, **more}
    found: Json = await redline.editor.run_now("redline.nextPrompt", arguments)
    return found


async def size_of(redline: Redline, instruction: str = "", **more: object) -> Json:
    """The same, only the counts."""
    tokens: Json = (await describe(redline, instruction, **more))["tokens"]
    return tokens


async def test_it_describes_what_is_sent_then(
    redline: Redline, model: ScriptedModel
) -> None:
    """Nothing is sent for it; the edit's own prompt has about as many tokens."""
    instruction = "begin at zero as in @rounding.py #fast"
    described = await describe(redline, instruction)
    assert (described["model"], described["tier"]) == ("fast", "fast")
    assert described["assumes"] == []
    tokens = described["tokens"]
    assert tokens["window"] == 128_000
    assert described["summary"] == (
        f"To fast: about {tokens['total']:,} tokens, "
        f"{round(tokens['total'] / 1_280)} % of its window (range {tokens['range']}, "
        f"around it {tokens['around']}, files {tokens['files']:,})"
    )
    assert model.n("create") == 0
    editor = redline.editor
    (uri,) = editor.documents
    await editor.result(editor.edit(uri, lines(3, 5), instruction))
    last = await editor.run_now("redline.lastPrompt", {})
    # Lines are estimated until they are counted, which may be in between.
    assert tokens["total"] == pytest.approx(last["tokens"], rel=0.3)


async def test_a_model_is_named(redline: Redline, model: ScriptedModel) -> None:
    """`redline.files` lists it, and the prompt is for it; an edit asks it then."""
    settings = settings_for(model, name="quick")
    settings["models"]["best"] = settings["models"]["quick"] | {"name": "gpt-best"}
    await redline.use(settings, name="quick")
    editor = redline.editor
    listed = await editor.run_now("redline.files", {"typed": "#"})
    assert listed["models"] == [
        {"name": "scripted", "model": "scripted"},
        {"name": "quick", "model": "quick"},
        {"name": "best", "model": "gpt-best"},
    ]
    assert (await describe(redline, "improve it #best"))["model"] == "gpt-best"
    (uri,) = editor.documents
    for named in ({"instruction": "improve it #best"}, {"model": "best"}):
        await editor.result(editor.edit(uri, lines(3, 5), **named))
        last = await editor.run_now("redline.lastPrompt", {})
        assert last["model"] == "gpt-best"
    assert model.n("create") == 2
    assert (await describe(redline, "improve it #bets"))["assumes"][-1] == (
        "`#bets` names no tier or model, so it is a part of the instruction."
    )
    refused = editor.edit(uri, lines(3, 5), "improve it", model="bets")
    error = await editor.error(refused)
    assert error["message"] == (
        "No model is named 'bets' in the settings. These are: scripted, quick, best."
    )


async def test_each_part_counts(redline: Redline) -> None:
    """Nothing typed, a longer instruction, a file, images, and several ranges."""
    bare = await size_of(redline)
    typed = await size_of(redline, "begin at zero and say why in a comment")
    assert typed["total"] > bare["total"]
    assert [typed[each] for each in SENT] == [bare[each] for each in SENT]
    named = await size_of(redline, "as in @rounding.py")
    assert named["files"] > len(ROUNDING.splitlines())
    assert named["total"] > typed["total"] + named["files"] // 2
    pictures = await size_of(redline, images=2)
    assert pictures["images"] == 2 * IMAGE_TOKENS
    assert pictures["total"] == bare["total"] + pictures["images"]
    several = await size_of(redline, ranges=BOTH)
    assert several["range"] > bare["range"]


async def test_images_do_not_count_for_a_model_that_reads_none(
    redline: Redline, model: ScriptedModel
) -> None:
    """It is not sent any."""
    await redline.use(settings_for(model, name="blind", vision=False), name="blind")
    bare = await size_of(redline)
    assert await size_of(redline, images=2) == bare


async def test_what_is_taken_for_granted_is_said(redline: Redline) -> None:
    """Of a vague instruction; where ranges differ, with their numbers."""
    one = await describe(redline, "improve this")
    assert "Only `total` changes." in one["assumes"]
    both = await describe(redline, "improve this", ranges=BOTH)
    assert "Range 1: Only `total` changes." in both["assumes"]
    assert "Range 2: Only `other` changes." in both["assumes"]
    assert "Its behaviour stays the same." in both["assumes"]
    assert (await describe(redline))["assumes"] == []


async def test_what_cannot_be_sent_is_said(redline: Redline) -> None:
    """With the sentence that the edit would end with."""
    (uri,) = redline.editor.documents
    arguments = {"uri": uri, "range": lines(3, 5), "instruction": "see @gone.py"}
    answer = redline.editor.run("redline.nextPrompt", arguments)
    error = await redline.editor.error(answer)
    assert "@gone.py names no file of this workspace." in error["message"]


async def test_a_document_that_is_not_sent(redline: Redline, tmp_path: Path) -> None:
    """Ignored files have no next prompt."""
    (tmp_path / ".gitignore").write_text("*.secret\n")
    redline.editor.open(f"{tmp_path.as_uri()}/rows.secret", TEXT)
    *_, uri = redline.editor.documents
    arguments = {"uri": uri, "range": lines(3, 5), "instruction": "improve it"}
    answer = redline.editor.run("redline.nextPrompt", arguments)
    error = await redline.editor.error(answer)
    assert "rows.secret" in error["message"]


async def test_without_a_model_nothing_is_sent(start: Start) -> None:
    """There is no model to name and no window to fill."""
    redline = await start(environment={})
    await redline.hear_of("rules")
    redline.editor.open("file:///project/rows.py", TEXT)
    described = await describe(redline, "improve it", images=1)
    assert described.keys() == {"tier", "assumes"}
