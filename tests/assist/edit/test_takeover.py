"""A second edit of the same text takes the first one over; others run side by side."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_editor import never, refuse, take

from redline.assist.edit.session.states import State
from redline.errors import EditNotLandedError
from redline.prompts.edit import read_edit_task

TEXT = "one\ntwo\nthree\nfour\n\nsix\n"


async def draft_of(harness: EditHarness, n: int) -> str | None:
    """Return the draft that the n-th prompt holds."""
    task = read_edit_task((await harness.model.generation(n)).request.prompt)
    assert task is not None
    return task.draft


async def test_the_first_is_superseded(harness: EditHarness) -> None:
    """At once, with the id of the one that took over; its draft is in the prompt."""
    harness.preview()
    harness.editor.open(TEXT)
    first = harness.edit_lines(1, 3)
    generation = await harness.model.generation(0)
    generation.write("TWO\nTHR")
    await harness.idle()
    second = harness.edit_lines(0, 4)
    assert generation.is_stopped
    result = await first.result()
    assert (result.outcome, result.superseded_by) == ("superseded", second.id)
    ended = harness.editor.previews[first.id].ended
    assert ended is not None
    assert (ended.outcome, ended.superseded_by) == ("superseded", second.id)
    assert await draft_of(harness, 1) == "one\nTWO\n"
    (await harness.model.generation(1)).reply("ONE\nTWO\nTHREE\nfour\n")
    assert (await second.result()).outcome == "offered"


async def test_an_offer_is_taken_over_too(harness: EditHarness) -> None:
    """All of what was offered is the draft, at its place in the new range."""
    harness.preview()
    harness.editor.open(TEXT)
    first = await harness.offer(1, 2, "TWO\nand a half\n")
    harness.edit_lines(0, 3)
    assert first.session.state is State.SUPERSEDED
    assert await draft_of(harness, 1) == "one\nTWO\nand a half\nthree\n"


async def test_nothing_written_is_no_draft(harness: EditHarness) -> None:
    """Nor is what does not lie in the new range."""
    harness.editor.open(TEXT)
    first = harness.edit_lines(1, 3)
    await harness.model.generation(0)
    harness.edit_lines(1, 3)
    assert (await first.result()).outcome == "superseded"
    assert await draft_of(harness, 1) is None
    (await harness.model.generation(1)).write("TWO\n")
    await harness.idle()
    harness.edit_lines(2, 4)
    assert await draft_of(harness, 2) is None


async def test_a_draft_is_handed_on(harness: EditHarness) -> None:
    """Through a session that had no time to write."""
    harness.editor.open(TEXT)
    harness.edit_lines(1, 3)
    (await harness.model.generation(0)).write("TWO\n")
    await harness.idle()
    harness.edit_lines(1, 3)
    await harness.model.generation(1)
    harness.edit_lines(0, 3)
    assert await draft_of(harness, 2) == "one\nTWO\n"


async def test_a_draft_after_typing_above(harness: EditHarness) -> None:
    """The places are compared as they are now."""
    harness.editor.open(TEXT)
    harness.edit_lines(1, 3)
    (await harness.model.generation(0)).write("TWO\n")
    await harness.idle()
    harness.editor.replace(0, 0, "zero\n")
    harness.edit_lines(1, 4)
    assert await draft_of(harness, 1) == "one\nTWO\n"


async def test_a_draft_of_new_lines_at_the_end(harness: EditHarness) -> None:
    """Where the document has no final line end to put them after."""
    harness.editor.open("one\ntwo")
    harness.edit(7, 7)
    (await harness.model.generation(0)).write("new\n")
    await harness.idle()
    harness.edit(7, 7)
    assert await draft_of(harness, 1) == "new\n"


@pytest.mark.parametrize(
    ("one", "other", "overlaps"),
    [
        ((0, 2), (1, 3), True),
        ((0, 2), (2, 3), False),
        ((1, 2), (0, 4), True),
        ((3, 5), (4, 5), True),  # a blank last line
        ((4, 5), (4, 5), True),
        ((4, 4), (4, 4), True),
        ((4, 4), (4, 5), False),
        ((3, 5), (4, 4), True),
        ((3, 5), (5, 5), False),
    ],
)
async def test_what_overlaps(
    harness: EditHarness,
    one: tuple[int, int],
    other: tuple[int, int],
    *,
    overlaps: bool,
) -> None:
    """Sharing a line does, standing next to it does not."""
    harness.editor.open(TEXT)
    first = harness.edit_lines(*one)
    await harness.idle()
    second = harness.edit_lines(*other)
    await harness.idle()
    assert first.session.state.is_end == overlaps
    assert not second.session.state.is_end


async def test_only_the_same_document_overlaps(harness: EditHarness) -> None:
    """Equal places in two files have nothing to do with each other."""
    harness.editor.open(TEXT)
    harness.editor.open(TEXT, uri="file:///project/other.py")
    first = harness.edit_lines(0, 2)
    harness.edit_lines(0, 2, uri="file:///project/other.py")
    assert not first.session.state.is_end


async def test_taking_over_before_the_models_are_known(harness: EditHarness) -> None:
    """The first request is answered without waiting for them."""
    harness.tiers.known.clear()
    harness.editor.open(TEXT)
    first = harness.edit_lines(0, 2)
    await harness.idle()
    second = harness.edit_lines(0, 2)
    assert (await first.result()).superseded_by == second.id


async def test_an_edit_of_text_that_is_being_applied(harness: EditHarness) -> None:
    """Waits for the landing, and works on what has landed."""
    harness.editor.open(TEXT)
    harness.editor.take_edit = never
    first = harness.edit_lines(1, 3)
    (await harness.model.generation(0)).reply("TWO\nand\nTHREE\n")
    await harness.editor.changed.wait()
    second = harness.edit_lines(2, 4, "Again.")
    await harness.idle()
    assert len(harness.model.generations) == 1
    harness.editor.take_edit = take
    await take(harness.editor, harness.editor.asked[0])
    assert (await first.result()).outcome == "applied"
    generation = await harness.model.generation(1)
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    # The landed hunk crosses the new range's border, so all of it is in the range.
    assert task.before + task.target + task.after == harness.editor.text()
    assert task.target.endswith("THREE\nfour\n")
    generation.reply(task.target.replace("four", "FOUR"))
    assert (await second.result()).outcome == "applied"
    assert harness.editor.text() == "one\nTWO\nand\nTHREE\nFOUR\n\nsix\n"


async def test_an_edit_of_text_whose_offer_is_being_accepted(
    harness: EditHarness,
) -> None:
    """Takes over what is left of the offer."""
    harness.preview()
    harness.editor.open(TEXT)
    first = await harness.offer(0, 4, "ONE\ntwo\nthree\nFOUR\n")
    harness.editor.take_edit = never
    hunk_id = min(harness.editor.previews[first.id].hunks)
    loop = asyncio.get_running_loop()
    accept = loop.create_task(harness.accept(first.id, [hunk_id]))
    await harness.idle()
    harness.edit_lines(0, 4, "Again.")
    await harness.idle()
    assert first.session.state is State.APPLYING
    await take(harness.editor, harness.editor.asked[0])
    assert await draft_of(harness, 1) == "ONE\ntwo\nthree\nFOUR\n"
    await accept
    assert harness.states[first.id][-1] is State.SUPERSEDED
    assert harness.editor.text() == TEXT.replace("one", "ONE")


async def test_an_edit_of_text_whose_edit_does_not_land(harness: EditHarness) -> None:
    """Goes on with the text as it is."""
    harness.editor.open(TEXT)
    answer = asyncio.Event()

    async def refuse_later(editor: object, asked: object) -> bool:
        await answer.wait()
        return False

    harness.editor.take_edit = refuse_later
    first = harness.edit_lines(1, 3)
    (await harness.model.generation(0)).reply("TWO\nTHREE\n")
    await harness.editor.changed.wait()
    second = harness.edit_lines(1, 3, "Again.")
    harness.editor.type("three", "typed meanwhile ")
    harness.editor.take_edit = take
    answer.set()
    assert (await first.result()).outcome == "stopped"
    task = read_edit_task((await harness.model.generation(1)).request.prompt)
    assert task is not None
    assert task.target == "two\ntyped meanwhile three\n"
    (await harness.model.generation(1)).reply("2\n3\n")
    assert (await second.result()).outcome == "applied"
    assert harness.editor.text() == "one\n2\n3\nfour\n\nsix\n"


async def test_a_queued_edit_can_be_stopped(harness: EditHarness) -> None:
    """It does not wait for the landing."""
    harness.editor.open(TEXT)
    harness.editor.take_edit = never
    first = harness.edit_lines(1, 3)
    (await harness.model.generation(0)).reply("TWO\nTHREE\n")
    await harness.editor.changed.wait()
    second = harness.edit_lines(1, 3, "Again.")
    await harness.idle()
    assert harness.edits.stop() == [second.id]
    assert (await second.result()).outcome == "stopped"
    third = harness.edit_lines(1, 3, "Again.")
    await harness.idle()
    harness.editor.close()
    for running in (first, third):
        assert (await running.result()).outcome == "stopped"


async def test_a_failed_accept_leaves_the_offer_to_the_next_edit(
    harness: EditHarness,
) -> None:
    """It waited for the landing that did not come."""
    harness.preview()
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.open(TEXT)
    first = await harness.offer(1, 2, "TWO\n")
    harness.editor.take_edit = refuse
    loop = asyncio.get_running_loop()
    accept = loop.create_task(harness.accept(first.id, None))
    await asyncio.sleep(0)
    assert first.session.state is State.APPLYING
    harness.edit_lines(1, 2, "Again.")
    with pytest.raises(EditNotLandedError):
        await accept
    assert await draft_of(harness, 1) == "TWO\n"
    assert harness.states[first.id][-1] is State.SUPERSEDED
