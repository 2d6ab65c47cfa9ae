"""From the stream to a candidate: cuts, restarts, refusals, failures."""

from __future__ import annotations

import pytest
from tests.assist.conftest import EditHarness

from redline.assist.edit.session.states import State
from redline.errors import (
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelUnavailableError,
    RateLimitedError,
    ReplyNotUnderstoodError,
)
from redline.models.interface import DeltaKind, Usage

TEXT = "a = 1\nb = 2\nc = 3\n"
CUT = ModelCutError("The connection was cut.")


async def test_a_cut_is_restarted_once_unseen(harness: EditHarness) -> None:
    """After the first delta, from the start, with the same prompt."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    first = await harness.model.generation(0)
    first.write("a = 10\nb = 2\n")
    await harness.idle()
    painted = harness.editor.shown(running.id)
    assert painted == "a = 10\na = 1\nb = 2\nc = 3\n" or "a = 10" in painted
    first.fail(CUT)
    second = await harness.model.generation(1)
    assert second.request.prompt == first.request.prompt
    assert first.is_released
    # What was shown stays until there is something to show instead.
    await harness.idle()
    assert harness.editor.shown(running.id) == painted
    second.reply("a = 1\nb = 20\nc = 3\n")
    assert (await running.result()).outcome == "offered"
    assert harness.editor.shown(running.id) == "a = 1\nb = 20\nc = 3\n"


async def test_a_second_cut_fails(harness: EditHarness) -> None:
    """With the model's own error; the document is as it was."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    for n in range(2):
        generation = await harness.model.generation(n)
        generation.write("a")
        generation.fail(CUT)
    with pytest.raises(ModelCutError):
        await running.result()
    assert running.session.state is State.FAILED
    assert len(harness.model.generations) == 2
    assert harness.editor.text() == TEXT


@pytest.mark.parametrize("kind", ["reasoning", "text", "refusal"])
async def test_any_delta_counts_as_begun(harness: EditHarness, kind: DeltaKind) -> None:
    """The model itself tries again only before it."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation(0)
    generation.write("hm", kind=kind)
    generation.fail(CUT)
    (await harness.model.generation(1)).reply("a = 5\n")
    assert (await running.result()).outcome == "applied"


@pytest.mark.parametrize(
    ("error", "has_deltas"),
    [
        (CUT, False),
        (RateLimitedError("Too many requests."), True),
        (ModelUnavailableError("Nothing listens."), False),
    ],
)
async def test_other_failures_are_final(
    harness: EditHarness, error: ModelError, *, has_deltas: bool
) -> None:
    """No second generation is started for them."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation()
    if has_deltas:
        generation.write("a")
    generation.fail(error)
    with pytest.raises(ModelError) as caught:
        await running.result()
    assert caught.value is error
    assert len(harness.model.generations) == 1
    assert harness.editor.progress[0].ends == [str(error)]


async def test_a_model_that_cannot_be_started(harness: EditHarness) -> None:
    """Its error is the answer."""
    harness.editor.open(TEXT)
    harness.model.refuses = ModelUnavailableError("Redline is not connected.")
    running = harness.edit_lines(0, 1)
    with pytest.raises(ModelUnavailableError):
        await running.result()
    assert running.session.state is State.FAILED


async def test_a_bug_in_a_model_ends_the_session_too(harness: EditHarness) -> None:
    """Whatever is raised, the session is over, and says that nothing was changed."""
    harness.editor.open(TEXT)
    harness.model.refuses = ZeroDivisionError("bug")
    running = harness.edit_lines(0, 1)
    with pytest.raises(ZeroDivisionError):
        await running.result()
    assert running.session.state is State.FAILED
    assert harness.editor.progress[0].ends == [
        "Redline failed inside; nothing was changed."
    ]


async def test_a_restarted_answer_replaces_the_first(harness: EditHarness) -> None:
    """What was written before does not count, nor does what was shown of it."""
    harness.preview()
    old = "".join(f"line_{n} = {n}\n" for n in range(12))
    harness.editor.open(old)
    running = harness.edit_lines(0, 12)
    generation = await harness.model.generation()
    generation.write(old.replace("= 1\n", "= 100\n").replace("= 6\n", "= 600\n"))
    await harness.idle()
    assert len(harness.editor.previews[running.id].hunks) == 2
    new = old.replace("= 3\n", "= 300\n")
    generation.restart(new[:60])
    await harness.idle()
    generation.write(new[60:])
    generation.finish()
    assert (await running.result()).outcome == "offered"
    assert harness.editor.shown(running.id) == new
    assert (await harness.accept(running.id, None)).state == "accepted"
    assert harness.editor.text() == new


async def test_a_restarted_answer_without_a_preview(harness: EditHarness) -> None:
    """The draft that another edit would take over is of the second one alone."""
    harness.editor.open(TEXT)
    harness.edit_lines(0, 1)
    generation = await harness.model.generation()
    generation.write("x = 9\ny = 9\nz = 9\nx = 8\ny = 8\n")
    await harness.idle()
    generation.restart("a = 5\nb = 5\nc = 5\nd = 5\n")
    await harness.idle()
    harness.edit_lines(0, 1)
    prompt = (await harness.model.generation(1)).prompt
    assert "x = 9" not in prompt
    assert "a = 5\nb = 5" in prompt


async def test_an_answer_restarted_to_nothing(harness: EditHarness) -> None:
    """Is an empty one, however much was written before."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation()
    generation.write("x = 9\n")
    await harness.idle()
    generation.restart()
    generation.finish()
    assert (await running.result()).outcome == "held"
    assert harness.editor.shown(running.id) == "b = 2\nc = 3\n"


@pytest.mark.parametrize("reason", ["completed", "filtered"])
async def test_a_refusal_is_told(harness: EditHarness, reason: str) -> None:
    """In the model's words, on one line; it is no empty reply."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1, "Delete this.")
    generation = await harness.model.generation()
    generation.write("I can't\nhelp ", "with that.", kind="refusal")
    generation.finish("filtered" if reason == "filtered" else "completed")
    with pytest.raises(ModelRejectedError) as caught:
        await running.result()
    assert str(caught.value) == ("The model did not answer: I can't help with that.")
    assert "settings" not in caught.value.remedy
    assert harness.editor.text() == TEXT


async def test_a_long_refusal_is_cut(harness: EditHarness) -> None:
    """A message is for reading."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation()
    generation.write("no " * 1_000, kind="refusal")
    generation.finish("filtered")
    with pytest.raises(ModelRejectedError, match=r" …\.$") as caught:
        await running.result()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("reason", "says"),
    [("filtered", "it refused"), ("stopped", "stopped by the server")],
)
async def test_an_answer_withheld(harness: EditHarness, reason: str, says: str) -> None:
    """Without a word from the model."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation()
    generation.write("a = 2\n")
    generation.finish("filtered" if reason == "filtered" else "stopped")
    with pytest.raises(ModelRejectedError, match=says):
        await running.result()
    assert harness.editor.text() == TEXT


async def test_a_reply_without_code(harness: EditHarness) -> None:
    """Blocks were asked for and none came: there is nothing to offer."""
    harness.configure(edit={"rewrite_lines": 1})
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    (await harness.model.generation()).reply("I would not do that.\n")
    with pytest.raises(ReplyNotUnderstoodError) as caught:
        await running.result()
    assert caught.value.remedy.startswith("Nothing was changed")
    assert harness.editor.text() == TEXT


async def test_usage_is_the_last_generations(harness: EditHarness) -> None:
    """As the provider counted it."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation(0)
    generation.write("a")
    generation.fail(CUT)
    generation = await harness.model.generation(1)
    generation.write("a = 7\n")
    generation.finish(usage=Usage(input_n_tokens=5, output_n_tokens=2))
    result = await running.result()
    assert result.usage == Usage(input_n_tokens=5, output_n_tokens=2)
