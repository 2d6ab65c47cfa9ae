"""A `redline:` comment is gone from the reply, whatever the model does with it."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assist.conftest import EditHarness

from redline.assist.actions.comment import instruction_at, range_of_comment
from redline.assist.edit.attempts.reply_reader import CommentRemovingReader
from redline.text.instruction_comment import read_comment
from redline.text.lines import split_lines
from redline.text.position import Range
from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

ONE = "x = 1\n    # redline: add a line\ny = 2\n"
TWO = "x = 1\n# redline: add a line\n# below\n# redline\ny = 2\n"
BESIDE = "x = 1  # redline: make it 2\ny = 2\n"
BLOCK = "a;\n/* redline: add\n * b\n */\nc;\n"


def comment_in(text: str) -> Range:
    """Where the comment of a text is."""
    lines = split_lines(text)
    (comment,) = dict.fromkeys(
        found
        for n in range(len(lines))
        if (found := instruction_at(lines, n)) is not None
    )
    return range_of_comment(lines, comment)


def read(target: str, pieces: list[str]) -> tuple[list[str], Reply]:
    """Read a reply; returns what it had while it came, and the whole."""
    lines = split_lines(target)
    comment = read_comment(lines, comment_in(target))
    parser = ReplyParser(
        format="rewrite", target_lines=lines, line_end="\n", language="python"
    )
    reader = CommentRemovingReader(parser, comment)
    streamed = [line for piece in pieces for line in reader.feed(piece)]
    return streamed, reader.finish()


@pytest.mark.parametrize(
    ("target", "left", "expected"),
    [
        (ONE, ONE, "x = 1\ny = 2\n"),
        (ONE, "x = 1\ny = 2\n", "x = 1\ny = 2\n"),
        (ONE, f"{ONE}z = 3\n", "x = 1\ny = 2\nz = 3\n"),
        (TWO, TWO, "x = 1\ny = 2\n"),
        (TWO, TWO.replace("# below\n# redline\n", ""), "x = 1\ny = 2\n"),
        (TWO, f"{TWO}# below\n", "x = 1\ny = 2\n# below\n"),
        (BESIDE, BESIDE, "x = 1\ny = 2\n"),
        (BESIDE, "x = 2\ny = 2\n", "x = 2\ny = 2\n"),
        (BLOCK, BLOCK, "a;\nc;\n"),
        # Another comment for Redline is not this one's.
        (ONE, f"{ONE}# redline: more\n", "x = 1\ny = 2\n# redline: more\n"),
    ],
)
def test_what_the_model_left_of_it(target: str, left: str, expected: str) -> None:
    """All of the comment goes, and nothing else."""
    streamed, reply = read(target, [left])
    assert reply.lines is not None
    assert "".join(reply.lines) == expected
    assert list(reply.lines[: len(streamed)]) == streamed


@given(cuts=st.lists(st.integers(0, len(TWO)), max_size=12))
def test_any_pieces(cuts: list[int]) -> None:
    """Wherever the reply is cut, it never shows the comment."""
    places = sorted({0, *cuts, len(TWO)})
    pieces = [TWO[a:b] for a, b in itertools.pairwise(places)]
    streamed, reply = read(TWO, pieces)
    assert "".join(reply.lines or ()) == "x = 1\ny = 2\n"
    assert streamed == list(reply.lines or ())[: len(streamed)]


async def test_an_instruction_of_its_own_keeps_the_comment(
    harness: EditHarness,
) -> None:
    """The same words, but it was not the comment that asked."""
    harness.editor.open(ONE)
    running = harness.edit_lines(0, 3, instruction="add a line")
    generation = await harness.model.generation()
    assert (
        "Remove that comment." not in generation.request.prompt.chat_messages[-1].text
    )
    generation.reply(f"{ONE}z = 3\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == f"{ONE}z = 3\n"


def test_problems_stay_at_their_lines() -> None:
    """They name lines by number."""
    fenced = "x = 1\n# redline: add a line\n```\ny = 2\n"
    target = "x = 1\n# redline: add a line\ny = 2\nz = 3\n"
    _, reply = read(target, [fenced])
    assert reply.lines is not None
    (problem,) = [each for each in reply.problems if each.line is not None]
    assert reply.lines[problem.line or 0] == "```\n"


async def test_an_edit_never_keeps_it(harness: EditHarness) -> None:
    """From end to end: the model has left everything as it was, and added a line."""
    harness.editor.open(ONE)
    running = harness.edit_lines(0, 3, "add a line", from_comment=comment_in(ONE))
    generation = await harness.model.generation()
    assert "Remove that comment." in generation.request.prompt.chat_messages[-1].text
    generation.reply(f"{ONE}z = 3\n")
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "x = 1\ny = 2\nz = 3\n"


async def test_a_redirect_from_a_comment_removes_it(harness: EditHarness) -> None:
    """The comment goes with the instruction that it gave, not with the one before."""
    harness.editor.open(ONE)
    running = harness.edit_lines(0, 3, "add a docstring")
    await harness.model.generation()
    redirect = asyncio.ensure_future(
        harness.edits.redirects.redirect(
            running.session, "add a line", from_comment=comment_in(ONE)
        )
    )
    generation = await harness.model.generation(1)
    assert (await redirect).is_accepted
    assert "Remove that comment." in generation.request.prompt.chat_messages[-1].text
    generation.reply(ONE)
    assert (await running.result()).outcome == "applied"
    assert harness.editor.text() == "x = 1\ny = 2\n"
