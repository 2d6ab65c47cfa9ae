"""Stopping: at once, in every state, by whoever it is, and then silence."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import Rig, Running
from tests.assist.fake_editor import never, take

from redline.assist.edit.states import State
from redline.assist.edit.stop import StopReason
from redline.errors import UnknownSessionError

TEXT = "a = 1\nb = 2\nc = 3\n"


def n_told(rig: Rig, running: Running) -> int:
    """Count what a client was sent for a session, its end left out."""
    preview = rig.editor.previews.get(running.id)
    reports = sum(len(progress.reports) for progress in rig.editor.progress)
    return reports + (preview.n_messages if preview else 0)


async def test_stop_while_the_models_are_looked_for(rig: Rig) -> None:
    """The answer does not wait for them."""
    rig.tiers.known.clear()
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    await rig.idle()
    assert rig.edits.stop() == [running.id]
    assert (await running.result()).outcome == "stopped"
    assert rig.model.generations == []


async def test_stop_before_its_task_begins(rig: Rig) -> None:
    """Read together with the edit."""
    rig.tiers.known.clear()
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    assert rig.edits.stop(uri=running.session.request.uri) == [running.id]
    assert (await running.result()).outcome == "stopped"


async def test_an_edit_waits_for_the_models(rig: Rig) -> None:
    """And goes on by itself when they are known."""
    rig.tiers.known.clear()
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    await rig.idle()
    assert rig.model.generations == []
    rig.tiers.known.set()
    (await rig.model.generation()).reply("a = 2\n")
    assert (await running.result()).outcome == "applied"


async def test_stop_while_a_generation_is_started(rig: Rig) -> None:
    """It is stopped as soon as it is there, and frees its lane."""
    rig.model.gate.clear()
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation()
    assert rig.edits.stop() == [running.id]
    rig.model.gate.set()
    generation.write("a = 2\n")
    assert (await running.result()).outcome == "stopped"
    assert generation.is_stopped
    assert generation.is_released


@pytest.mark.parametrize("has_preview", [False, True])
@pytest.mark.parametrize("n_deltas", [0, 1, 2])
async def test_stop_while_it_writes(
    rig: Rig, n_deltas: int, *, has_preview: bool
) -> None:
    """The generation is stopped before the call returns; then silence."""
    if has_preview:
        rig.preview()
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 3)
    generation = await rig.model.generation()
    generation.write(*["x = 9\n", "y = 9\n"][:n_deltas])
    await rig.idle()
    # What has been read in the same turn is not painted any more.
    generation.write("late\n")
    assert rig.edits.stop() == [running.id]
    assert generation.is_stopped
    before = n_told(rig, running)
    result = await running.result()
    await rig.idle()
    assert n_told(rig, running) == before
    assert (result.outcome, result.message) == (
        "stopped",
        "Stopped. Nothing was changed.",
    )
    assert rig.editor.text() == TEXT
    assert generation.n_stops == 1
    if has_preview:
        ended = rig.editor.previews[running.id].ended
        assert ended is not None
        assert (ended.outcome, ended.message) == ("stopped", result.message)


async def test_stop_by_the_progress_button(rig: Rig) -> None:
    """The same as the command."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation()
    rig.editor.progress[0].cancel()
    assert generation.is_stopped
    assert (await running.result()).outcome == "stopped"
    assert rig.editor.progress[0].ends == ["Stopped. Nothing was changed."]


@pytest.mark.parametrize("n_turns", range(1, 12))
async def test_cancelled_at_each_await(rig: Rig, n_turns: int) -> None:
    """Wherever its task waits, the session ends and the file is whole."""
    rig.preview()
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1, apply="end")
    for turn in range(n_turns):
        if turn == 2:
            (await rig.model.generation()).reply("a = 2\n")
        await asyncio.sleep(0)
    running.task.cancel()
    await asyncio.wait({running.task})
    await rig.idle()
    assert running.session.state.is_end
    is_applied = running.session.state is State.APPLIED
    assert rig.editor.text() == (TEXT.replace("1", "2") if is_applied else TEXT)
    assert is_applied or running.task.cancelled()


async def test_a_cancelled_request_says_so(rig: Rig) -> None:
    """Whoever shows the progress sees why it ended."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    generation = await rig.model.generation()
    running.task.cancel()
    await asyncio.wait({running.task})
    assert running.task.cancelled()
    assert running.session.state is State.STOPPED
    assert rig.editor.progress[0].ends == ["Cancelled. Nothing was changed."]
    assert generation.is_released


async def test_an_edit_on_its_way_cannot_be_stopped(rig: Rig) -> None:
    """It is not listed as stopped, and is seen through."""
    rig.editor.open(TEXT)
    rig.editor.take_edit = never
    running = rig.edit_lines(0, 1)
    (await rig.model.generation()).reply("a = 2\n")
    await rig.editor.changed.wait()
    assert rig.edits.stop() == []
    running.task.cancel()
    await asyncio.wait({running.task})
    assert running.session.state is State.APPLYING
    (asked,) = rig.editor.asked
    await take(rig.editor, asked)
    await rig.idle()
    assert rig.states[running.id][-1] is State.APPLIED
    assert rig.editor.text() == "a = 2\nb = 2\nc = 3\n"


@pytest.mark.parametrize("why", ["asked", "cancelled", "closed", "shutdown"])
async def test_an_ended_session_is_not_stopped_again(rig: Rig, why: StopReason) -> None:
    """Its outcome stays what it was."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 1)
    (await rig.model.generation()).reply("NO CHANGE:")
    assert (await running.result()).outcome == "unchanged"
    assert not running.session.stop(why)
    assert running.session.state is State.UNCHANGED
    assert rig.edits.stop() == []


async def test_stop_only_what_is_named(rig: Rig) -> None:
    """By session, by document, or all."""
    other = "file:///project/other.py"
    rig.editor.open(TEXT)
    rig.editor.open(TEXT, uri=other)
    one = rig.edit_lines(0, 1)
    two = rig.edit_lines(1, 2)
    three = rig.edit_lines(0, 1, uri=other)
    four = rig.edit_lines(1, 2, uri=other)
    assert rig.edits.stop(session_id="nobody") == []
    assert rig.edits.stop(session_id=two.id, uri=other) == []
    assert rig.edits.stop(session_id=two.id) == [two.id]
    assert rig.edits.stop(uri=other) == [three.id, four.id]
    assert rig.edits.stop() == [one.id]
    for running in (one, two, three, four):
        assert (await running.result()).outcome == "stopped"


async def test_a_stop_drops_an_offer(rig: Rig) -> None:
    """It cannot be accepted any more."""
    rig.preview()
    rig.editor.open(TEXT)
    running = await rig.offer(0, 1, "a = 2\n")
    assert rig.edits.stop() == [running.id]
    with pytest.raises(UnknownSessionError):
        await rig.accept(running.id, None)
    assert rig.editor.text() == TEXT


async def test_a_stop_may_keep_what_was_written(rig: Rig) -> None:
    """By setting, as an offer with exactly the hunks that are shown."""
    rig.preview(on_stop="keep")
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 3)
    generation = await rig.model.generation()
    generation.write("a = 1\nb = 20\nb2 = 2\nb3 = 2\nb4 = 4\nb5 = 5\nb6 = 6\n")
    await rig.idle()
    assert rig.edits.stop() == [running.id]
    assert generation.is_stopped
    shown = rig.editor.shown(running.id)
    assert "b = 20" in shown
    result = await running.result()
    assert (result.outcome, result.message) == (
        "offered",
        "Stopped. The part already written is offered.",
    )
    assert rig.editor.progress[0].ends[0] == result.message
    assert rig.editor.shown(running.id) == shown
    assert rig.editor.text() == TEXT
    answered = await rig.accept(running.id, None)
    assert answered.state == "accepted"
    assert rig.editor.text() == shown


async def test_what_is_kept_is_shown_at_once(rig: Rig) -> None:
    """However seldom the client is painted to."""
    rig.preview(on_stop="keep", paints_per_s=1e-6)
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 3)
    generation = await rig.model.generation()
    generation.write("x = 9\ny = 9\nz = 9\nzz = 9\nzzz = 9\nzzzz = 9\n")
    await rig.idle()
    generation.write("last = 1\nof = 1\nall = 1\nthese = 1\nlines = 1\n")
    await rig.idle()
    rig.edits.stop()
    shown = rig.editor.shown(running.id)
    assert (await running.result()).outcome == "offered"
    assert (await rig.accept(running.id, None)).state == "accepted"
    assert rig.editor.text() == shown
    assert "lines = 1" in shown or "these = 1" in shown


@pytest.mark.parametrize("how", ["nothing written", "cancelled", "no preview"])
async def test_nothing_to_keep(rig: Rig, how: str) -> None:
    """Nothing was written, nobody wants an answer, or nobody could see the offer."""
    rig.preview(on_stop="keep")
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 3, apply="end" if how == "no preview" else None)
    generation = await rig.model.generation()
    if how != "nothing written":
        generation.write("x = 9\ny = 9\nz = 9\nzz = 9\nzzz = 9\nzzzz = 9\n")
        await rig.idle()
    if how == "cancelled":
        assert running.session.stop("cancelled")
    else:
        rig.edits.stop()
    assert (await running.result()).outcome == "stopped"
    assert rig.editor.text() == TEXT


async def test_what_was_kept_may_be_accepted_before_the_answer(rig: Rig) -> None:
    """The stopped command is still answered, once."""
    rig.preview(on_stop="keep")
    rig.editor.open(TEXT)
    running = rig.edit_lines(0, 3)
    generation = await rig.model.generation()
    generation.write("x = 9\ny = 9\nz = 9\nzz = 9\nzzz = 9\nzzzz = 9\n")
    await rig.idle()
    rig.editor.take_edit = never
    rig.edits.stop()
    loop = asyncio.get_running_loop()
    accept = loop.create_task(rig.accept(running.id, None))
    assert (await running.result()).outcome == "offered"
    await rig.editor.changed.wait()
    await rig.idle()
    await take(rig.editor, rig.editor.asked[0])
    assert (await accept).state == "accepted"


async def test_shutdown_with_work_in_flight(rig: Rig) -> None:
    """Every session ends, and every request is answered."""
    rig.preview()
    rig.editor.open(TEXT)
    offered = await rig.offer(0, 1, "a = 2\n")
    writing = rig.edit_lines(1, 2)
    await rig.model.generation(1)
    rig.editor.take_edit = never
    applying = rig.edit_lines(2, 3, apply="end")
    (await rig.model.generation(2)).reply("c = 30\n")
    await rig.idle()
    assert applying.session.state is State.APPLYING
    await rig.edits.aclose()
    assert rig.edits.sessions == ()
    for running in (writing, applying):
        result = await running.result()
        assert result.outcome == "stopped"
        assert result.message == "Redline is shutting down. Nothing was changed."
    assert offered.session.state is State.STOPPED
    assert rig.editor.text() == TEXT
    await rig.edits.aclose()


async def test_a_stop_after_a_part_was_accepted(rig: Rig) -> None:
    """Does not claim that nothing was changed."""
    rig.preview()
    rig.editor.open(TEXT)
    running = await rig.offer(0, 3, "a = 10\nb = 2\nc = 30\n")
    hunk_id = min(rig.editor.previews[running.id].hunks)
    assert (await rig.accept(running.id, [hunk_id])).remaining == 1
    rig.edits.stop()
    assert running.session.message == "Stopped. What you accepted is kept."
    assert rig.editor.text() == "a = 10\nb = 2\nc = 3\n"
