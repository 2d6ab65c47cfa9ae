"""Text is seen as the words that a person reads in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.routing.words import (
    MAX_CODE_CHARS,
    head_and_tail,
    in_words,
    words_of_code,
    words_of_prose,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("verify_password", "verify password"),
        ("verifyPassword", "verify password"),
        ("VERIFY-PASSWORD", "verify password"),
        ("VerifyPasswords(x)", "verify password x"),
        ("HTTPSession", "http session"),
        ("parseJSONBody", "parse json body"),
        ("sha256", "sha256"),
        ("sha256Sum", "sha256 sum"),
        ("2fa", "2fa"),
        ("X-Frame-Options", "x frame option"),
        ("OAuth2Token", "o auth2 token"),
        ("author's access", "author s access"),
        ("policies", "policy"),
        ("class address", "class address"),
        ("", ""),
        ("€ — …", ""),
    ],
)
def test_names_fall_into_words(text: str, words: str) -> None:
    assert in_words(text) == words


def test_words_of_two_identifiers_are_no_phrase() -> None:
    """What stands side by side in code need not belong together."""
    words = words_of_code("user.password = hash(value)")

    assert {"user", "password", "hash", "value"} <= words.known
    assert " password hash " not in words.text


def test_words_of_a_sentence_are_a_phrase() -> None:
    assert " log in twice " in words_of_prose("Log in, twice!").text


def test_a_name_is_read_once() -> None:
    assert words_of_code("name " * 1000) == words_of_code("name")


def test_the_middle_of_a_long_text_is_not_read() -> None:
    text = "head " + "x " * MAX_CODE_CHARS + "middle " + "x " * MAX_CODE_CHARS + "tail"

    assert words_of_code(text).known == {"head", "x", "tail"}


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    """Whatever is in it, all that is known also stands in the text."""
    for words in (words_of_code(text), words_of_prose(text)):
        assert all(f" {word} " in words.text for word in words.known)


@given(st.text())
def test_what_is_read_is_bounded(text: str) -> None:
    assert len(head_and_tail(text * 50)) <= MAX_CODE_CHARS + 1


@given(st.from_regex(r"[a-z_A-Z0-9 ]{0,60}", fullmatch=True))
def test_reading_words_again_changes_nothing(text: str) -> None:
    """But for a plural that had another one's ending."""
    once = in_words(text)

    assert [w.rstrip("s") for w in in_words(once).split()] == [
        w.rstrip("s") for w in once.split()
    ]
