"""Previews: what is shown is what accepting gives, whole or hunk by hunk."""

from __future__ import annotations

import asyncio

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_editor import (
    Applied,
    FakeEditor,
    TakeEdit,
    drop,
    fail,
    never,
    refuse,
    take,
)

from redline.assist.edit.edits import MAX_WAITING
from redline.assist.edit.session.states import State
from redline.assist.editor.editor import EditorTraits
from redline.errors import (
    EditNotLandedError,
    InvalidArgumentsError,
    UnknownSessionError,
)

TEXT = "one\ntwo\nthree\nfour\nfive\n"
REPLY = "ONE\ntwo\nTHREE\nfour\nFIVE\nsix\n"


def ids(harness: EditHarness, session_id: str) -> list[int]:
    """Return the ids of the hunks that are shown, from top to bottom."""
    hunks = harness.editor.previews[session_id].hunks.values()
    return [h.id for h in sorted(hunks, key=lambda h: h.edit.range.start)]


async def test_began_hunks_ended(harness: EditHarness) -> None:
    """In this order; began says what a client needs to show the session."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(1, 3)
    generation = await harness.model.generation()
    preview = harness.editor.previews[running.id]
    assert preview.began.range == running.session.edit_target.region.range
    route = running.session.chosen.route
    assert route is not None
    assert (preview.began.tier, preview.began.reasons) == ("fast", route.reasons)
    assert preview.n_messages == 0
    generation.write("TWO\n")
    await harness.idle()
    assert harness.editor.shown(running.id) != TEXT
    generation.reply("three\n")
    result = await running.result()
    assert (result.outcome, result.message) == ("offered", None)
    assert harness.editor.shown(running.id) == "one\nTWO\nthree\nfour\nfive\n"
    assert harness.editor.text() == TEXT
    assert {h.state for h in preview.hunks.values()} == {"settled"}
    assert harness.editor.progress[0].ends == ["Offered in the preview."]
    assert preview.ended is None
    assert harness.edits.reject(running.id, None).state == "rejected"
    assert preview.ended is not None
    assert (preview.ended.outcome, preview.ended.message) == ("rejected", "Rejected.")


async def test_what_turns_out_to_be_no_code_is_taken_back(
    harness: EditHarness,
) -> None:
    """Lines that were painted, and then repeat what is after the range."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(1, 3)
    generation = await harness.model.generation()
    generation.write("TWO\nthree\nfour\n")
    await harness.idle()
    assert harness.editor.shown(running.id) != TEXT
    generation.reply("five\n")
    assert (await running.result()).outcome == "offered"
    assert harness.editor.shown(running.id) == "one\nTWO\nthree\nfour\nfive\n"


async def test_the_last_state_is_shown_before_the_answer(harness: EditHarness) -> None:
    """However seldom the client is painted to."""
    harness.preview(paints_per_s=1e-6)
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 5)
    generation = await harness.model.generation()
    generation.write("ONE\n")
    await harness.idle()
    generation.reply(REPLY.removeprefix("ONE\n"))
    await running.result()
    assert harness.editor.shown(running.id) == REPLY


async def test_accepting_all(harness: EditHarness) -> None:
    """One versioned edit gives exactly what was shown."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 5, REPLY)
    shown = harness.editor.shown(running.id)
    answered = await harness.accept(running.id, None)
    assert (answered.state, answered.remaining) == ("accepted", 0)
    assert harness.editor.text() == shown == REPLY
    assert len(harness.editor.asked) == 1
    assert harness.states[running.id][-2:] == [State.APPLYING, State.ACCEPTED]
    ended = harness.editor.previews[running.id].ended
    assert ended is not None
    assert (ended.outcome, ended.message) == ("accepted", "Accepted.")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_accepting_hunk_by_hunk(
    harness: EditHarness, order: tuple[int, ...]
) -> None:
    """In any order; after each the rest is shown at its new place."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 5, REPLY)
    all_ids = ids(harness, running.id)
    assert len(all_ids) == 3
    for n, which in enumerate(order):
        shown = harness.editor.shown(running.id)
        answered = await harness.accept(running.id, [all_ids[which]])
        assert answered.remaining == 2 - n
        if answered.remaining:
            assert answered.state == "offered"
            await harness.idle()
            assert harness.editor.shown(running.id) == shown
            assert all_ids[which] not in ids(harness, running.id)
    assert running.session.state is State.ACCEPTED
    assert harness.editor.text() == REPLY


async def test_accepting_some_and_rejecting_the_rest(harness: EditHarness) -> None:
    """Only what was accepted is in the document."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 5, REPLY)
    first, second, third = ids(harness, running.id)
    assert harness.edits.reject(running.id, [first]).remaining == 2
    await harness.idle()
    assert ids(harness, running.id) == [second, third]
    assert (await harness.accept(running.id, [third, first])).remaining == 1
    answered = harness.edits.reject(running.id, [second])
    assert (answered.state, answered.remaining) == ("accepted", 0)
    assert harness.editor.text() == TEXT.replace("five\n", "FIVE\nsix\n")


@pytest.mark.parametrize("has_begun", [False, True])
async def test_a_hunk_that_is_rejected_after_a_redirect_does_not_come_back(
    harness: EditHarness, *, has_begun: bool
) -> None:
    """Although the new text has not reached its lines."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 5, REPLY)
    first, second, third = ids(harness, running.id)
    redirecting = asyncio.create_task(
        harness.edits.redirects.redirect(running.session, "Otherwise.")
    )
    if has_begun:
        await harness.model.generation(1)
    else:
        await asyncio.sleep(0)
    harness.edits.reject(running.id, [third])
    generation = await harness.model.generation(1)
    generation.write("ONE\n")
    await harness.idle()
    assert (await redirecting).is_accepted
    assert ids(harness, running.id) == [first, second]
    generation.reply("two\nTHREE\nfour\nfive\n")
    await harness.idle()
    assert (await harness.accept(running.id, None)).state == "accepted"
    assert harness.editor.text() == "ONE\ntwo\nTHREE\nfour\nfive\n"


async def test_a_hunk_that_is_rejected_while_it_is_written_does_not_come_back(
    harness: EditHarness,
) -> None:
    """Although the whole reply is read otherwise in the end: the lines below repeat."""
    harness.preview()
    rows = [f"{name} = {at} + offset\n" for at, name in enumerate("abcdefghijklmn")]
    end = ["next_row = offset + 1\n", "last_row = offset + 2\n"]
    harness.editor.open("".join(rows + end))
    running = harness.edit_lines(0, len(rows))
    generation = await harness.model.generation()
    new = ["first = 0 + offset\n", *rows[1:12], "m = 99\n", "n = 99\n"]
    generation.write("".join([*new, end[0]]))
    await harness.idle()
    first, *_ = ids(harness, running.id)
    settled = running.session.offer.settled([first])
    assert [hunk.id for hunk in settled] == [first]
    harness.edits.reject(running.id, [first])
    generation.reply(end[1])
    assert (await running.result()).outcome == "offered"
    assert first not in ids(harness, running.id)
    expected = "".join([rows[0], *new[1:], *end])
    assert harness.editor.shown(running.id) == expected
    await harness.accept(running.id, None)
    assert harness.editor.text() == expected


async def test_a_held_offer_stays_held(harness: EditHarness) -> None:
    """Accepting a part of it does not take its problems away."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 5)
    text = "ONE\ntwo\nthree\nfour\n# ... rest unchanged ...\n"
    (await harness.model.generation()).reply(text)
    assert (await running.result()).outcome == "held"
    first, _ = ids(harness, running.id)
    assert (await harness.accept(running.id, [first])).state == "held"
    assert running.session.state is State.HELD
    assert harness.edits.reject(running.id, None).state == "accepted"
    assert harness.editor.text() == TEXT.replace("one", "ONE")


@pytest.mark.parametrize("hunk_ids", [[], [999]])
async def test_hunks_that_are_not_there(
    harness: EditHarness, hunk_ids: list[int]
) -> None:
    """Are a mistake of the caller's, and the offer stays."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 5, REPLY)
    with pytest.raises(InvalidArgumentsError):
        await harness.accept(running.id, hunk_ids)
    with pytest.raises(InvalidArgumentsError):
        harness.edits.reject(running.id, hunk_ids)
    assert len(ids(harness, running.id)) == 3
    assert (await harness.accept(running.id, None)).state == "accepted"


async def test_only_what_is_shown_can_be_accepted(harness: EditHarness) -> None:
    """Neither what is not written, nor what is being applied, nor what is over."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 5)
    generation = await harness.model.generation()
    with pytest.raises(InvalidArgumentsError):
        await harness.accept(running.id, [1])
    with pytest.raises(InvalidArgumentsError):
        harness.edits.reject(running.id, [1])
    generation.reply(REPLY)
    await running.result()
    harness.editor.take_edit = never
    accept = asyncio.get_running_loop().create_task(harness.accept(running.id, None))
    await harness.editor.changed.wait()
    await harness.idle()
    with pytest.raises(InvalidArgumentsError):
        await harness.accept(running.id, None)
    with pytest.raises(InvalidArgumentsError):
        harness.edits.reject(running.id, None)
    await take(harness.editor, harness.editor.asked[0])
    assert (await accept).state == "accepted"
    with pytest.raises(UnknownSessionError):
        await harness.accept(running.id, None)
    assert len(harness.editor.asked) == 1


@pytest.mark.parametrize("way", [refuse, fail, drop], ids=lambda way: way.__name__)
async def test_an_offer_stays_when_its_edit_does_not_land(
    harness: EditHarness, way: TakeEdit
) -> None:
    """It can be accepted again, at the same place or another."""
    harness.preview()
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.open(TEXT)
    running = await harness.offer(2, 5, "three\nfour\nFIVE\n")
    harness.editor.take_edit = way
    with pytest.raises(EditNotLandedError):
        await harness.accept(running.id, None)
    assert running.session.state is State.OFFERED
    harness.editor.replace(0, 0, "zero\n")
    await harness.idle()
    assert harness.editor.shown(running.id) == "zero\n" + TEXT.replace("five", "FIVE")
    harness.editor.take_edit = take
    assert (await harness.accept(running.id, None)).state == "accepted"
    assert harness.editor.text() == "zero\n" + TEXT.replace("five", "FIVE")


async def test_typing_elsewhere_while_an_accept_fails(harness: EditHarness) -> None:
    """The offer is shown again on the new version."""
    harness.preview()
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.open(TEXT)
    running = await harness.offer(2, 5, "three\nfour\nFIVE\n")

    async def type_and_drop(editor: FakeEditor, asked: Applied) -> bool:
        editor.replace(0, 0, "zero\n")
        return True

    harness.editor.take_edit = type_and_drop
    with pytest.raises(EditNotLandedError):
        await harness.accept(running.id, None)
    await harness.idle()
    assert harness.editor.shown(running.id) == "zero\n" + TEXT.replace("five", "FIVE")


async def test_typing_inside_while_an_accept_fails(harness: EditHarness) -> None:
    """There is no offer any more: it was made for another text."""
    harness.preview()
    harness.configure(limits={"landing_s": 0.01})
    harness.editor.open(TEXT)
    running = await harness.offer(2, 5, "three\nfour\nFIVE\n")

    async def type_and_drop(editor: FakeEditor, asked: Applied) -> bool:
        editor.type("our", "x")
        return True

    harness.editor.take_edit = type_and_drop
    answered = await harness.accept(running.id, None)
    assert (answered.state, answered.remaining) == ("stopped", 0)
    assert harness.editor.text() == TEXT.replace("four", "fxour")


async def test_a_cancelled_accept_is_seen_through(harness: EditHarness) -> None:
    """It has been sent."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 5, REPLY)
    harness.editor.take_edit = never
    harness.editor.changed.clear()
    accept = asyncio.get_running_loop().create_task(harness.accept(running.id, None))
    await harness.editor.changed.wait()
    accept.cancel()
    await asyncio.wait({accept})
    await take(harness.editor, harness.editor.asked[0])
    assert running.session.state is State.ACCEPTED
    assert harness.editor.text() == REPLY


async def test_two_offers_in_one_document(harness: EditHarness) -> None:
    """Accepting one moves the other; both can be accepted at the same time."""
    harness.preview()
    harness.editor.open(TEXT)
    one = await harness.offer(0, 1, "ONE\none and a half\n")
    two = await harness.offer(2, 5, "THREE\nfour\nFIVE\n")
    first, _ = ids(harness, two.id)
    answers = await asyncio.gather(
        harness.accept(one.id, None), harness.accept(two.id, [first])
    )
    assert [answer.state for answer in answers] == ["accepted", "offered"]
    await harness.idle()
    expected = "ONE\none and a half\ntwo\nTHREE\nfour\n"
    assert harness.editor.text() == expected + "five\n"
    assert harness.editor.shown(two.id) == expected + "FIVE\n"


@pytest.mark.parametrize(
    ("before", "typed", "n_left", "accepted"),
    [
        # In a line that stays: all changes are kept.
        ("four", "x", 3, "ONE\ntwo\nTHREE\nxfour\nFIVE\nsix\n"),
        # In a line that a change replaces: that change goes.
        ("three", "x", 2, "ONE\ntwo\nxthree\nfour\nFIVE\nsix\n"),
        ("two", "new\n", 3, "ONE\nnew\ntwo\nTHREE\nfour\nFIVE\nsix\n"),
    ],
)
async def test_typing_in_an_offer_keeps_the_other_changes(
    harness: EditHarness, before: str, typed: str, n_left: int, accepted: str
) -> None:
    """They move with the text, and are accepted as they are shown."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 5, REPLY)
    shown = ids(harness, running.id)
    harness.editor.type(before, typed)
    await harness.idle()
    assert running.session.state is State.OFFERED
    assert len(ids(harness, running.id)) == n_left
    assert set(ids(harness, running.id)) <= set(shown)
    assert harness.editor.shown(running.id) == accepted
    answer = await harness.accept(running.id, None)
    assert answer.state == "accepted"
    assert harness.editor.text() == accepted


async def test_typing_in_the_only_change_of_an_offer(harness: EditHarness) -> None:
    """Nothing is left to be offered, and the message says why."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 1, "ONE\n")
    harness.editor.type("ne\n", "x")
    ended = harness.editor.previews[running.id].ended
    assert ended is not None
    assert ended.outcome == "stopped"
    assert "your text is kept" in (ended.message or "")
    assert harness.editor.text() == TEXT.replace("one", "oxne")


@pytest.mark.parametrize(
    ("written", "word", "shown"),
    [
        ("ONE\ntwo\nTHREE\nfour\n", "three", "ONE\ntwo\nxthree\nfour\nfive\n"),
        # THREE may yet replace a line, so it is not offered as one above it.
        ("ONE\ntwo\nTHREE\n", "five", "ONE\ntwo\nthree\nfour\nxfive\n"),
        ("ONE\nTWO\n", "five", None),
    ],
)
async def test_typing_while_it_writes_keeps_the_other_changes(
    harness: EditHarness, written: str, word: str, shown: str | None
) -> None:
    """It stops; what was written elsewhere to its end is offered."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 5)
    generation = await harness.model.generation()
    generation.write(written)
    await harness.idle()
    harness.editor.type(word, "x")
    assert generation.is_stopped
    result = await running.result()
    assert result.outcome == ("stopped" if shown is None else "offered")
    assert harness.editor.text() == TEXT.replace(word, f"x{word}")
    if shown is not None:
        assert "still offered" in (result.message or "")
        assert harness.editor.shown(running.id) == shown


async def test_the_whole_state_of_a_preview(harness: EditHarness) -> None:
    """For a client that missed something."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(0, 5, REPLY)
    painter = harness.edits.session(running.id).offer.painter
    assert painter is not None
    state = painter.state()
    assert state.is_full
    assert [hunk.id for hunk in state.hunks] == ids(harness, running.id)


async def test_clients_without_a_preview_get_none(harness: EditHarness) -> None:
    """Whatever the setting or the request says."""
    harness.configure(edit={"apply": "preview"})
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 5, apply="preview")
    (await harness.model.generation()).reply(REPLY)
    assert (await running.result()).outcome == "applied"
    assert harness.editor.previews == {}


@pytest.mark.parametrize("mode", ["end", "preview"])
async def test_the_request_overrides_the_setting(
    harness: EditHarness, mode: str
) -> None:
    """In both directions."""
    harness.editor.traits = EditorTraits(has_preview=True)
    harness.configure(edit={"apply": "end" if mode == "preview" else "preview"})
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 5, apply="end" if mode == "end" else "preview")
    (await harness.model.generation()).reply(REPLY)
    expected = "applied" if mode == "end" else "offered"
    assert (await running.result()).outcome == expected


async def test_a_preview_that_changes_nothing(harness: EditHarness) -> None:
    """Has an end of its own."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 5)
    (await harness.model.generation()).reply(TEXT)
    assert (await running.result()).outcome == "unchanged"
    ended = harness.editor.previews[running.id].ended
    assert ended is not None
    assert ended.outcome == "unchanged"


@pytest.mark.parametrize("on_stop", ["drop", "keep"])
async def test_offers_do_not_pile_up(harness: EditHarness, on_stop: str) -> None:
    """The oldest gives way, however the newest came about."""
    harness.preview(on_stop=on_stop)
    harness.editor.open("".join(f"line {n}\n" for n in range(MAX_WAITING + 1)))
    offers = [await harness.offer(n, n + 1, f"LINE {n}\n") for n in range(MAX_WAITING)]
    assert not offers[0].session.state.is_end
    last = harness.edit_lines(MAX_WAITING, MAX_WAITING + 1)
    generation = await harness.model.generation(MAX_WAITING)
    if on_stop == "drop":
        generation.reply("LAST\n")
    else:
        generation.write("LAST\nof\nall\nthese\nmany\nlines\n")
        await harness.idle()
        harness.edits.stop(session_id=last.id)
    assert (await last.result()).outcome == "offered"
    assert offers[0].session.state is State.REJECTED
    assert len(harness.edits.sessions) == MAX_WAITING
    ended = harness.editor.previews[offers[0].id].ended
    assert ended is not None
    assert "many newer offers" in (ended.message or "")


async def test_preview_of_a_document_without_a_final_line_end(
    harness: EditHarness,
) -> None:
    """An insertion after its last line is shown where accepting puts it."""
    harness.preview()
    harness.editor.open("one\ntwo")
    running = harness.edit(7, 7)
    generation = await harness.model.generation()
    generation.write("three\nfo")
    await harness.idle()
    assert harness.editor.shown(running.id) == "one\ntwo\nthree"
    generation.reply("ur\n")
    assert (await running.result()).outcome == "offered"
    assert harness.editor.shown(running.id) == "one\ntwo\nthree\nfour"
    assert (await harness.accept(running.id, None)).state == "accepted"
    assert harness.editor.text() == "one\ntwo\nthree\nfour"
