"""Secrets are restored in the text of a reply, and in no words for the user."""

from __future__ import annotations

import pytest

from redline.assist.edit.attempts.reply_reader import RestoringReader
from redline.prompts.redaction import SecretTable
from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

SECRET = "correcthorsebatterystaple99"
TABLE = SecretTable(secrets=(SECRET,))


def read(reply: str) -> Reply:
    parser = ReplyParser(format="rewrite", target_lines=["x = 1\n"], language="python")
    reader = RestoringReader(parser, TABLE)
    for char in reply:
        reader.feed(char)
    return reader.finish()


@pytest.mark.parametrize("written", ["REDLINE_SECRET_000000", SECRET])
def test_a_reason_has_no_secret(written: str) -> None:
    """Whether the model repeats the placeholder or knows the secret from elsewhere."""
    declined = read(f"NO CHANGE: the password is {written} already.").declined
    assert declined == "the password is [secret] already."


def test_the_text_has_it() -> None:
    """As it was."""
    assert read('x = "REDLINE_SECRET_000000"\n').lines == (f'x = "{SECRET}"\n',)


def test_a_reason_without_secrets_stays() -> None:
    assert read("NO CHANGE: it is right.").declined == "it is right."
