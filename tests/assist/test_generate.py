"""From the stream to a candidate: cuts, restarts, refusals, failures."""

from __future__ import annotations

import pytest
from tests.assist.conftest import Rig

from redline.assist.edit.states import State
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


async def test_a_cut_is_restarted_once_unseen(rig: Rig) -> None:
    """After the first delta, from the start, with the same prompt."""
    rig.preview()
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 3)
    first = await rig.model.generation(0)
    first.write("a = 10\nb = 2\n")
    await rig.idle()
    painted = rig.editor.shown(running.id)
    assert painted == "a = 10\na = 1\nb = 2\nc = 3\n" or "a = 10" in painted
    first.fail(CUT)
    second = await rig.model.generation(1)
    assert second.request.prompt == first.request.prompt
    assert first.is_released
    # What was shown stays until there is something to show instead.
    await rig.idle()
    assert rig.editor.shown(running.id) == painted
    second.reply("a = 1\nb = 20\nc = 3\n")
    assert (await running.result()).outcome == "offered"
    assert rig.editor.shown(running.id) == "a = 1\nb = 20\nc = 3\n"


async def test_a_second_cut_fails(rig: Rig) -> None:
    """With the model's own error; the document is as it was."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    for n in range(2):
        generation = await rig.model.generation(n)
        generation.write("a")
        generation.fail(CUT)
    with pytest.raises(ModelCutError):
        await running.result()
    assert running.session.state is State.FAILED
    assert len(rig.model.generations) == 2
    assert rig.editor.text() == TEXT


@pytest.mark.parametrize("kind", ["reasoning", "text", "refusal"])
async def test_any_delta_counts_as_begun(rig: Rig, kind: DeltaKind) -> None:
    """The model itself tries again only before it."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation(0)
    generation.write("hm", kind=kind)
    generation.fail(CUT)
    (await rig.model.generation(1)).reply("a = 5\n")
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
    rig: Rig, error: ModelError, *, has_deltas: bool
) -> None:
    """No second generation is started for them."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation()
    if has_deltas:
        generation.write("a")
    generation.fail(error)
    with pytest.raises(ModelError) as caught:
        await running.result()
    assert caught.value is error
    assert len(rig.model.generations) == 1
    assert rig.editor.progress[0].ends == [str(error)]


async def test_a_model_that_cannot_be_started(rig: Rig) -> None:
    """Its error is the answer."""
    rig.editor.open(TEXT)
    rig.model.refuses = ModelUnavailableError("Redline is not connected.")
    running = rig.edit_lines(0, 1)
    with pytest.raises(ModelUnavailableError):
        await running.result()
    assert running.session.state is State.FAILED


async def test_a_bug_in_a_model_ends_the_session_too(rig: Rig) -> None:
    """Whatever is raised, the session is over, and says that nothing was changed."""
    rig.editor.open(TEXT)
    rig.model.refuses = ZeroDivisionError("bug")
    running = rig.edit_lines(0, 1)
    with pytest.raises(ZeroDivisionError):
        await running.result()
    assert running.session.state is State.FAILED
    assert rig.editor.progress[0].ends == [
        "Redline failed inside; nothing was changed."
    ]


async def test_a_restarted_answer_replaces_the_first(rig: Rig) -> None:
    """What was written before does not count, nor does what was shown of it."""
    rig.preview()
    old = "".join(f"line_{n} = {n}\n" for n in range(12))
    rig.editor.open(old)
    running = rig.edit_lines(0, 12)
    generation = await rig.model.generation()
    generation.write(old.replace("= 1\n", "= 100\n").replace("= 6\n", "= 600\n"))
    await rig.idle()
    assert len(rig.editor.previews[running.id].hunks) == 2
    new = old.replace("= 3\n", "= 300\n")
    generation.restart(new[:60])
    await rig.idle()
    generation.write(new[60:])
    generation.finish()
    assert (await running.result()).outcome == "offered"
    assert rig.editor.shown(running.id) == new
    assert (await rig.accept(running.id, None)).state == "accepted"
    assert rig.editor.text() == new


async def test_a_restarted_answer_without_a_preview(rig: Rig) -> None:
    """The draft that another edit would take over is of the second one alone."""
    rig.editor.open(TEXT)
    rig.edit_lines(0, 1)
    generation = await rig.model.generation()
    generation.write("x = 9\ny = 9\nz = 9\nx = 8\ny = 8\n")
    await rig.idle()
    generation.restart("a = 5\nb = 5\nc = 5\nd = 5\n")
    await rig.idle()
    rig.edit_lines(0, 1)
    prompt = (await rig.model.generation(1)).prompt
    assert "x = 9" not in prompt
    assert "a = 5\nb = 5" in prompt


async def test_an_answer_restarted_to_nothing(rig: Rig) -> None:
    """Is an empty one, however much was written before."""
    rig.preview()
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation()
    generation.write("x = 9\n")
    await rig.idle()
    generation.restart()
    generation.finish()
    assert (await running.result()).outcome == "held"
    assert rig.editor.shown(running.id) == "b = 2\nc = 3\n"


@pytest.mark.parametrize("reason", ["completed", "filtered"])
async def test_a_refusal_is_told(rig: Rig, reason: str) -> None:
    """In the model's words, on one line; it is no empty reply."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1, "Delete this.")
    generation = await rig.model.generation()
    generation.write("I can't\nhelp ", "with that.", kind="refusal")
    generation.finish("filtered" if reason == "filtered" else "completed")
    with pytest.raises(ModelRejectedError) as caught:
        await running.result()
    assert str(caught.value) == ("The model did not answer: I can't help with that.")
    assert "settings" not in caught.value.remedy
    assert rig.editor.text() == TEXT


async def test_a_long_refusal_is_cut(rig: Rig) -> None:
    """A message is for reading."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation()
    generation.write("no " * 1_000, kind="refusal")
    generation.finish("filtered")
    with pytest.raises(ModelRejectedError, match=r" …\.$") as caught:
        await running.result()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("reason", "says"),
    [("filtered", "it refused"), ("stopped", "stopped by the server")],
)
async def test_an_answer_withheld(rig: Rig, reason: str, says: str) -> None:
    """Without a word from the model."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation()
    generation.write("a = 2\n")
    generation.finish("filtered" if reason == "filtered" else "stopped")
    with pytest.raises(ModelRejectedError, match=says):
        await running.result()
    assert rig.editor.text() == TEXT


async def test_a_reply_without_code(rig: Rig) -> None:
    """Blocks were asked for and none came: there is nothing to offer."""
    rig.configure(edit={"rewrite_lines": 1})
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 3)
    (await rig.model.generation()).reply("I would not do that.\n")
    with pytest.raises(ReplyNotUnderstoodError) as caught:
        await running.result()
    assert caught.value.remedy.startswith("Nothing was changed")
    assert rig.editor.text() == TEXT


async def test_usage_is_the_last_generations(rig: Rig) -> None:
    """As the provider counted it."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation(0)
    generation.write("a")
    generation.fail(CUT)
    generation = await rig.model.generation(1)
    generation.write("a = 7\n")
    generation.finish(usage=Usage(input_n_tokens=5, output_n_tokens=2))
    result = await running.result()
    assert result.usage == Usage(input_n_tokens=5, output_n_tokens=2)
