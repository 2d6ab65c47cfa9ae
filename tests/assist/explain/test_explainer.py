"""Explanations: one generation, shown and never applied."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_editor import URI
from tests.assist.fake_ledger import Ledger

from redline import keys_in_use
from redline.assist.explain import explainer
from redline.assist.explain.explainer import ExplainedRange, Explainer
from redline.errors import (
    HeldBackError,
    ModelCutError,
    ModelRejectedError,
    OutdatedError,
    RedlineError,
    ReplyNotUnderstoodError,
)
from redline.keys_in_use import note_key
from redline.models.interface import Usage
from redline.store.task import TaskTokens
from redline.text.position import Position, Range

SECRET = "AKIAIOSFODNN7EXAMPLQ"
TEXT = f"a = 1\nkey = '{SECRET}'\n"


def explain(
    harness: EditHarness,
    uri: str = URI,
    *,
    ledger: Ledger | None = None,
    on_text: Callable[[ExplainedRange], None] | None = None,
    **more: str,
) -> asyncio.Task[ExplainedRange]:
    """Ask what the first line does."""
    asked = Explainer(harness.services, ledger or Ledger())
    harness.editor.open(TEXT, uri)
    snapshot = harness.workspace.document(uri).snapshot()
    where = Range(Position(0, 0), Position(0, 5))
    work = asked.explain(
        snapshot, where, question=more.get("question"), on_text=on_text
    )
    return asyncio.get_running_loop().create_task(work)


async def test_the_answer_is_harmless_and_whole(harness: EditHarness) -> None:
    """Secrets do not leave, and the answer does not name them: not in a link either."""
    task = explain(harness, question="Why one?")
    generation = await harness.model.generation()
    assert SECRET not in generation.prompt
    assert "REDLINE_SECRET_000000" in generation.prompt
    assert "Why one?" in generation.prompt
    generation.write("no")
    generation.restart("It is [one](command:x), ")
    generation.reply("not REDLINE_SECRET_000000: https://a.b/?c=REDLINE_SECRET_000000")
    done = await task
    assert "[one] (command:x), not [secret]: https://a.b/?c=[secret]" in done.markdown
    assert SECRET not in done.markdown
    assert harness.editor.progress[0].ends == ["Done."]


async def test_a_value_whose_name_is_outside_of_the_range_is_hidden(
    harness: EditHarness,
) -> None:
    """The whole document is searched."""
    asked = Explainer(harness.services, Ledger())
    harness.editor.open('password = (\n    "hunter2abc"\n)\n', URI)
    snapshot = harness.workspace.document(URI).snapshot()
    work = asked.explain(snapshot, Range(Position(1, 0), Position(1, 5)))
    task = asyncio.get_running_loop().create_task(work)
    generation = await harness.model.generation()
    assert "hunter2abc" not in generation.prompt
    generation.write("A value.")
    generation.finish()
    await task


async def test_a_secret_in_the_name_of_the_file_is_hidden(
    harness: EditHarness,
) -> None:
    """The placeholder is in its place."""
    task = explain(harness, f"file:///project/{SECRET}.py")
    generation = await harness.model.generation()
    assert SECRET not in generation.prompt
    assert "File: REDLINE_SECRET_000000.py\n" in generation.prompt
    generation.reply("A value.")
    await task


async def test_it_is_followed_by_whole_lines(
    harness: EditHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is harmless by itself; no part of a key or of a placeholder is shown."""
    monkeypatch.setattr(explainer, "_FOLLOW_INTERVAL_S", 0.0)
    monkeypatch.setattr(keys_in_use, "_known", keys_in_use._KnownKeys())
    note_key("b1946ac92492d2347c6235b4d2611184")
    seen: list[ExplainedRange] = []
    task = explain(harness, on_text=seen.append)
    generation = await harness.model.generation()
    for piece in (
        "It is ",
        "[one](command:x).\nNot REDLINE_",
        "SECRET_000000, b1946ac",
    ):
        generation.write(piece)
        await harness.idle()
    generation.write("92492d2347c6235b4d2611184.\nThe")
    await harness.idle()
    generation.reply(" end.")
    first = "It is [one] (command:x).\n"
    second = f"{first}Not [secret], [redacted].\n"
    assert (await task).markdown == f"{second}The end.\n"
    assert [each.markdown for each in seen] == [first, second]


async def test_a_key_that_the_model_repeats_is_removed(
    harness: EditHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys_in_use, "_known", keys_in_use._KnownKeys())
    note_key("b1946ac92492d2347c6235b4d2611184")
    task = explain(harness)
    generation = await harness.model.generation()
    generation.write("Your key is b1946ac92492d2347")
    generation.reply("c6235b4d2611184, isn't it?")
    assert (await task).markdown == "Your key is [redacted], isn't it?\n"


async def test_it_is_remembered(harness: EditHarness) -> None:
    """What was sent, as it was sent, and what it took."""
    ledger = Ledger()
    task = explain(harness, ledger=ledger, question="Why one?")
    generation = await harness.model.generation()
    generation.write("Because.")
    counted = Usage(input_n_tokens=90, cached_n_tokens=8, output_n_tokens=7)
    generation.finish(usage=counted)
    await task
    assert harness.sent.last().prompt == generation.request.prompt
    assert SECRET not in harness.sent.last().text
    (usage,) = ledger.tasks
    assert (usage.kind, usage.outcome, usage.n_lines) == ("explain", "shown", 1)
    assert usage.tokens == TaskTokens(
        input_n_tokens=90, cached_n_tokens=8, output_n_tokens=7
    )


@pytest.mark.parametrize(
    ("ending", "outcome"), [("stop", "stopped"), ("cut", "failed"), ("empty", "failed")]
)
async def test_what_failed_is_counted(
    harness: EditHarness, ending: str, outcome: str
) -> None:
    """It was sent, and may have been paid for."""
    ledger = Ledger()
    task = explain(harness, ledger=ledger)
    generation = await harness.model.generation()
    if ending == "stop":
        generation.write("Because it")
        await harness.idle()
        harness.editor.progress[0].cancel()
    elif ending == "cut":
        generation.fail(ModelCutError("It was cut."))
    else:
        generation.reply(" \n")
    with pytest.raises(RedlineError):
        await task
    (usage,) = ledger.tasks
    assert usage.outcome == outcome
    assert usage.tokens.input_n_tokens > 0


async def test_it_can_be_stopped(harness: EditHarness) -> None:
    task = explain(harness)
    generation = await harness.model.generation()
    await harness.idle()
    harness.editor.progress[0].cancel()
    assert generation.is_stopped
    with pytest.raises(OutdatedError):
        await task


async def test_it_can_be_cancelled(harness: EditHarness) -> None:
    task = explain(harness)
    generation = await harness.model.generation()
    await harness.idle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert generation.is_released
    assert harness.editor.progress[0].ends


@pytest.mark.parametrize("failure", ["cut", "refusal", "filtered", "empty"])
async def test_no_answer_is_an_error(harness: EditHarness, failure: str) -> None:
    task = explain(harness)
    generation = await harness.model.generation()
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


async def test_a_denied_file_is_not_sent(harness: EditHarness) -> None:
    task = explain(harness, "file:///project/.env")
    with pytest.raises(HeldBackError):
        await task
    assert harness.model.generations == []


async def test_without_a_model_it_says_how_to_configure_one(
    harness: EditHarness,
) -> None:
    """Also for a file that no model may see; nothing is asked or recorded."""
    harness.model.is_model = False
    ledger = Ledger()
    done = await explain(harness, "file:///project/.env", ledger=ledger)
    assert done.markdown.startswith("# Configure a model\n")
    assert ledger.tasks == []
    assert harness.editor.progress == []
