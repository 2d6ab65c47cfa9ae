"""Explanations: one generation, shown and never applied."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import Rig
from tests.assist.fake_editor import URI
from tests.assist.fake_ledger import Ledger

from redline.assist.explain import Explainer, Explanation
from redline.errors import (
    HeldBackError,
    ModelCutError,
    ModelRejectedError,
    OutdatedError,
    RedlineError,
    ReplyNotUnderstoodError,
)
from redline.models.interface import Usage
from redline.store.task import TaskTokens
from redline.text.position import Position, Range

SECRET = "AKIAIOSFODNN7EXAMPLQ"
TEXT = f"a = 1\nkey = '{SECRET}'\n"


def explain(
    rig: Rig, uri: str = URI, *, ledger: Ledger | None = None, **more: str
) -> asyncio.Task[Explanation]:
    """Ask what the first line does."""
    explainer = Explainer(
        workspace=rig.workspace,
        editor=rig.editor,
        tiers=rig.tiers,
        settings=lambda: rig.settings,
        cache_key="key",
        sent=rig.sent,
        ledger=ledger or Ledger(),
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


async def test_it_is_remembered(rig: Rig) -> None:
    """What was sent, as it was sent, and what it took."""
    ledger = Ledger()
    task = explain(rig, ledger=ledger, question="Why one?")
    generation = await rig.model.generation()
    generation.write("Because.")
    counted = Usage(input_n_tokens=90, cached_n_tokens=8, output_n_tokens=7)
    generation.finish(usage=counted)
    await task
    assert rig.sent.last().prompt == generation.request.prompt
    assert SECRET not in rig.sent.last().text
    (usage,) = ledger.tasks
    assert (usage.kind, usage.outcome, usage.n_lines) == ("explain", "shown", 1)
    assert usage.tokens == TaskTokens(
        input_n_tokens=90, cached_n_tokens=8, output_n_tokens=7
    )


@pytest.mark.parametrize(
    ("ending", "outcome"), [("stop", "stopped"), ("cut", "failed"), ("empty", "failed")]
)
async def test_what_failed_is_counted(rig: Rig, ending: str, outcome: str) -> None:
    """It was sent, and may have been paid for."""
    ledger = Ledger()
    task = explain(rig, ledger=ledger)
    generation = await rig.model.generation()
    if ending == "stop":
        generation.write("Because it")
        await rig.idle()
        rig.editor.progress[0].cancel()
    elif ending == "cut":
        generation.fail(ModelCutError("It was cut."))
    else:
        generation.reply(" \n")
    with pytest.raises(RedlineError):
        await task
    (usage,) = ledger.tasks
    assert usage.outcome == outcome
    assert usage.tokens.input_n_tokens > 0


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


async def test_without_a_model_it_says_how_to_configure_one(rig: Rig) -> None:
    """Also for a file that no model may see; nothing is asked or recorded."""
    rig.model.is_model = False
    ledger = Ledger()
    done = await explain(rig, "file:///project/.env", ledger=ledger)
    assert done.markdown.startswith("# Configure a model\n")
    assert ledger.tasks == []
    assert rig.editor.progress == []
