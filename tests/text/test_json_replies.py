"""Replies in JSON with what JSON does not allow."""

from __future__ import annotations

import pytest
from tests.text.reply_reading import read_reply


def read(reply: str, *, language: str = "json") -> str:
    """Return the text of a range of two members, the last ones of an object."""
    found = read_reply(
        reply,
        '  "a": 1,\n  "b": 2\n',
        before="{\n",
        after="}\n",
        language=language,
    )
    return "".join(found.lines or ())


@pytest.mark.parametrize(
    "reply",
    [
        '  "a": 1,\n  # new\n  "b": [3, 4]\n',
        '  "a": 1,\n  "b": [3, 4],\n',
        '  "a": 1,\n  "b": [3, 4,], // new\n',
    ],
)
def test_comments_and_last_commas_are_removed(reply: str) -> None:
    assert read(reply) == '  "a": 1,\n  "b": [3, 4]\n'


def test_a_comment_in_place_of_a_member_is_kept() -> None:
    """So that it is no reply without the member."""
    reply = '  "c": 1,\n  // other member unchanged\n'
    assert read(reply) == reply
    assert read('  // a unchanged\n  "a": 1,\n  "b": [3, 4]\n') == (
        '  "a": 1,\n  "b": [3, 4]\n'
    )


def test_texts_are_kept() -> None:
    reply = '  "a": "x,]",\n  "b": "# 1"\n'
    assert read(reply) == reply


def test_json_with_comments_may_have_them() -> None:
    reply = '  "a": 1,\n  // why\n  "b": 3\n'
    assert read(reply, language="jsonc") == reply
