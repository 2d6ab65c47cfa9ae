"""Typing meanwhile: what the user typed is all there, and the edit lands or stops."""

from __future__ import annotations

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.fake_editor import URI

from redline.assist.edit.session.states import State
from redline.errors import UnknownSessionError
from redline.text.document import ContentChange

TEXT = "one\ntwo\n\nthree\nfour\nfive\n"
#       0    4    8  9      15    20


async def test_typing_outside_moves_the_region(harness: EditHarness) -> None:
    """The hunks are placed where the region is at the end."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    generation = await harness.model.generation()
    harness.editor.type("one", "zero\nhalf\n")
    generation.write("THREE\n")
    await harness.idle()
    harness.editor.type("five", "more\n")
    harness.editor.replace(0, 5, "")
    generation.reply("four\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "half\none\ntwo\n\nTHREE\nfour\nmore\nfive\n"


@pytest.mark.parametrize("is_whole", [True, False])
async def test_lines_above_and_below_change_at_once(
    harness: EditHarness, *, is_whole: bool
) -> None:
    """Some editors report all between the first and the last change as one change."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    generation = await harness.model.generation()
    generation.write("THREE\n")
    await harness.idle()
    text = TEXT.replace("one", "zero\none").replace("five", "FIVE")
    change = harness.editor.splice(0, len(TEXT), text)
    if is_whole:
        change = ContentChange(range=None, text=text)
    harness.editor.tell([change])
    generation.reply("four\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == text.replace("three", "THREE")


async def test_typing_before_the_request_is_sent(harness: EditHarness) -> None:
    """The prompt shows the document as it is then."""
    harness.tiers.known.clear()
    harness.editor.open(TEXT)
    harness.edit_lines(3, 4)
    harness.editor.type("one", "zero\n")
    harness.tiers.known.set()
    generation = await harness.model.generation()
    assert "```\nzero\none\ntwo\n\n\n```" in generation.prompt


@pytest.mark.parametrize(
    ("start", "end", "typed"),
    [
        (11, 11, "x"),  # in a line
        (9, 10, ""),  # its first character
        (14, 14, "x"),  # at the end of its first line
        (19, 19, "x"),  # at the end border, which is inside
        (19, 20, ""),  # its last line end
        (14, 16, "\n"),  # a line end and more
        (5, 12, ""),  # across the start border
        (17, 22, "x"),  # across the end border
        (0, 25, ""),  # all there is
    ],
)
@pytest.mark.parametrize("n_deltas", [0, 1])
async def test_typing_inside_stops_the_edit(
    harness: EditHarness, start: int, end: int, typed: str, n_deltas: int
) -> None:
    """At once; the text is as the user left it."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    generation = await harness.model.generation()
    if n_deltas:
        generation.write("THREE\n")
        await harness.idle()
    harness.editor.replace(start, end, typed)
    assert generation.is_stopped
    result = await running.result()
    assert result.outcome == "stopped"
    assert "your text is kept" in (result.message or "")
    assert harness.editor.text() == TEXT[:start] + typed + TEXT[end:]
    assert harness.editor.asked == []


@pytest.mark.parametrize(
    ("start", "end", "typed"),
    [
        (9, 9, "x"),  # exactly at the start border
        (9, 9, "x\ny\n"),
        (8, 9, ""),  # the line end before it
        (7, 9, "z"),
        (20, 20, "x"),  # at the start of the line after it
        (20, 25, ""),
    ],
)
async def test_typing_at_the_borders_outside(
    harness: EditHarness, start: int, end: int, typed: str
) -> None:
    """The region becomes its new text, and all that was typed stays around it."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    generation = await harness.model.generation()
    harness.editor.replace(start, end, typed)
    generation.reply("THREE\nfour\nnew\n")
    assert (await running.result()).outcome == "applied"
    around = TEXT[:start] + typed + TEXT[end:]
    assert harness.editor.text() == around.replace(
        "three\nfour\n", "THREE\nfour\nnew\n"
    )


@pytest.mark.parametrize("text", ["one\n\ntwo\n", "one\n"])
async def test_typing_where_new_lines_were_to_stand(
    harness: EditHarness, text: str
) -> None:
    """The place of an insertion is gone once the user types there."""
    harness.editor.open(text)
    running = harness.edit(4, 4)
    generation = await harness.model.generation()
    harness.editor.replace(4, 4, "x")
    assert generation.is_stopped
    assert (await running.result()).outcome == "stopped"
    assert harness.editor.text() == text[:4] + "x" + text[4:]


async def test_new_lines_move_an_insertion(harness: EditHarness) -> None:
    """Whole lines typed at its place leave it one."""
    harness.editor.open("one\n\ntwo\n")
    running = harness.edit(4, 4)
    generation = await harness.model.generation()
    harness.editor.replace(4, 4, "x\n")
    generation.reply("new\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "one\nx\nnew\n\ntwo\n"


async def test_typing_in_a_blank_line_that_is_the_region(harness: EditHarness) -> None:
    """It has no text of its own to be touched, and still is the user's now."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(2, 3)
    generation = await harness.model.generation()
    harness.editor.replace(8, 8, "x")
    assert generation.is_stopped
    assert (await running.result()).outcome == "stopped"
    assert harness.editor.text() == TEXT[:8] + "x" + TEXT[8:]


async def test_a_client_that_sends_whole_texts(harness: EditHarness) -> None:
    """What changed is found out by comparison."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    generation = await harness.model.generation()
    document = harness.editor.documents[URI]
    document.text = "zero\n" + TEXT
    harness.editor.tell([ContentChange(range=None, text=document.text)])
    generation.reply("THREE\nfour\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "zero\none\ntwo\n\nTHREE\nfour\nfive\n"


async def test_typing_moves_the_preview(harness: EditHarness) -> None:
    """All hunks are sent again, in the coordinates of the new version."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(3, 5, "THREE\nfour\n")
    harness.editor.type("one", "zero\n")
    await harness.idle()
    assert harness.editor.shown(running.id) == "zero\none\ntwo\n\nTHREE\nfour\nfive\n"
    assert (await harness.accept(running.id, None)).state == "accepted"
    assert harness.editor.text() == "zero\none\ntwo\n\nTHREE\nfour\nfive\n"


async def test_typing_inside_drops_an_offer(harness: EditHarness) -> None:
    """It was made for another text."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(3, 5, "THREE\nfour\n")
    harness.editor.replace(10, 11, "X")
    assert running.session.state is State.STOPPED
    ended = harness.editor.previews[running.id].ended
    assert ended is not None
    assert ended.outcome == "stopped"
    with pytest.raises(UnknownSessionError):
        await harness.accept(running.id, None)


@pytest.mark.parametrize("n_deltas", [0, 1])
async def test_closing_the_document(harness: EditHarness, n_deltas: int) -> None:
    """The edit stops; opened again, the document is another one."""
    harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    generation = await harness.model.generation()
    generation.write(*["THREE\n"][:n_deltas])
    await harness.idle()
    harness.editor.close()
    assert generation.is_stopped
    harness.editor.open("other\n")
    result = await running.result()
    assert result.outcome == "stopped"
    assert "closed" in (result.message or "")
    assert harness.editor.text() == "other\n"


async def test_opening_again_without_closing(harness: EditHarness) -> None:
    """Counts as closing: the text may be any other."""
    harness.editor.open(TEXT)
    running = harness.edit_lines(3, 5)
    await harness.model.generation()
    harness.editor.open("other\n")
    assert (await running.result()).outcome == "stopped"


async def test_closing_drops_an_offer(harness: EditHarness) -> None:
    """Nothing waits for a document that is not open."""
    harness.preview()
    harness.editor.open(TEXT)
    running = await harness.offer(3, 5, "THREE\nfour\n")
    harness.editor.close()
    assert running.session.state is State.STOPPED
