"""A second edit of the same text takes the first one over; others run side by side."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import Rig
from tests.assist.fake_editor import never, refuse, take

from redline.assist.edit.states import State
from redline.errors import EditNotLandedError
from redline.prompts.edit import read_edit_task

TEXT = "one\ntwo\nthree\nfour\n\nsix\n"


async def draft_of(rig: Rig, n: int) -> str | None:
    """Return the draft that the n-th prompt holds."""
    task = read_edit_task((await rig.model.generation(n)).request.prompt)
    assert task is not None
    return task.draft


async def test_the_first_is_superseded(rig: Rig) -> None:
    """At once, with the id of the one that took over; its draft is in the prompt."""
    rig.preview()
    rig.editor.open(TEXT)
    first = rig.edit_lines(1, 3)
    generation = await rig.model.generation(0)
    generation.write("TWO\nTHR")
    await rig.idle()
    second = rig.edit_lines(0, 4)
    assert generation.is_stopped
    result = await first.result()
    assert (result.outcome, result.superseded_by) == ("superseded", second.id)
    ended = rig.editor.previews[first.id].ended
    assert ended is not None
    assert (ended.outcome, ended.superseded_by) == ("superseded", second.id)
    assert await draft_of(rig, 1) == "one\nTWO\n"
    (await rig.model.generation(1)).reply("ONE\nTWO\nTHREE\nfour\n")
    assert (await second.result()).outcome == "offered"


async def test_an_offer_is_taken_over_too(rig: Rig) -> None:
    """All of what was offered is the draft, at its place in the new range."""
    rig.preview()
    rig.editor.open(TEXT)
    first = await rig.offer(1, 2, "TWO\nand a half\n")
    rig.edit_lines(0, 3)
    assert first.session.state is State.SUPERSEDED
    assert await draft_of(rig, 1) == "one\nTWO\nand a half\nthree\n"


async def test_nothing_written_is_no_draft(rig: Rig) -> None:
    """Nor is what does not lie in the new range."""
    rig.editor.open(TEXT)
    first = rig.edit_lines(1, 3)
    await rig.model.generation(0)
    rig.edit_lines(1, 3)
    assert (await first.result()).outcome == "superseded"
    assert await draft_of(rig, 1) is None
    (await rig.model.generation(1)).write("TWO\n")
    await rig.idle()
    rig.edit_lines(2, 4)
    assert await draft_of(rig, 2) is None


async def test_a_draft_is_handed_on(rig: Rig) -> None:
    """Through a session that had no time to write."""
    rig.editor.open(TEXT)
    rig.edit_lines(1, 3)
    (await rig.model.generation(0)).write("TWO\n")
    await rig.idle()
    rig.edit_lines(1, 3)
    await rig.model.generation(1)
    rig.edit_lines(0, 3)
    assert await draft_of(rig, 2) == "one\nTWO\n"


async def test_a_draft_after_typing_above(rig: Rig) -> None:
    """The places are compared as they are now."""
    rig.editor.open(TEXT)
    rig.edit_lines(1, 3)
    (await rig.model.generation(0)).write("TWO\n")
    await rig.idle()
    rig.editor.replace(0, 0, "zero\n")
    rig.edit_lines(1, 4)
    assert await draft_of(rig, 1) == "one\nTWO\n"


async def test_a_draft_of_new_lines_at_the_end(rig: Rig) -> None:
    """Where the document has no final line end to put them after."""
    rig.editor.open("one\ntwo")
    rig.edit(7, 7)
    (await rig.model.generation(0)).write("new\n")
    await rig.idle()
    rig.edit(7, 7)
    assert await draft_of(rig, 1) == "new\n"


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
    rig: Rig, one: tuple[int, int], other: tuple[int, int], *, overlaps: bool
) -> None:
    """Sharing a line does, standing next to it does not."""
    rig.editor.open(TEXT)
    first = rig.edit_lines(*one)
    await rig.idle()
    second = rig.edit_lines(*other)
    await rig.idle()
    assert first.session.state.is_end == overlaps
    assert not second.session.state.is_end


async def test_only_the_same_document_overlaps(rig: Rig) -> None:
    """Equal places in two files have nothing to do with each other."""
    rig.editor.open(TEXT)
    rig.editor.open(TEXT, uri="file:///project/other.py")
    first = rig.edit_lines(0, 2)
    rig.edit_lines(0, 2, uri="file:///project/other.py")
    assert not first.session.state.is_end


async def test_taking_over_before_the_models_are_known(rig: Rig) -> None:
    """The first request is answered without waiting for them."""
    rig.tiers.known.clear()
    rig.editor.open(TEXT)
    first = rig.edit_lines(0, 2)
    await rig.idle()
    second = rig.edit_lines(0, 2)
    assert (await first.result()).superseded_by == second.id


async def test_an_edit_of_text_that_is_being_applied(rig: Rig) -> None:
    """Waits for the landing, and works on what has landed."""
    rig.editor.open(TEXT)
    rig.editor.take_edit = never
    first = rig.edit_lines(1, 3)
    (await rig.model.generation(0)).reply("TWO\nand\nTHREE\n")
    await rig.editor.changed.wait()
    second = rig.edit_lines(2, 4, "Again.")
    await rig.idle()
    assert len(rig.model.generations) == 1
    rig.editor.take_edit = take
    await take(rig.editor, rig.editor.asked[0])
    assert (await first.result()).outcome == "applied"
    generation = await rig.model.generation(1)
    task = read_edit_task(generation.request.prompt)
    assert task is not None
    # The landed hunk crosses the new range's border, so all of it is in the range.
    assert task.before + task.target + task.after == rig.editor.text()
    assert task.target.endswith("THREE\nfour\n")
    generation.reply(task.target.replace("four", "FOUR"))
    assert (await second.result()).outcome == "applied"
    assert rig.editor.text() == "one\nTWO\nand\nTHREE\nFOUR\n\nsix\n"


async def test_an_edit_of_text_whose_offer_is_being_accepted(rig: Rig) -> None:
    """Takes over what is left of the offer."""
    rig.preview()
    rig.editor.open(TEXT)
    first = await rig.offer(0, 4, "ONE\ntwo\nthree\nFOUR\n")
    rig.editor.take_edit = never
    hunk_id = min(rig.editor.previews[first.id].hunks)
    loop = asyncio.get_running_loop()
    accept = loop.create_task(rig.accept(first.id, [hunk_id]))
    await rig.idle()
    rig.edit_lines(0, 4, "Again.")
    await rig.idle()
    assert first.session.state is State.APPLYING
    await take(rig.editor, rig.editor.asked[0])
    assert await draft_of(rig, 1) == "ONE\ntwo\nthree\nFOUR\n"
    await accept
    assert rig.states[first.id][-1] is State.SUPERSEDED
    assert rig.editor.text() == TEXT.replace("one", "ONE")


async def test_an_edit_of_text_whose_edit_does_not_land(rig: Rig) -> None:
    """Goes on with the text as it is."""
    rig.editor.open(TEXT)
    answer = asyncio.Event()

    async def refuse_later(editor: object, asked: object) -> bool:
        await answer.wait()
        return False

    rig.editor.take_edit = refuse_later
    first = rig.edit_lines(1, 3)
    (await rig.model.generation(0)).reply("TWO\nTHREE\n")
    await rig.editor.changed.wait()
    second = rig.edit_lines(1, 3, "Again.")
    rig.editor.type("three", "typed meanwhile ")
    rig.editor.take_edit = take
    answer.set()
    assert (await first.result()).outcome == "stopped"
    task = read_edit_task((await rig.model.generation(1)).request.prompt)
    assert task is not None
    assert task.target == "two\ntyped meanwhile three\n"
    (await rig.model.generation(1)).reply("2\n3\n")
    assert (await second.result()).outcome == "applied"
    assert rig.editor.text() == "one\n2\n3\nfour\n\nsix\n"


async def test_a_queued_edit_can_be_stopped(rig: Rig) -> None:
    """It does not wait for the landing."""
    rig.editor.open(TEXT)
    rig.editor.take_edit = never
    first = rig.edit_lines(1, 3)
    (await rig.model.generation(0)).reply("TWO\nTHREE\n")
    await rig.editor.changed.wait()
    second = rig.edit_lines(1, 3, "Again.")
    await rig.idle()
    assert rig.edits.stop() == [second.id]
    assert (await second.result()).outcome == "stopped"
    third = rig.edit_lines(1, 3, "Again.")
    await rig.idle()
    rig.editor.close()
    for running in (first, third):
        assert (await running.result()).outcome == "stopped"


async def test_a_failed_accept_leaves_the_offer_to_the_next_edit(rig: Rig) -> None:
    """It waited for the landing that did not come."""
    rig.preview()
    rig.configure(limits={"landing_s": 0.01})
    rig.editor.open(TEXT)
    first = await rig.offer(1, 2, "TWO\n")
    rig.editor.take_edit = refuse
    loop = asyncio.get_running_loop()
    accept = loop.create_task(rig.accept(first.id, None))
    await asyncio.sleep(0)
    assert first.session.state is State.APPLYING
    rig.edit_lines(1, 2, "Again.")
    with pytest.raises(EditNotLandedError):
        await accept
    assert await draft_of(rig, 1) == "TWO\n"
    assert rig.states[first.id][-1] is State.SUPERSEDED
