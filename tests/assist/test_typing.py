"""Typing meanwhile: what the user typed is all there, and the edit lands or stops."""

from __future__ import annotations

import pytest
from tests.assist.conftest import Rig
from tests.assist.fake_editor import URI

from redline.assist.edit.states import State
from redline.errors import UnknownSessionError
from redline.text.document import ContentChange

TEXT = "one\ntwo\n\nthree\nfour\nfive\n"
#       0    4    8  9      15    20


async def test_typing_outside_moves_the_region(rig: Rig) -> None:
    """The hunks are placed where the region is at the end."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(3, 5)
    generation = await rig.model.generation()
    rig.editor.type("one", "zero\nhalf\n")
    generation.write("THREE\n")
    await rig.idle()
    rig.editor.type("five", "more\n")
    rig.editor.replace(0, 5, "")
    generation.reply("four\n")
    assert (await running.result()).outcome == "applied"
    assert rig.editor.text() == "half\none\ntwo\n\nTHREE\nfour\nmore\nfive\n"


async def test_typing_before_the_request_is_sent(rig: Rig) -> None:
    """The prompt shows the document as it is then."""
    rig.tiers.known.clear()
    rig.editor.open(TEXT)
    rig.edit_lines(3, 4)
    rig.editor.type("one", "zero\n")
    rig.tiers.known.set()
    generation = await rig.model.generation()
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
    rig: Rig, start: int, end: int, typed: str, n_deltas: int
) -> None:
    """At once; the text is as the user left it."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(3, 5)
    generation = await rig.model.generation()
    if n_deltas:
        generation.write("THREE\n")
        await rig.idle()
    rig.editor.replace(start, end, typed)
    assert generation.is_stopped
    result = await running.result()
    assert result.outcome == "stopped"
    assert "your text is kept" in (result.message or "")
    assert rig.editor.text() == TEXT[:start] + typed + TEXT[end:]
    assert rig.editor.asked == []


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
    rig: Rig, start: int, end: int, typed: str
) -> None:
    """The region becomes its new text, and all that was typed stays around it."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(3, 5)
    generation = await rig.model.generation()
    rig.editor.replace(start, end, typed)
    generation.reply("THREE\nfour\nnew\n")
    assert (await running.result()).outcome == "applied"
    around = TEXT[:start] + typed + TEXT[end:]
    assert rig.editor.text() == around.replace("three\nfour\n", "THREE\nfour\nnew\n")


@pytest.mark.parametrize("text", ["one\n\ntwo\n", "one\n"])
async def test_typing_where_new_lines_were_to_stand(rig: Rig, text: str) -> None:
    """An insertion has no place any more once somebody types there."""
    rig.editor.open(text)
    running = rig.edit(4, 4)
    generation = await rig.model.generation()
    rig.editor.replace(4, 4, "x")
    assert generation.is_stopped
    assert (await running.result()).outcome == "stopped"
    assert rig.editor.text() == text[:4] + "x" + text[4:]


async def test_new_lines_move_an_insertion(rig: Rig) -> None:
    """Whole lines typed at its place leave it one."""
    rig.editor.open("one\n\ntwo\n")
    running = rig.edit(4, 4)
    generation = await rig.model.generation()
    rig.editor.replace(4, 4, "x\n")
    generation.reply("new\n")
    assert (await running.result()).outcome == "applied"
    assert rig.editor.text() == "one\nx\nnew\n\ntwo\n"


async def test_typing_in_a_blank_line_that_is_the_region(rig: Rig) -> None:
    """It has no text of its own to be touched, and still is the user's now."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(2, 3)
    generation = await rig.model.generation()
    rig.editor.replace(8, 8, "x")
    assert generation.is_stopped
    assert (await running.result()).outcome == "stopped"
    assert rig.editor.text() == TEXT[:8] + "x" + TEXT[8:]


async def test_a_client_that_sends_whole_texts(rig: Rig) -> None:
    """What changed is found out by comparison."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(3, 5)
    generation = await rig.model.generation()
    document = rig.editor.documents[URI]
    document.text = "zero\n" + TEXT
    rig.editor.tell([ContentChange(range=None, text=document.text)])
    generation.reply("THREE\nfour\n")
    assert (await running.result()).outcome == "applied"
    assert rig.editor.text() == "zero\none\ntwo\n\nTHREE\nfour\nfive\n"


async def test_typing_moves_the_preview(rig: Rig) -> None:
    """All hunks are sent again, in the coordinates of the new version."""
    rig.preview()
    rig.editor.open(TEXT)
    running = await rig.offer(3, 5, "THREE\nfour\n")
    rig.editor.type("one", "zero\n")
    await rig.idle()
    assert rig.editor.shown(running.id) == "zero\none\ntwo\n\nTHREE\nfour\nfive\n"
    assert (await rig.accept(running.id, None)).state == "accepted"
    assert rig.editor.text() == "zero\none\ntwo\n\nTHREE\nfour\nfive\n"


async def test_typing_inside_drops_an_offer(rig: Rig) -> None:
    """It was made for another text."""
    rig.preview()
    rig.editor.open(TEXT)
    running = await rig.offer(3, 5, "THREE\nfour\n")
    rig.editor.replace(10, 11, "X")
    assert running.session.state is State.STOPPED
    ended = rig.editor.previews[running.id].ended
    assert ended is not None
    assert ended.outcome == "stopped"
    with pytest.raises(UnknownSessionError):
        await rig.accept(running.id, None)


@pytest.mark.parametrize("n_deltas", [0, 1])
async def test_closing_the_document(rig: Rig, n_deltas: int) -> None:
    """The edit stops; opened again, the document is another one."""
    rig.preview()
    rig.editor.open(TEXT)
    running = rig.edit_lines(3, 5)
    generation = await rig.model.generation()
    generation.write(*["THREE\n"][:n_deltas])
    await rig.idle()
    rig.editor.close()
    assert generation.is_stopped
    rig.editor.open("other\n")
    result = await running.result()
    assert result.outcome == "stopped"
    assert "closed" in (result.message or "")
    assert rig.editor.text() == "other\n"


async def test_opening_again_without_closing(rig: Rig) -> None:
    """Counts as closing: the text may be any other."""
    rig.editor.open(TEXT)
    running = rig.edit_lines(3, 5)
    await rig.model.generation()
    rig.editor.open("other\n")
    assert (await running.result()).outcome == "stopped"


async def test_closing_drops_an_offer(rig: Rig) -> None:
    """Nothing waits for a document that is not open."""
    rig.preview()
    rig.editor.open(TEXT)
    running = await rig.offer(3, 5, "THREE\nfour\n")
    rig.editor.close()
    assert running.session.state is State.STOPPED
