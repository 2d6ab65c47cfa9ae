"""Landing: an edit is in the document when the document shows it, and not before."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import Rig
from tests.assist.fake_editor import (
    Applied,
    FakeEditor,
    TakeEdit,
    answer_first,
    drop,
    drop_stale,
    fail,
    never,
    refuse,
    take,
    tell_and_deny,
    tell_and_fail,
    tell_late,
    tell_only,
)

from redline.assist.edit.states import State
from redline.errors import EditNotLandedError

TEXT = "one\ntwo\nthree\nfour\n"
EDITED = "one\nTWO\nthree\nfour\n"


@pytest.mark.parametrize(
    "way",
    [take, answer_first, drop_stale, tell_only, tell_and_deny, tell_and_fail],
    ids=lambda way: way.__name__,
)
async def test_it_has_landed_when_it_shows(rig: Rig, way: TakeEdit) -> None:
    """Whatever is answered, and whenever; it is sent once."""
    rig.editor.open(TEXT)
    rig.editor.take_edit = way
    running = rig.edit_lines(1, 2)
    (await rig.model.generation()).reply("TWO\n")
    assert (await running.result()).outcome == "applied"
    assert rig.editor.text() == EDITED
    assert len(rig.editor.asked) == 1
    await rig.idle()
    rig.check()


@pytest.mark.parametrize(
    ("way", "says"),
    [
        (refuse, "refused"),
        (fail, "It is read-only"),
        (drop, "did not show the edit in time"),
    ],
    ids=["refuse", "fail", "drop"],
)
async def test_it_has_not_landed_otherwise(rig: Rig, way: TakeEdit, says: str) -> None:
    """The request fails, and the session is over."""
    rig.configure(limits={"landing_s": 0.01})
    rig.editor.open(TEXT)
    rig.editor.take_edit = way
    running = rig.edit_lines(1, 2)
    (await rig.model.generation()).reply("TWO\n")
    with pytest.raises(EditNotLandedError, match=says):
        await running.result()
    assert running.session.state is State.FAILED
    assert rig.editor.text() == TEXT
    assert rig.edits.sessions == ()


async def test_a_failure_nobody_waits_for_ends_the_session(rig: Rig) -> None:
    """The request was cancelled while the edit was on its way."""
    rig.editor.open(TEXT)
    answer = asyncio.Event()

    async def refuse_later(editor: FakeEditor, asked: Applied) -> bool:
        await answer.wait()
        return False

    rig.editor.take_edit = refuse_later
    running = rig.edit_lines(1, 2)
    (await rig.model.generation()).reply("TWO\n")
    await rig.editor.changed.wait()
    running.task.cancel()
    await asyncio.wait({running.task})
    answer.set()
    await rig.idle()
    assert running.session.state is State.FAILED


def typing(before: str, text: str, then: TakeEdit) -> TakeEdit:
    """Type once before the edit arrives, so that it is stale."""

    async def type_first(editor: FakeEditor, asked: Applied) -> bool:
        editor.take_edit = then
        editor.type(before, text)
        return await then(editor, asked)

    return type_first


@pytest.mark.parametrize("before", ["one", "two", "four"])
async def test_typing_elsewhere_rebases(rig: Rig, before: str) -> None:
    """A refused stale edit is made again for the new version."""
    rig.editor.open(TEXT)
    rig.editor.take_edit = typing(before, "x\n", take)
    running = rig.edit_lines(1, 2)
    (await rig.model.generation()).reply("TWO\n")
    assert (await running.result()).outcome == "applied"
    assert rig.editor.text() == TEXT.replace(before, "x\n" + before).replace(
        "two", "TWO"
    )
    assert [asked.version for asked in rig.editor.asked] == [1, 2]


async def test_a_stale_edit_may_be_refused_by_an_error(rig: Rig) -> None:
    """It is made again all the same."""
    rig.editor.open(TEXT)

    async def type_and_fail(editor: FakeEditor, asked: Applied) -> bool:
        editor.take_edit = take
        editor.type("one", "x\n")
        return await fail(editor, asked)

    rig.editor.take_edit = type_and_fail
    running = rig.edit_lines(1, 2)
    (await rig.model.generation()).reply("TWO\n")
    assert (await running.result()).outcome == "applied"
    assert rig.editor.text() == "x\n" + EDITED


@pytest.mark.parametrize("then", [take, drop_stale], ids=["refused", "dropped"])
async def test_typing_inside_while_it_is_applied(rig: Rig, then: TakeEdit) -> None:
    """What was typed stays, and the edit is dropped."""
    rig.configure(limits={"landing_s": 0.01})
    rig.editor.open(TEXT)
    rig.editor.take_edit = typing("wo", "x", then)
    running = rig.edit_lines(1, 2)
    (await rig.model.generation()).reply("TWO\n")
    result = await running.result()
    assert result.outcome == "stopped"
    assert "your text is kept" in (result.message or "")
    assert rig.editor.text() == "one\ntxwo\nthree\nfour\n"


async def test_typing_at_an_insertion_while_it_is_applied(rig: Rig) -> None:
    """The user's line is not torn in two."""
    rig.editor.open("one\n\ntwo\n")
    rig.editor.take_edit = typing("\ntwo", "x", take)
    running = rig.edit(4, 4)
    (await rig.model.generation()).reply("new\n")
    assert (await running.result()).outcome == "stopped"
    assert rig.editor.text() == "one\nx\ntwo\n"


async def test_typing_between_the_decision_and_the_sending(rig: Rig) -> None:
    """What is read in the turn in which the reply ends is not overwritten."""
    for n_turns in range(12):
        rig.editor.open(TEXT)
        running = rig.edit_lines(1, 2)
        (await rig.model.generation(n_turns)).reply("TWO\n")
        for _ in range(n_turns):
            await asyncio.sleep(0)
        text = rig.editor.text()
        at = text.lower().index("wo")
        rig.editor.replace(at, at, "typed")
        await running.result()
        assert "typed" in rig.editor.text()
        rig.editor.close()


async def test_a_stale_edit_that_is_dropped_silently(rig: Rig) -> None:
    """Is reported as not landed, also where lines repeat around it."""
    rig.configure(limits={"landing_s": 0.01})
    rig.editor.open("x\nx\nx\nx\nend\n")
    rig.editor.take_edit = typing("end", "y", drop_stale)
    running = rig.edit_lines(1, 2, "Delete this.")
    (await rig.model.generation()).reply("")
    with pytest.raises(EditNotLandedError):
        await running.result()
    assert rig.editor.text() == "x\nx\nx\nx\nyend\n"


@pytest.mark.parametrize(
    ("at", "typed", "around"),
    [
        (0, "a\nb\n", "a\nb\none\n{}\n"),
        (2, "n", "onne\n{}\n"),
        (-1, "end", "one\n{}end\n"),
    ],
)
async def test_a_change_that_is_told_together_with_typing(
    rig: Rig, at: int, typed: str, around: str
) -> None:
    """As clients do that wait a little and send all that has changed."""
    rig.preview()
    rig.editor.open("one\ntwo\nthree\nfour\n\n")
    running = await rig.offer(1, 4, "TWO\nthree\nFOUR\n")

    rig.editor.take_edit = tell_late
    place = at % len(rig.editor.text())
    rig.editor.typed_after = lambda: [rig.editor.splice(place, place, typed)]
    first = min(rig.editor.previews[running.id].hunks)
    assert (await rig.accept(running.id, [first])).remaining == 1
    await rig.idle()
    assert rig.editor.text() == around.format("TWO\nthree\nfour\n")
    assert rig.editor.shown(running.id) == around.format("TWO\nthree\nFOUR\n")
    rig.editor.take_edit = take
    assert (await rig.accept(running.id, None)).state == "accepted"
    assert rig.editor.text() == around.format("TWO\nthree\nFOUR\n")


async def test_typing_inside_that_is_told_together_with_a_landing(rig: Rig) -> None:
    """What was accepted has landed; what is left of the offer has no place any more."""
    rig.preview()
    rig.editor.open(TEXT)
    running = await rig.offer(0, 4, "ONE\ntwo\nthree\nFOUR\n")
    rig.editor.take_edit = tell_late
    rig.editor.typed_after = lambda: [rig.editor.splice(14, 14, "typed")]
    first = min(rig.editor.previews[running.id].hunks)
    assert (await rig.accept(running.id, [first])).state == "stopped"
    assert rig.editor.text() == "ONE\ntwo\nthree\ntypedfour\n"
    assert "What you accepted is kept." in (running.session.message or "")


async def test_closing_while_it_is_applied(rig: Rig) -> None:
    """There is no document left to show it; nobody waits for the editor."""
    rig.editor.open(TEXT)

    async def close_first(editor: FakeEditor, asked: Applied) -> bool:
        editor.close()
        return await never(editor, asked)

    rig.editor.take_edit = close_first
    running = rig.edit_lines(1, 2)
    (await rig.model.generation()).reply("TWO\n")
    result = await running.result()
    assert result.outcome == "stopped"
    assert "closed" in (result.message or "")


async def test_closing_right_after_it_has_landed(rig: Rig) -> None:
    """It is applied; and an offer of which a part landed is over."""
    rig.preview()
    rig.editor.open(TEXT)
    running = await rig.offer(0, 4, "ONE\ntwo\nTHREE\nfour\n")

    async def take_and_close(editor: FakeEditor, asked: Applied) -> bool:
        await take(editor, asked)
        editor.close()
        return True

    rig.editor.take_edit = take_and_close
    first = min(rig.editor.previews[running.id].hunks)
    answered = await rig.accept(running.id, [first])
    assert answered.state == "stopped"
    assert running.session.state.is_end


async def test_a_document_that_keeps_changing(rig: Rig) -> None:
    """Has an end: the edit is not tried for ever."""
    rig.editor.open(TEXT)

    async def type_always(editor: FakeEditor, asked: Applied) -> bool:
        editor.type("one", "x\n")
        return False

    rig.editor.take_edit = type_always
    running = rig.edit_lines(1, 2)
    (await rig.model.generation()).reply("TWO\n")
    with pytest.raises(EditNotLandedError, match="kept changing"):
        await running.result()
    assert len(rig.editor.asked) == 20


@pytest.mark.parametrize("way", [take, drop_stale, answer_first])
async def test_edits_of_one_document_are_sent_in_turn(rig: Rig, way: TakeEdit) -> None:
    """Each makes the others stale, which not every client says."""
    rig.editor.open(TEXT)
    rig.editor.take_edit = way
    edits = [rig.edit_lines(n, n + 1) for n in range(4)]
    for n in range(4):
        (await rig.model.generation(n)).reply(f"line {n}\nand\n")
    for running in edits:
        assert (await running.result()).outcome == "applied"
    assert rig.editor.text() == "".join(f"line {n}\nand\n" for n in range(4))
    assert [asked.version for asked in rig.editor.asked] == [1, 2, 3, 4]


async def test_an_edit_that_waits_for_its_turn_can_be_stopped(rig: Rig) -> None:
    """It has not been sent yet."""
    rig.editor.open(TEXT)
    rig.editor.take_edit = never
    first = rig.edit_lines(0, 1)
    (await rig.model.generation(0)).reply("ONE\n")
    await rig.editor.changed.wait()
    second = rig.edit_lines(1, 2)
    (await rig.model.generation(1)).reply("TWO\n")
    await rig.idle()
    assert rig.edits.stop() == [second.id]
    assert (await second.result()).outcome == "stopped"
    await take(rig.editor, rig.editor.asked[0])
    assert (await first.result()).outcome == "applied"
    assert rig.editor.text() == "ONE\ntwo\nthree\nfour\n"
