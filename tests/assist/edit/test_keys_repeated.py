"""A key that a model repeats does not get into a document."""

from __future__ import annotations

import base64

import pytest
from tests.assist.conftest import EditHarness

from redline import keys_in_use
from redline.assist.actions.action import RangeWork
from redline.assist.editor.editor import EditorTraits
from redline.errors import ModelRejectedError
from redline.keys_in_use import note_key
from redline.settings.edit_settings import ApplyMode
from redline.text.position import Position, Range

KEY = "b1946ac92492d2347c6235b4d2611184"
TEXT = "a = 1\nb = 2\nc = 3\n"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in use, in these tests only."""
    monkeypatch.setattr(keys_in_use, "_known", keys_in_use._KnownKeys())
    note_key(KEY)


@pytest.mark.parametrize("apply", ["end", "stream", "preview"])
@pytest.mark.parametrize(
    "written", [KEY, KEY.upper(), base64.b64encode(KEY.encode()).decode()]
)
async def test_the_edit_is_discarded_before_it_is_seen(
    harness: EditHarness, apply: ApplyMode, written: str
) -> None:
    """No line of it is painted or applied; what was applied before is taken back."""
    harness.editor.traits = EditorTraits(has_preview=apply == "preview")
    harness.configure(edit={"apply": apply, "paints_per_s": 0.0})
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    generation = await harness.model.generation()
    generation.write("a = 10\n", "b = '")
    await harness.idle()
    for part in (written[:10], written[10:]):
        generation.write(part)
        await harness.idle()
    generation.write("'\n")
    await harness.idle()
    assert generation.is_stopped
    with pytest.raises(ModelRejectedError, match="wrote an API key") as caught:
        await running.result()
    assert KEY not in str(caught.value)
    assert harness.editor.text() == TEXT


async def test_a_key_in_the_last_line_is_found(harness: EditHarness) -> None:
    """That line has no end while it is written."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    (await harness.model.generation()).reply(f"a = 1\nb = 2\nc = '{KEY}'")
    with pytest.raises(ModelRejectedError, match="wrote an API key"):
        await running.result()
    assert harness.editor.text() == TEXT


async def test_a_key_of_the_document_may_stay(harness: EditHarness) -> None:
    """The user has put it there; the model is sent a placeholder."""
    harness.editor.open(f"a = 1\nkey = '{KEY}'\n")
    running = harness.edit_lines(0, 2)
    generation = await harness.model.generation()
    assert KEY not in generation.prompt
    generation.reply("a = 2\nkey = 'REDLINE_SECRET_000000'\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == f"a = 2\nkey = '{KEY}'\n"


async def test_a_declining_model_does_not_show_it(harness: EditHarness) -> None:
    """The reason is the model's own words."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    (await harness.model.generation()).reply(f"NO CHANGE: your key is {KEY}.\n")
    result = await running.result()
    assert KEY not in str(result)
    assert "your key is [redacted]" in str(result)


async def test_a_reason_for_one_of_several_ranges_does_not_show_it(
    harness: EditHarness,
) -> None:
    harness.editor.open(TEXT)
    ranges = (
        RangeWork(range=Range(Position(line, 0), Position(line + 1, 0)))
        for line in (0, 2)
    )
    running = harness.edit(0, 0, ranges=tuple(ranges))
    (await harness.model.generation()).reply(
        "<<<<<<< RANGE 1\na = 2\n>>>>>>> RANGE 1\n"
        f"<<<<<<< RANGE 2\nNO CHANGE: your key is {KEY}\n>>>>>>> RANGE 2\n"
    )
    result = await running.result()
    assert KEY not in str(result)
    assert result.message == "Range 2 is unchanged: your key is [redacted]."
