"""A table finds its phrases whole, in its own order, and as they are written."""

from __future__ import annotations

import pytest

from redline.routing.phrases import NO_PHRASES, Phrases
from redline.routing.words import words_of_code, words_of_prose

TABLE = Phrases("""
    session id, sessions
    log in, password hash
    policies
""")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("log in with a session id", ["session id", "sessions", "log in"]),
        ("logging in", []),
        ("the session's ids", ["sessions"]),
        ("one policy", ["policies"]),
        ("login", []),
        ("", []),
    ],
)
def test_phrases_of_a_sentence(text: str, found: list[str]) -> None:
    assert TABLE.found_in(words_of_prose(text)) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("sessionId = 1", ["session id", "sessions"]),
        ("PASSWORD_HASH", ["password hash"]),
        ("password = hash(x)", []),
    ],
)
def test_phrases_of_code(code: str, found: list[str]) -> None:
    assert TABLE.found_in(words_of_code(code)) == found


def test_an_empty_table_finds_nothing() -> None:
    assert NO_PHRASES.found_in(words_of_prose("anything at all")) == []
