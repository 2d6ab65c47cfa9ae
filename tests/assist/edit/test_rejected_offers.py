"""An offer that was rejected or dropped is offered again, without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.assist.conftest import EditHarness, RunningEdit
from tests.assist.fake_editor import URI, never, refuse, take

from redline.assist.actions.action import RangeWork
from redline.assist.edit.document.rejected_offers import stored_offer
from redline.assist.edit.session.states import State
from redline.errors import (
    EditNotLandedError,
    InvalidArgumentsError,
    ModelUnavailableError,
)
from redline.prompts.edit import read_edit_task
from redline.text.position import Position, Range
from redline.text.uri import FileRename

TEXT = "one\ntwo\nthree\nfour\nfive\n"


def reject(harness: EditHarness, running: RunningEdit) -> None:
    harness.edits.reject(running.id, None)


def reject_one_by_one(harness: EditHarness, running: RunningEdit) -> None:
    for hunk_id in list(harness.editor.previews[running.id].hunks):
        harness.edits.reject(running.id, [hunk_id])


def stop(harness: EditHarness, running: RunningEdit) -> None:
    harness.edits.stop()


def type_over_it_and_undo(harness: EditHarness, running: RunningEdit) -> None:
    start, end = TEXT.index("two"), TEXT.index("five")
    harness.editor.replace(start, end, "x\n")
    harness.editor.replace(start, start + 2, TEXT[start:end])


def close_and_open(harness: EditHarness, running: RunningEdit) -> None:
    harness.editor.close()
    harness.editor.open(TEXT)


async def recheck(harness: EditHarness) -> RunningEdit:
    """Bring back an offer that the editor has stored; its check waits for a process."""
    harness.parser.may_work.clear()
    place = Range(Position(1, 0), Position(2, 0))
    snapshot = harness.workspace.document(URI).snapshot()
    offer = stored_offer(snapshot, place, "TWO\n", "Shout.")
    again = await harness.bring_back(stored=(offer, place))
    await harness.idle()
    assert again.session.state is State.CHECKING
    return again


@pytest.mark.parametrize(
    "drop", [reject, reject_one_by_one, stop, type_over_it_and_undo, close_and_open]
)
async def test_it_comes_back(
    harness: EditHarness, drop: Callable[[EditHarness, RunningEdit], None]
) -> None:
    """However it was dropped; it can be accepted as before."""
    harness.preview()
    harness.editor.open(TEXT)
    first = await harness.offer(1, 4, "TWO\nthree\nFOUR\n", "Shout.")
    drop(harness, first)
    assert first.session.state.is_end
    assert harness.editor.text() == TEXT
    again = await harness.bring_back()
    assert (await again.result()).outcome == "offered"
    assert again.session.instruction == "Shout."
    shown = "one\nTWO\nthree\nFOUR\nfive\n"
    assert harness.editor.shown(again.id) == shown
    assert len(harness.model.generations) == 1
    await harness.accept(again.id, None)
    assert harness.editor.text() == shown


async def test_it_follows_its_text(harness: EditHarness) -> None:
    """To the place nearest to where it was."""
    harness.preview()
    harness.editor.open("same\n\n\nsame\n")
    reject(harness, await harness.offer(3, 4, "new\n"))
    harness.editor.replace(0, 0, "above\n")
    again = await harness.bring_back()
    await again.result()
    assert harness.editor.shown(again.id) == "above\nsame\n\n\nnew\n"


@pytest.mark.parametrize("text", [TEXT, "one\ntwo"])
@pytest.mark.parametrize("line", [0, 1, 2])
async def test_new_lines_come_back(harness: EditHarness, text: str, line: int) -> None:
    """At the place between the same lines, also at both borders of a file."""
    harness.preview()
    harness.editor.open(text)
    lines = text.splitlines(keepends=True)
    at = len("".join(lines[:line]))
    running = harness.edit(at, at)
    (await harness.model.generation(0)).reply("new\n")
    await running.result()
    shown = harness.editor.shown(running.id)
    reject(harness, running)
    again = await harness.bring_back()
    assert (await again.result()).outcome == "offered"
    assert harness.editor.shown(again.id) == shown


async def test_a_held_edit_is_held_again(harness: EditHarness) -> None:
    """With its problem, which is not sent to a model."""
    harness.preview()
    harness.configure(checks={"repair": True, "escalate": True})
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 5)
    for number in range(2):
        reply = "one\n# ... existing code ...\n"
        (await harness.model.generation(number)).reply(reply)
    result = await running.result()
    assert result.outcome == "held"
    n_generations = len(harness.model.generations)
    reject(harness, running)
    again = await harness.bring_back()
    back = await again.result()
    assert (back.outcome, back.checks) == ("held", result.checks)
    assert len(harness.model.generations) == n_generations


async def test_it_can_be_redirected(harness: EditHarness) -> None:
    """A model then continues from what was brought back."""
    harness.preview()
    harness.editor.open(TEXT)
    reject(harness, await harness.offer(1, 2, "TWO\n"))
    again = await harness.bring_back()
    await again.result()
    await harness.edits.redirects.redirect(again.session, "Whisper.")
    generation = await harness.model.generation(1)
    generation.reply("tw\n")
    await harness.idle()
    assert harness.editor.shown(again.id) == "one\ntw\nthree\nfour\nfive\n"
    assert again.session.state is State.OFFERED


async def test_a_redirect_while_it_is_checked(harness: EditHarness) -> None:
    """Both requests are answered, and a model continues from the stored offer."""
    harness.preview()
    harness.editor.open(TEXT)
    again = await recheck(harness)
    loop = asyncio.get_running_loop()
    redirect = loop.create_task(
        harness.edits.redirects.redirect(again.session, "Whisper.")
    )
    await harness.idle()
    harness.parser.may_work.set()
    generation = await harness.model.generation(0)
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert (task.instruction, task.draft) == ("Whisper.", "TWO\n")
    assert (await redirect).is_accepted
    generation.reply("tw\n")
    assert (await again.result()).outcome == "offered"
    assert harness.editor.shown(again.id) == "one\ntw\nthree\nfour\nfive\n"


async def test_a_stop_while_it_is_checked(harness: EditHarness) -> None:
    """The offer can be brought back once more."""
    harness.preview()
    harness.editor.open(TEXT)
    stopped = await recheck(harness)
    harness.edits.stop()
    assert (await stopped.result()).outcome == "stopped"
    harness.parser.may_work.set()
    again = await harness.bring_back()
    assert (await again.result()).outcome == "offered"
    assert harness.editor.shown(again.id) == "one\nTWO\nthree\nfour\nfive\n"


async def test_after_a_redirect_that_failed(harness: EditHarness) -> None:
    """What was offered before is not lost with the answer that did not come."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(1, 2, "TWO\n")
    await harness.edits.redirects.redirect(running.session, "Whisper.")
    (await harness.model.generation(1)).fail(ModelUnavailableError("It is down."))
    await harness.idle()
    assert running.session.state is State.FAILED
    again = await harness.bring_back()
    assert (await again.result()).outcome == "offered"
    assert harness.editor.shown(again.id) == "one\nTWO\nthree\nfour\nfive\n"


async def test_after_an_edit_of_ranges_around_it(harness: EditHarness) -> None:
    """That edit does not go on with the offer between its ranges, which comes back."""
    harness.preview()
    harness.editor.open(TEXT)
    first = await harness.offer(2, 3, "THREE\n", "Shout.")
    ranges = tuple(
        RangeWork(range=Range(Position(line, 0), Position(line + 1, 0)))
        for line in (0, 4)
    )
    around = harness.edit(0, 0, ranges=ranges)
    assert first.session.state is State.SUPERSEDED
    (await harness.model.generation(1)).reply(
        "<<<<<<< RANGE 1\nONE\n>>>>>>> RANGE 1\n"
        "<<<<<<< RANGE 2\nFIVE\n>>>>>>> RANGE 2\n"
    )
    assert (await around.result()).outcome == "offered"
    await harness.accept(around.id, None)
    again = await harness.bring_back()
    assert (await again.result()).outcome == "offered"
    assert harness.editor.shown(again.id) == "ONE\ntwo\nTHREE\nfour\nFIVE\n"


async def test_an_offer_that_a_newer_edit_continues_is_not_dropped(
    harness: EditHarness,
) -> None:
    """Its text is the draft of that edit."""
    harness.preview()
    harness.editor.open(TEXT)
    first = await harness.offer(1, 2, "TWO\n")
    harness.edit_lines(0, 3)
    assert first.session.state is State.SUPERSEDED
    with pytest.raises(InvalidArgumentsError, match="No offer of this file"):
        await harness.bring_back()


async def test_while_an_edit_of_its_text_lands(harness: EditHarness) -> None:
    """It waits for the landing; its text has then changed."""
    harness.preview()
    harness.editor.open(TEXT)
    reject(harness, await harness.offer(1, 2, "TWO\n"))
    second = await harness.offer(1, 2, "2\n")
    harness.editor.take_edit = never
    loop = asyncio.get_running_loop()
    accept = loop.create_task(harness.accept(second.id, None))
    await harness.idle()
    again = await harness.bring_back()
    await harness.idle()
    await take(harness.editor, harness.editor.asked[0])
    await accept
    with pytest.raises(InvalidArgumentsError, match="has changed since"):
        await again.result()
    assert harness.editor.text() == "one\n2\nthree\nfour\nfive\n"


async def test_a_redirect_while_it_waits_for_another_edit(
    harness: EditHarness,
) -> None:
    """That edit does not land, so a model continues from the offer."""
    harness.preview()
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.open(TEXT)
    reject(harness, await harness.offer(1, 2, "TWO\n"))
    second = await harness.offer(1, 2, "2\n")
    harness.editor.take_edit = refuse
    loop = asyncio.get_running_loop()
    accept = loop.create_task(harness.accept(second.id, None))
    await asyncio.sleep(0)
    again = await harness.bring_back()
    assert again.session.edit_target.is_queued
    redirect = loop.create_task(
        harness.edits.redirects.redirect(again.session, "Whisper.")
    )
    with pytest.raises(EditNotLandedError):
        await accept
    generation = await harness.model.generation(2)
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    assert task.instruction == "Whisper."
    generation.reply("tw\n")
    assert (await again.result()).outcome == "offered"
    assert (await redirect).is_accepted


async def test_only_what_still_applies(harness: EditHarness) -> None:
    """A changed text, an accepted offer, or none: an error, and nothing happens."""
    harness.preview()
    harness.editor.open(TEXT)
    with pytest.raises(InvalidArgumentsError, match="No offer of this file"):
        await harness.bring_back()
    running = await harness.offer(1, 2, "TWO\n")
    harness.editor.replace(5, 5, "x")
    assert running.session.state is State.STOPPED
    with pytest.raises(InvalidArgumentsError, match="has changed since"):
        await harness.bring_back()
    harness.editor.replace(5, 6, "")
    again = await harness.bring_back()
    await again.result()
    await harness.accept(again.id, None)
    with pytest.raises(InvalidArgumentsError, match="No offer of this file"):
        await harness.bring_back()


async def test_an_editor_without_a_preview_has_nothing_to_show_it_in(
    harness: EditHarness,
) -> None:
    harness.editor.open(TEXT, URI)
    with pytest.raises(InvalidArgumentsError, match="no preview"):
        await harness.bring_back()


@pytest.mark.parametrize(
    ("first", "end", "new_text", "shown"),
    [
        (1, 4, "TWO\nthree\nFOUR\n", "one\nTWO\nthree\nFOUR\nfive\n"),
        (2, 2, "new\n", "one\ntwo\nnew\nthree\nfour\nfive\n"),
        (3, 5, "", "one\ntwo\nthree\n"),
    ],
)
async def test_an_offer_that_the_editor_has_stored(
    harness: EditHarness, first: int, end: int, new_text: str, shown: str
) -> None:
    """It is offered at its place, and takes the place of what is remembered."""
    harness.preview()
    harness.editor.open(TEXT)
    reject(harness, await harness.offer(0, 1, "ONE\n"))
    snapshot = harness.workspace.document(URI).snapshot()
    place = Range(Position(first, 0), Position(end, 0))
    offer = stored_offer(snapshot, place, new_text, "Shout.")
    again = await harness.bring_back(stored=(offer, place))
    assert (await again.result()).outcome == "offered"
    assert harness.editor.shown(again.id) == shown
    assert again.session.instruction == "Shout."
    await harness.accept(again.id, None)
    assert harness.editor.text() == shown
    with pytest.raises(InvalidArgumentsError, match="No offer of this file"):
        await harness.bring_back()


async def test_a_stored_offer_is_checked_again(harness: EditHarness) -> None:
    """One with a problem is held, and no model is asked."""
    harness.preview()
    harness.editor.open(TEXT)
    place = Range(Position(0, 0), Position(5, 0))
    text = "one\n# ... existing code ...\n"
    offer = stored_offer(harness.workspace.document(URI).snapshot(), place, text, "")
    result = await (await harness.bring_back(stored=(offer, place))).result()
    assert (result.outcome, bool(result.checks)) == ("held", True)
    assert len(harness.model.generations) == 0


RENAMES = [FileRename("file:///w/old%20name", "file:///w/new%20name/")]
OLD = "file:///w/old%20name/a%5B1%5D.py"
NEW = "file:///w/new%20name/a%5B1%5D.py"


@pytest.mark.parametrize("is_closed_first", [True, False])
async def test_an_offer_follows_its_renamed_folder(
    harness: EditHarness, *, is_closed_first: bool
) -> None:
    """Editors close the old document before or after they report the rename."""
    harness.preview()
    harness.editor.open(TEXT, OLD)
    running = harness.edit_lines(1, 4, "Shout.", uri=OLD)
    generation = await harness.model.generation()
    generation.reply("TWO\nthree\nFOUR\n")
    assert (await running.result()).outcome == "offered"
    if not is_closed_first:
        harness.edits.files_renamed(RENAMES)
    harness.editor.close(OLD)
    if is_closed_first:
        harness.edits.files_renamed(RENAMES)
    harness.editor.open(TEXT, NEW)
    again = await harness.bring_back(NEW)
    assert (await again.result()).outcome == "offered"
    assert harness.editor.shown(again.id) == "one\nTWO\nthree\nFOUR\nfive\n"
