"""Landing: an edit is in the document when the document shows it, and not before."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import EditHarness
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
    take_stale,
    tell_and_deny,
    tell_and_fail,
    tell_late,
    tell_only,
)

from redline.assist.edit.session.states import State
from redline.assist.editor.editor import EditorTraits
from redline.errors import EditNotLandedError

TEXT = "one\ntwo\nthree\nfour\n"
EDITED = "one\nTWO\nthree\nfour\n"


@pytest.mark.parametrize(
    "way",
    [take, answer_first, drop_stale, tell_only, tell_and_deny, tell_and_fail],
    ids=lambda way: way.__name__,
)
async def test_it_has_landed_when_it_shows(harness: EditHarness, way: TakeEdit) -> None:
    """Whatever is answered, and whenever; it is sent once."""
    harness.editor.open(TEXT)
    harness.editor.take_edit = way
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == EDITED
    assert len(harness.editor.asked) == 1
    await harness.idle()
    harness.check()


@pytest.mark.parametrize(
    ("way", "says"),
    [
        (refuse, "refused"),
        (fail, "It is read-only"),
        (drop, "did not show the edit in time"),
    ],
    ids=["refuse", "fail", "drop"],
)
async def test_it_has_not_landed_otherwise(
    harness: EditHarness, way: TakeEdit, says: str
) -> None:
    """The request fails, and the session is over."""
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.open(TEXT)
    harness.editor.take_edit = way
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    with pytest.raises(EditNotLandedError, match=says):
        await running.result()
    assert running.session.state is State.FAILED
    assert harness.editor.text() == TEXT
    assert harness.edits.sessions == ()


async def test_a_failure_nobody_waits_for_ends_the_session(
    harness: EditHarness,
) -> None:
    """The request was cancelled while the edit was on its way."""
    harness.editor.open(TEXT)
    answer = asyncio.Event()

    async def refuse_later(editor: FakeEditor, asked: Applied) -> bool:
        await answer.wait()
        return False

    harness.editor.take_edit = refuse_later
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    await harness.editor.changed.wait()
    running.task.cancel()
    await asyncio.wait({running.task})
    answer.set()
    await harness.idle()
    assert running.session.state is State.FAILED


def typing(before: str, text: str, then: TakeEdit) -> TakeEdit:
    """Type once before the edit arrives, so that it is stale."""

    async def type_first(editor: FakeEditor, asked: Applied) -> bool:
        editor.take_edit = then
        editor.type(before, text)
        return await then(editor, asked)

    return type_first


@pytest.mark.parametrize("before", ["one", "two", "four"])
async def test_typing_elsewhere_rebases(harness: EditHarness, before: str) -> None:
    """A refused stale edit is made again for the new version."""
    harness.editor.open(TEXT)
    harness.editor.take_edit = typing(before, "x\n", take)
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == TEXT.replace(before, "x\n" + before).replace(
        "two", "TWO"
    )
    assert [asked.version for asked in harness.editor.asked] == [1, 2]


async def test_a_stale_edit_may_be_refused_by_an_error(harness: EditHarness) -> None:
    """It is made again all the same."""
    harness.editor.open(TEXT)

    async def type_and_fail(editor: FakeEditor, asked: Applied) -> bool:
        editor.take_edit = take
        editor.type("one", "x\n")
        return await fail(editor, asked)

    harness.editor.take_edit = type_and_fail
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "x\n" + EDITED


@pytest.mark.parametrize("then", [take, drop_stale], ids=["refused", "dropped"])
async def test_typing_inside_while_it_is_applied(
    harness: EditHarness, then: TakeEdit
) -> None:
    """What was typed stays, and the edit is dropped."""
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.open(TEXT)
    harness.editor.take_edit = typing("wo", "x", then)
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    result = await running.result()
    assert result.outcome == "stopped"
    assert "your text is kept" in (result.message or "")
    assert harness.editor.text() == "one\ntxwo\nthree\nfour\n"


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("one", "x\nTWO\ntwo\nthree\nfour\n"),
        ("two", "one\nTWO\ntwo\nthree\nfour\n"),
    ],
)
async def test_an_editor_without_versions_may_change_other_lines(
    harness: EditHarness, before: str, text: str
) -> None:
    """The error says so, and does not claim that the text was kept."""
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.traits = EditorTraits(takes_versions=False)
    harness.editor.open(TEXT)
    harness.editor.take_edit = typing(before, "x\n", take_stale)
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    with pytest.raises(EditNotLandedError, match="may have changed other") as failure:
        await running.result()
    assert "undo restores them" in failure.value.remedy
    assert harness.editor.text() == text


async def test_typing_at_an_insertion_while_it_is_applied(harness: EditHarness) -> None:
    """The user's line is not torn in two."""
    harness.editor.open("one\n\ntwo\n")
    harness.editor.take_edit = typing("\ntwo", "x", take)
    running = harness.edit(4, 4)
    (await harness.model.generation()).reply("new\n")
    assert (await running.result()).outcome == "stopped"
    assert harness.editor.text() == "one\nx\ntwo\n"


async def test_typing_between_the_decision_and_the_sending(
    harness: EditHarness,
) -> None:
    """What is read in the turn in which the reply ends is not overwritten."""
    for n_turns in range(12):
        harness.editor.open(TEXT)
        running = harness.edit_lines(1, 2)
        (await harness.model.generation(n_turns)).reply("TWO\n")
        for _ in range(n_turns):
            await asyncio.sleep(0)
        text = harness.editor.text()
        at = text.lower().index("wo")
        harness.editor.replace(at, at, "typed")
        await running.result()
        assert "typed" in harness.editor.text()
        harness.editor.close()


async def test_a_stale_edit_that_is_dropped_silently(harness: EditHarness) -> None:
    """Is reported as not landed, also where lines repeat around it."""
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.open("x\nx\nx\nx\nend\n")
    harness.editor.take_edit = typing("end", "y", drop_stale)
    running = harness.edit_lines(1, 2, "Delete this.")
    (await harness.model.generation()).reply("")
    with pytest.raises(EditNotLandedError):
        await running.result()
    assert harness.editor.text() == "x\nx\nx\nx\nyend\n"


@pytest.mark.parametrize(
    ("at", "typed", "around"),
    [
        (0, "a\nb\n", "a\nb\none\n{}\n"),
        (2, "n", "onne\n{}\n"),
        (-1, "end", "one\n{}end\n"),
    ],
)
async def test_a_change_that_is_told_together_with_typing(
    harness: EditHarness, at: int, typed: str, around: str
) -> None:
    """As clients do that wait a little and send all that has changed."""
    harness.preview()
    harness.editor.open("one\ntwo\nthree\nfour\n\n")
    running = await harness.offer(1, 4, "TWO\nthree\nFOUR\n")

    harness.editor.take_edit = tell_late
    place = at % len(harness.editor.text())
    harness.editor.typed_after = lambda: [harness.editor.splice(place, place, typed)]
    first = min(harness.editor.previews[running.id].hunks)
    assert (await harness.accept(running.id, [first])).remaining == 1
    await harness.idle()
    assert harness.editor.text() == around.format("TWO\nthree\nfour\n")
    assert harness.editor.shown(running.id) == around.format("TWO\nthree\nFOUR\n")
    harness.editor.take_edit = take
    assert (await harness.accept(running.id, None)).state == "accepted"
    assert harness.editor.text() == around.format("TWO\nthree\nFOUR\n")


async def test_typing_inside_that_is_told_together_with_a_landing(
    harness: EditHarness,
) -> None:
    """What was accepted has landed; what is left of the offer has no place any more."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 4, "ONE\ntwo\nthree\nFOUR\n")
    harness.editor.take_edit = tell_late
    harness.editor.typed_after = lambda: [harness.editor.splice(14, 14, "typed")]
    first = min(harness.editor.previews[running.id].hunks)
    assert (await harness.accept(running.id, [first])).state == "stopped"
    assert harness.editor.text() == "ONE\ntwo\nthree\ntypedfour\n"
    assert "What you accepted is kept." in (running.session.message or "")


async def test_closing_while_it_is_applied(harness: EditHarness) -> None:
    """No document is left to show it, so nothing waits for the editor."""
    harness.editor.open(TEXT)

    async def close_first(editor: FakeEditor, asked: Applied) -> bool:
        editor.close()
        return await never(editor, asked)

    harness.editor.take_edit = close_first
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    result = await running.result()
    assert result.outcome == "stopped"
    assert "closed" in (result.message or "")


async def test_closing_right_after_it_has_landed(harness: EditHarness) -> None:
    """It is applied; and an offer of which a part landed is over."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 4, "ONE\ntwo\nTHREE\nfour\n")

    async def take_and_close(editor: FakeEditor, asked: Applied) -> bool:
        await take(editor, asked)
        editor.close()
        return True

    harness.editor.take_edit = take_and_close
    first = min(harness.editor.previews[running.id].hunks)
    answered = await harness.accept(running.id, [first])
    assert answered.state == "stopped"
    assert running.session.state.is_end


async def test_a_document_that_keeps_changing(harness: EditHarness) -> None:
    """Has an end: the edit is not tried for ever."""
    harness.editor.open(TEXT)

    async def type_always(editor: FakeEditor, asked: Applied) -> bool:
        editor.type("one", "x\n")
        return False

    harness.editor.take_edit = type_always
    running = harness.edit_lines(1, 2)
    (await harness.model.generation()).reply("TWO\n")
    with pytest.raises(EditNotLandedError, match="kept changing"):
        await running.result()
    assert len(harness.editor.asked) == 20


@pytest.mark.parametrize("way", [take, drop_stale, answer_first])
async def test_edits_of_one_document_are_sent_in_turn(
    harness: EditHarness, way: TakeEdit
) -> None:
    """Each makes the others stale, which not every client says."""
    harness.editor.open(TEXT)
    harness.editor.take_edit = way
    edits = [harness.edit_lines(n, n + 1) for n in range(4)]
    for n in range(4):
        (await harness.model.generation(n)).reply(f"row_{n}\nand\n")
    for running in edits:
        assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "".join(f"row_{n}\nand\n" for n in range(4))
    assert [asked.version for asked in harness.editor.asked] == [1, 2, 3, 4]


async def test_an_edit_that_waits_for_its_turn_can_be_stopped(
    harness: EditHarness,
) -> None:
    """It has not been sent yet."""
    harness.editor.open(TEXT)
    harness.editor.take_edit = never
    first = harness.edit_lines(0, 1)
    (await harness.model.generation(0)).reply("ONE\n")
    await harness.editor.changed.wait()
    second = harness.edit_lines(1, 2)
    (await harness.model.generation(1)).reply("TWO\n")
    await harness.idle()
    assert harness.edits.stop() == [second.id]
    assert (await second.result()).outcome == "stopped"
    await take(harness.editor, harness.editor.asked[0])
    assert (await first.result()).outcome == "applied"
    assert harness.editor.text() == "ONE\ntwo\nthree\nfour\n"
