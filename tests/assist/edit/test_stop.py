"""Stopping: at once, in every state, by any cause, and then silence."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import EditHarness, RunningEdit
from tests.assist.fake_editor import never, take
from tests.assist.fake_model import FakeGeneration

from redline.assist.edit.session.lifecycle import StopReason
from redline.assist.edit.session.states import State
from redline.errors import UnknownSessionError

TEXT = "a = 1\nb = 2\nc = 3\n"


def n_told(harness: EditHarness, running: RunningEdit) -> int:
    """Count what a client was sent for a session, its end left out."""
    preview = harness.editor.previews.get(running.id)
    reports = sum(len(progress.reports) for progress in harness.editor.progress)
    return reports + (preview.n_messages if preview else 0)


async def test_stop_while_the_models_are_looked_for(harness: EditHarness) -> None:
    """The answer does not wait for them."""
    harness.tiers.known.clear()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    await harness.idle()
    assert harness.edits.stop() == [running.id]
    assert (await running.result()).outcome == "stopped"
    assert harness.model.generations == []


async def test_stop_before_its_task_begins(harness: EditHarness) -> None:
    """Read together with the edit."""
    harness.tiers.known.clear()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    assert harness.edits.stop(uri=running.session.request.uri) == [running.id]
    assert (await running.result()).outcome == "stopped"


async def test_an_edit_waits_for_the_models(harness: EditHarness) -> None:
    """And goes on by itself when they are known."""
    harness.tiers.known.clear()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    await harness.idle()
    assert harness.model.generations == []
    harness.tiers.known.set()
    (await harness.model.generation()).reply("a = 2\n")
    assert (await running.result()).outcome == "applied"


async def test_stop_while_a_generation_is_started(harness: EditHarness) -> None:
    """It is stopped as soon as it is there, and frees its lane."""
    harness.model.gate.clear()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation()
    assert harness.edits.stop() == [running.id]
    harness.model.gate.set()
    generation.write("a = 2\n")
    assert (await running.result()).outcome == "stopped"
    assert generation.is_stopped
    assert generation.is_released


@pytest.mark.parametrize("has_preview", [False, True])
@pytest.mark.parametrize("n_deltas", [0, 1, 2])
async def test_stop_while_it_writes(
    harness: EditHarness, n_deltas: int, *, has_preview: bool
) -> None:
    """The generation is stopped before the call returns; then silence."""
    if has_preview:
        harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    generation = await harness.model.generation()
    generation.write(*["x = 9\n", "y = 9\n"][:n_deltas])
    await harness.idle()
    # What has been read in the same turn is not painted any more.
    generation.write("late\n")
    assert harness.edits.stop() == [running.id]
    assert generation.is_stopped
    before = n_told(harness, running)
    result = await running.result()
    await harness.idle()
    assert n_told(harness, running) == before
    assert (result.outcome, result.message) == (
        "stopped",
        "Stopped. Nothing was changed.",
    )
    assert harness.editor.text() == TEXT
    assert generation.n_stops == 1
    if has_preview:
        ended = harness.editor.previews[running.id].ended
        assert ended is not None
        assert (ended.outcome, ended.message) == ("stopped", result.message)


async def test_stop_by_the_progress_button(harness: EditHarness) -> None:
    """The same as the command."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation()
    harness.editor.progress[0].cancel()
    assert generation.is_stopped
    assert (await running.result()).outcome == "stopped"
    assert harness.editor.progress[0].ends == ["Stopped. Nothing was changed."]


@pytest.mark.parametrize("n_turns", range(1, 12))
async def test_cancelled_at_each_await(harness: EditHarness, n_turns: int) -> None:
    """Wherever its task waits, the session ends and the file is whole."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1, apply="end")
    for turn in range(n_turns):
        if turn == 2:
            (await harness.model.generation()).reply("a = 2\n")
        await asyncio.sleep(0)
    running.task.cancel()
    await asyncio.wait({running.task})
    await harness.idle()
    assert running.session.state.is_end
    is_applied = running.session.state is State.APPLIED
    assert harness.editor.text() == (TEXT.replace("1", "2") if is_applied else TEXT)
    assert is_applied or running.task.cancelled()


async def test_a_cancelled_request_says_so(harness: EditHarness) -> None:
    """The progress shows why it ended."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    generation = await harness.model.generation()
    running.task.cancel()
    await asyncio.wait({running.task})
    assert running.task.cancelled()
    assert running.session.state is State.STOPPED
    assert harness.editor.progress[0].ends == ["Cancelled. Nothing was changed."]
    assert generation.is_released


async def test_an_edit_on_its_way_cannot_be_stopped(harness: EditHarness) -> None:
    """It is not listed as stopped, and is seen through."""
    harness.editor.open(TEXT)
    harness.editor.take_edit = never
    running = harness.edit_lines(0, 1)
    (await harness.model.generation()).reply("a = 2\n")
    await harness.editor.changed.wait()
    assert harness.edits.stop() == []
    running.task.cancel()
    await asyncio.wait({running.task})
    assert running.session.state is State.APPLYING
    (asked,) = harness.editor.asked
    await take(harness.editor, asked)
    await harness.idle()
    assert harness.states[running.id][-1] is State.APPLIED
    assert harness.editor.text() == "a = 2\nb = 2\nc = 3\n"


@pytest.mark.parametrize("why", ["asked", "cancelled", "closed", "shutdown"])
async def test_an_ended_session_is_not_stopped_again(
    harness: EditHarness, why: StopReason
) -> None:
    """Its outcome stays what it was."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 1)
    (await harness.model.generation()).reply("NO CHANGE:")
    assert (await running.result()).outcome == "unchanged"
    assert not running.session.stopping.stop(why)
    assert running.session.state is State.UNCHANGED
    assert harness.edits.stop() == []


async def test_stop_only_what_is_named(harness: EditHarness) -> None:
    """By session, by document, or all."""
    other = "file:///project/other.py"
    harness.editor.open(TEXT)
    harness.editor.open(TEXT, uri=other)
    one = harness.edit_lines(0, 1)
    two = harness.edit_lines(1, 2)
    three = harness.edit_lines(0, 1, uri=other)
    four = harness.edit_lines(1, 2, uri=other)
    assert harness.edits.stop(session_id="nobody") == []
    assert harness.edits.stop(session_id=two.id, uri=other) == []
    assert harness.edits.stop(session_id=two.id) == [two.id]
    assert harness.edits.stop(uri=other) == [three.id, four.id]
    assert harness.edits.stop() == [one.id]
    for running in (one, two, three, four):
        assert (await running.result()).outcome == "stopped"


async def test_a_stop_drops_an_offer(harness: EditHarness) -> None:
    """It cannot be accepted any more."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 1, "a = 2\n")
    assert harness.edits.stop() == [running.id]
    with pytest.raises(UnknownSessionError):
        await harness.accept(running.id, None)
    assert harness.editor.text() == TEXT


async def _half_written(harness: EditHarness) -> tuple[RunningEdit, FakeGeneration]:
    """Let a model write a part, which a stop keeps as an offer."""
    harness.preview(on_stop="keep")
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    generation = await harness.model.generation()
    generation.write("a = 1\nb = 20\nb2 = 2\nb3 = 2\nb4 = 4\nb5 = 5\nb6 = 6\n")
    await harness.idle()
    return running, generation


async def test_a_stop_may_keep_what_was_written(harness: EditHarness) -> None:
    """By setting, as an offer with exactly the hunks that are shown."""
    running, generation = await _half_written(harness)
    assert harness.edits.stop() == [running.id]
    assert generation.is_stopped
    shown = harness.editor.shown(running.id)
    assert "b = 20" in shown
    result = await running.result()
    assert (result.outcome, result.message) == (
        "offered",
        "Stopped. The part already written is offered.",
    )
    assert harness.editor.progress[0].ends[0] == result.message
    assert harness.editor.shown(running.id) == shown
    assert harness.editor.text() == TEXT
    answered = await harness.accept(running.id, None)
    assert answered.state == "accepted"
    assert harness.editor.text() == shown


async def test_a_stop_that_keeps_a_part_answers_a_redirect(
    harness: EditHarness,
) -> None:
    """One whose generation had not begun: it never will."""
    running, _ = await _half_written(harness)
    redirecting = asyncio.create_task(
        harness.edits.redirects.redirect(running.session, "Otherwise.")
    )
    await asyncio.sleep(0)
    assert running.session.instruction == "Otherwise."
    assert harness.edits.stop() == [running.id]
    assert not (await redirecting).is_accepted
    assert (await running.result()).outcome == "offered"
    await harness.idle()
    assert len(harness.model.generations) == 1


async def test_what_is_kept_is_shown_at_once(harness: EditHarness) -> None:
    """However seldom the client is painted to."""
    harness.preview(on_stop="keep", paints_per_s=1e-6)
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    generation = await harness.model.generation()
    generation.write("x = 9\ny = 9\nz = 9\nzz = 9\nzzz = 9\nzzzz = 9\n")
    await harness.idle()
    generation.write("last = 1\nof = 1\nall = 1\nthese = 1\nlines = 1\n")
    await harness.idle()
    harness.edits.stop()
    shown = harness.editor.shown(running.id)
    assert (await running.result()).outcome == "offered"
    assert (await harness.accept(running.id, None)).state == "accepted"
    assert harness.editor.text() == shown
    assert "lines = 1" in shown or "these = 1" in shown


async def test_a_kept_part_is_written_again(harness: EditHarness) -> None:
    """When a typed instruction is confirmed, since nothing is checked of a part."""
    harness.preview(on_stop="keep")
    harness.editor.open(TEXT)
    running = harness.edit(0, len(TEXT), is_draft=True)
    generation = await harness.model.generation()
    generation.write("x = 9\ny = 9\nz = 9\nzz = 9\nzzz = 9\nzzzz = 9\n")
    await harness.idle()
    harness.edits.stop()
    assert (await running.result()).outcome == "offered"
    again = harness.edit(0, len(TEXT), session_id=running.id)
    (await harness.model.generation(1)).reply("whole = 1\n")
    assert (await again.result()).outcome == "offered"
    assert harness.editor.shown(running.id) == "whole = 1\n"


@pytest.mark.parametrize("how", ["nothing written", "cancelled", "no preview"])
async def test_nothing_to_keep(harness: EditHarness, how: str) -> None:
    """No text was written, no answer is wanted, or no preview could show the offer."""
    harness.preview(on_stop="keep")
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3, apply="end" if how == "no preview" else None)
    generation = await harness.model.generation()
    if how != "nothing written":
        generation.write("x = 9\ny = 9\nz = 9\nzz = 9\nzzz = 9\nzzzz = 9\n")
        await harness.idle()
    if how == "cancelled":
        assert running.session.stopping.stop("cancelled")
    else:
        harness.edits.stop()
    assert (await running.result()).outcome == "stopped"
    assert harness.editor.text() == TEXT


async def test_what_was_kept_may_be_accepted_before_the_answer(
    harness: EditHarness,
) -> None:
    """The stopped command is still answered, once."""
    running, _ = await _half_written(harness)
    harness.editor.take_edit = never
    harness.edits.stop()
    loop = asyncio.get_running_loop()
    accept = loop.create_task(harness.accept(running.id, None))
    assert (await running.result()).outcome == "offered"
    await harness.editor.changed.wait()
    await harness.idle()
    await take(harness.editor, harness.editor.asked[0])
    assert (await accept).state == "accepted"


async def test_shutdown_with_work_in_flight(harness: EditHarness) -> None:
    """Every session ends, and every request is answered."""
    harness.preview()
    harness.editor.open(TEXT)
    offered = await harness.offer(0, 1, "a = 2\n")
    writing = harness.edit_lines(1, 2)
    await harness.model.generation(1)
    harness.editor.take_edit = never
    applying = harness.edit_lines(2, 3, apply="end")
    (await harness.model.generation(2)).reply("c = 30\n")
    await harness.idle()
    assert applying.session.state is State.APPLYING
    await harness.edits.aclose()
    assert harness.edits.sessions == ()
    for running in (writing, applying):
        result = await running.result()
        assert result.outcome == "stopped"
        assert result.message == "Redline is shutting down. Nothing was changed."
    assert offered.session.state is State.STOPPED
    assert harness.editor.text() == TEXT
    await harness.edits.aclose()


async def test_a_stop_after_a_part_was_accepted(harness: EditHarness) -> None:
    """Does not claim that nothing was changed."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 3, "a = 10\nb = 2\nc = 30\n")
    hunk_id = min(harness.editor.previews[running.id].hunks)
    assert (await harness.accept(running.id, [hunk_id])).remaining == 1
    harness.edits.stop()
    assert running.session.message == "Stopped. What you accepted is kept."
    assert harness.editor.text() == "a = 10\nb = 2\nc = 3\n"


async def test_the_stop_of_an_edit_that_has_ended_stops_no_other(
    harness: EditHarness,
) -> None:
    """An editor may still show the button of the first."""
    harness.editor.open(TEXT)
    first = harness.edit_lines(0, 1)
    (await harness.model.generation()).reply("a = 10\n")
    assert (await first.result()).outcome == "applied"
    second = harness.edit_lines(1, 2)
    generation = await harness.model.generation(1)
    assert harness.edits.stop(session_id=first.id) == []
    generation.reply("b = 20\n")
    assert (await second.result()).outcome == "applied"
    assert harness.editor.text() == "a = 10\nb = 20\nc = 3\n"
