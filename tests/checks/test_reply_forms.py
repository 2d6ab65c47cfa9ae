"""Replies in other forms than the plain text: restored or held, never wrong."""

from __future__ import annotations

import pytest
from benchmarks.human_edits import read_edits
from benchmarks.reply_forms import (
    FOLDER,
    BadReply,
    changed_texts,
    is_good,
    outcome,
    read_in_pieces,
    read_set,
)

REPLIES = [
    pytest.param(reply, id=f"{folder.name}-{reply.name}-{reply.kind}")
    for folder in sorted(FOLDER.iterdir())
    for reply in read_set(folder)
]

UNCERTAIN = {
    # Code after the token that ends the reply.
    "go-cache:2",
    # A line that is repeated, and could be a second one.
    *("md-changes:3", "java-mail:5"),
    # Numbers before lines of which none was there before.
    "js-cart:3",
    # Tabs for the unusual indentation of a file.
    "cpp-log:5",
    # A note in parentheses.
    "php-session:6",
    # It uses a name that is not defined.
    "py-twice:1",
}
"""Replies that are held although a person can read them."""

SILENT = {"py-dates:3"}
"""A reply in Python that is cut off within its second statement, where it parses."""

N_CHANGED = 3
"""Of 400 right texts of people, those that are held or indented differently."""


@pytest.mark.parametrize("reply", REPLIES)
def test_the_range_is_restored_or_the_reply_held(reply: BadReply) -> None:
    """However the reply is cut; what is held is never offered as right."""
    result, _ = outcome(reply)
    if reply.name in UNCERTAIN | SILENT:
        assert result == ("held" if reply.name in UNCERTAIN else "silent")
    else:
        assert is_good(reply, result)
    text = reply.case.reply
    whole = read_in_pieces(reply.case, [text])
    for size in (1, 3, 7):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert read_in_pieces(reply.case, pieces) == whole


def test_right_texts_of_people_stay() -> None:
    """Functions that people changed, as replies: hardly any looks like another form."""
    changed = [name for edit in read_edits() for name in changed_texts(edit)]
    assert len(changed) <= N_CHANGED, changed
