"""Secrets are restored in the text of a reply, and in no words for the user."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from redline.assist.edit.attempts.reply_reader import ReplyReader, RestoringReader
from redline.prompts.redaction import SecretTable
from redline.text.edit_parts import EditPart
from redline.text.marked_ranges import RangeMarkers
from redline.text.range_replies import RangeReplyParser
from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

SECRET = "correcthorsebatterystaple99"
TABLE = SecretTable(secrets=(SECRET,))


def rewrite_reader(lines: Sequence[str]) -> ReplyParser:
    return ReplyParser(format="rewrite", target_lines=lines, language="python")


def read(reply: str, parser: ReplyReader | None = None) -> Reply:
    reader = RestoringReader(parser or rewrite_reader(["x = 1\n"]), TABLE)
    for char in reply:
        reader.feed(char)
    return reader.finish()


@pytest.mark.parametrize("written", ["REDLINE_SECRET_000000", SECRET])
def test_a_reason_has_no_secret(written: str) -> None:
    """Whether the model repeats the placeholder or knows the secret from elsewhere."""
    declined = read(f"NO CHANGE: the password is {written} already.").declined
    assert declined == "the password is [secret] already."


@pytest.mark.parametrize("written", ["REDLINE_SECRET_000000", SECRET])
def test_a_reason_for_one_of_several_ranges_has_no_secret(written: str) -> None:
    lines = ["x = 1\n", "\n", "y = 1\n"]
    parser = RangeReplyParser(
        lines=lines,
        parts=(EditPart(start=0, end=1), EditPart(start=2, end=3)),
        make_reader=lambda part: rewrite_reader(lines[part.start : part.end]),
        markers=RangeMarkers.for_text(lines),
    )
    reply = read(
        "<<<<<<< RANGE 1\nx = 2\n>>>>>>> RANGE 1\n"
        f"<<<<<<< RANGE 2\nNO CHANGE: it is {written}.\n>>>>>>> RANGE 2\n",
        parser,
    )
    assert reply.lines == ("x = 2\n", "\n", "y = 1\n")
    assert reply.left == "Range 2 is unchanged: it is [secret]."


def test_the_text_has_it() -> None:
    """As it was."""
    assert read('x = "REDLINE_SECRET_000000"\n').lines == (f'x = "{SECRET}"\n',)


def test_a_reason_without_secrets_stays() -> None:
    assert read("NO CHANGE: it is right.").declined == "it is right."
