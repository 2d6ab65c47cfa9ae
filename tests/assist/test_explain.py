"""Explanations: one generation, shown and never applied."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import Rig
from tests.assist.fake_editor import URI

from redline.assist.explain import Explainer, Explanation
from redline.errors import (
    HeldBackError,
    ModelCutError,
    ModelRejectedError,
    OutdatedError,
    RedlineError,
    ReplyNotUnderstoodError,
)
from redline.text.position import Position, Range

SECRET = "AKIAIOSFODNN7EXAMPLQ"
TEXT = f"a = 1\nkey = '{SECRET}'\n"


def explain(rig: Rig, uri: str = URI, **more: str) -> asyncio.Task[Explanation]:
    """Ask what the first line does."""
    explainer = Explainer(
        workspace=rig.workspace,
        editor=rig.editor,
        tiers=rig.tiers,
        settings=lambda: rig.settings,
        cache_key="key",
    )
    rig.editor.open(TEXT, uri)
    snapshot = rig.workspace.document(uri).snapshot()
    where = Range(Position(0, 0), Position(0, 5))
    work = explainer.explain(snapshot, where, question=more.get("question"))
    return asyncio.get_running_loop().create_task(work)


async def test_the_answer_is_harmless_and_whole(rig: Rig) -> None:
    """Secrets do not leave, and come back where the answer names them."""
    task = explain(rig, question="Why one?")
    generation = await rig.model.generation()
    assert SECRET not in generation.prompt
    assert "REDLINE_SECRET_000000" in generation.prompt
    assert "Why one?" in generation.prompt
    generation.write("no")
    generation.restart("It is [one](command:x), ")
    generation.reply("not REDLINE_SECRET_000000.")
    done = await task
    assert done.markdown == f"It is [one] (command:x), not {SECRET}.\n"
    assert rig.editor.progress[0].ends == ["Done."]


async def test_it_can_be_stopped(rig: Rig) -> None:
    task = explain(rig)
    generation = await rig.model.generation()
    await rig.idle()
    rig.editor.progress[0].cancel()
    assert generation.is_stopped
    with pytest.raises(OutdatedError):
        await task


async def test_it_can_be_cancelled(rig: Rig) -> None:
    task = explain(rig)
    generation = await rig.model.generation()
    await rig.idle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert generation.is_released
    assert rig.editor.progress[0].ends


@pytest.mark.parametrize("failure", ["cut", "refusal", "filtered", "empty"])
async def test_no_answer_is_an_error(rig: Rig, failure: str) -> None:
    task = explain(rig)
    generation = await rig.model.generation()
    expected: type[RedlineError] = ModelRejectedError
    match failure:
        case "cut":
            generation.fail(ModelCutError("It was cut."))
            expected = ModelCutError
        case "refusal":
            generation.write("I will not.", kind="refusal")
            generation.finish()
        case "filtered":
            generation.finish("filtered")
        case _:
            generation.reply(" \n")
            expected = ReplyNotUnderstoodError
    with pytest.raises(expected):
        await task


async def test_a_denied_file_is_not_sent(rig: Rig) -> None:
    task = explain(rig, "file:///project/.env")
    with pytest.raises(HeldBackError):
        await task
    assert rig.model.generations == []
