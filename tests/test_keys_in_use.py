"""No text holds a key, whatever the key looks like and however it is written."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from redline import keys_in_use
from redline.errors import ModelRejectedError
from redline.keys_in_use import (
    MIN_KEY_CHARS,
    PART_CHARS,
    REDACTED,
    WHOLE_KEY_CHARS,
    KeyRemover,
    note_key,
    redact,
    without_known_keys,
)

HEX = "0123456789abcdef"
WORD = "".join(map(chr, range(ord("a"), ord("z") + 1)))
BASE64 = WORD + WORD.upper() + "0123456789+/"
PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))

keys = st.one_of(
    st.text(HEX, min_size=PART_CHARS, max_size=64),
    st.uuids().map(str),
    st.text(WORD + WORD.upper() + "0123456789-_.", min_size=PART_CHARS, max_size=200),
    st.builds("AIzaSy{}".format, st.text(BASE64, min_size=33, max_size=33)),
    st.lists(st.text(BASE64, min_size=20), min_size=3, max_size=3).map(".".join),
    st.text(PRINTABLE, min_size=PART_CHARS, max_size=80),
)
"""Hexadecimal, UUID, Mistral, Google, JWT, and whatever a header can carry."""

ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": str.upper,
    "lower": str.lower,
    "url": lambda key: quote(key, safe=""),
    "form": quote_plus,
    "json": lambda key: json.dumps(key)[1:-1],
    "json twice": lambda key: json.dumps(json.dumps(key)[1:-1])[1:-1],
    "json in javascript": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "repr": lambda key: repr(key)[1:-1],
    "html": html.escape,
    "hexadecimal": lambda key: key.encode().hex(),
}


@pytest.fixture(autouse=True, scope="module")
def isolated() -> Iterator[None]:
    """What is a key here, such as `00000000`, is none in other tests."""
    yield from without_keys()


@pytest.fixture
def no_keys() -> Iterator[None]:
    """Hypothesis draws keys from the words of our code, too, such as `session`."""
    yield from without_keys()


def without_keys() -> Iterator[None]:
    """Have no key known, and those of before again in the end."""
    patch = pytest.MonkeyPatch()
    patch.setattr(keys_in_use, "_known", keys_in_use._KnownKeys())
    yield
    patch.undo()


def parts(text: str) -> set[str]:
    """Every part of a key that must not be seen."""
    last = len(text) - PART_CHARS
    return {text[at : at + PART_CHARS] for at in range(last + 1)}


def known(key: str) -> str:
    """Have a key known; none that looks like what stands in for it."""
    assume(not set("[]") & set(key))
    assume("redacted" not in key.lower())
    note_key(key)
    return key


@given(key=keys, before=st.text(), after=st.text(), data=st.data())
def test_no_part_of_a_key_is_left(
    key: str, before: str, after: str, data: st.DataObject
) -> None:
    """Not in any encoding, nor in any part that is cut out of it."""
    encoding = data.draw(st.sampled_from(sorted(ENCODINGS)))
    written = ENCODINGS[encoding](known(key))
    start = data.draw(st.integers(0, len(written) - PART_CHARS))
    end = data.draw(st.integers(start + PART_CHARS, len(written)))

    clean = redact(before + written[start:end] + after)

    assert REDACTED in clean
    assert not any(part in clean for part in parts(written) | parts(key))


@given(
    key=keys,
    user=st.text(WORD, max_size=6),
    is_url_safe=st.booleans(),
    after=st.text(WORD, max_size=3),
)
def test_no_base64_of_a_key_is_left(
    key: str, user: str, is_url_safe: bool, after: str
) -> None:
    """Wherever in the encoded text the key begins: `user:key` is encoded as one."""
    known(key)
    encode = base64.urlsafe_b64encode if is_url_safe else base64.b64encode
    written = encode(f"{user}{key}{after}".encode()).decode()

    clean = redact(f"Basic auth failed: {written}")

    assert REDACTED in clean
    for at in range(len(clean) - 11):
        chunk = clean[at : at + 12]
        if set(chunk) <= set(BASE64 + "-_"):
            text = base64.urlsafe_b64decode(
                chunk.replace("+", "-").replace("/", "_")
            ).decode("latin-1")
            assert not parts(key) & parts(text)


@given(key=st.text(WORD + "0123456789", min_size=MIN_KEY_CHARS, max_size=7))
def test_a_short_key_goes_where_it_is_a_word(key: str) -> None:
    """As a part of a longer word it says nothing."""
    assume(key not in "redacted" and key != "wrong")
    note_key(key)

    assert key not in redact(f"wrong: {key}.").split()
    assert redact(f"wrong: '{key}'.") == f"wrong: '{REDACTED}'."


@pytest.mark.usefixtures("no_keys")
def test_a_text_without_a_key_is_left_as_it_is() -> None:
    """Less than a part of a key is in many words."""
    note_key("Mistral0Key1Of2Thirty3Two4Chars5")
    text = "Mistral, Key1Of2 and a Chars5 are no key."
    assert redact(text) == text


@pytest.mark.usefixtures("no_keys")
def test_a_part_that_was_there_before_is_left() -> None:
    """A long key, as a word of the code, and a short one."""
    note_key("not-needed-here")
    note_key("ollama")
    before = "key = 'not-needed-here'"
    text = "not-needed-here, needed-here+, ollama"
    assert without_known_keys(text, before=before) == (
        f"not-needed-here, needed-here+, {REDACTED}"
    )
    assert without_known_keys(text) == f"{REDACTED}, {REDACTED}+, {REDACTED}"


@given(key=keys, before=st.text(), after=st.text(), data=st.data())
def test_a_key_is_removed_however_an_answer_is_cut(
    key: str, before: str, after: str, data: st.DataObject
) -> None:
    assume(len(key) >= WHOLE_KEY_CHARS and REDACTED not in before + after)
    written = ENCODINGS[data.draw(st.sampled_from(sorted(ENCODINGS)))](known(key))
    answer = before + written + after
    size = data.draw(st.integers(1, len(answer)))
    remover = KeyRemover(lambda: "")
    pieces = [
        remover.feed(answer[at : at + size]) for at in range(0, len(answer), size)
    ]
    clean = "".join([*pieces, remover.finish()])
    assert written not in clean
    assert REDACTED in clean


def removed_from(pieces: Sequence[str], before: str = "") -> str:
    remover = KeyRemover(lambda: before)
    return "".join([*map(remover.feed, pieces), remover.finish()])


@given(
    key=keys, before=st.text(" \n"), after=st.text(" \n", min_size=1), data=st.data()
)
def test_a_half_of_a_key_is_removed_however_an_answer_is_cut(
    key: str, before: str, after: str, data: st.DataObject
) -> None:
    """Not a character of it comes first."""
    assume(len(key) >= WHOLE_KEY_CHARS)
    written = ENCODINGS[data.draw(st.sampled_from(sorted(ENCODINGS)))](known(key))
    first = data.draw(st.integers(0, len(written) - WHOLE_KEY_CHARS))
    last = data.draw(st.integers(first + WHOLE_KEY_CHARS, len(written)))
    answer = before + written[first:last] + after
    size = data.draw(st.integers(1, len(answer)))
    pieces = [answer[at : at + size] for at in range(0, len(answer), size)]
    assert removed_from(pieces) == f"{before}{REDACTED}{after}"


@given(
    key=st.text("ab01", min_size=WHOLE_KEY_CHARS, max_size=40)
    | keys.filter(lambda key: len(key) >= WHOLE_KEY_CHARS),
    data=st.data(),
)
def test_a_text_is_the_same_wherever_it_is_cut(key: str, data: st.DataObject) -> None:
    """Of parts of a key in any order, also without anything between them."""
    known(key)
    part = st.builds(
        lambda a, b: key[min(a, b) : max(a, b)],
        st.integers(0, len(key)),
        st.integers(0, len(key)),
    )
    pieces = data.draw(st.lists(part | st.text("\n ", max_size=2), max_size=8))
    text = "".join(pieces)
    before = data.draw(st.just("") | part)
    whole = removed_from([text], before)
    assert removed_from(pieces, before) == whole
    assert removed_from(list(text), before) == whole
    for at in range(len(whole) - WHOLE_KEY_CHARS + 1):
        chunk = whole[at : at + WHOLE_KEY_CHARS]
        assert chunk not in key or chunk in before


@pytest.mark.usefixtures("no_keys")
def test_what_may_begin_a_key_again_does_not_save_the_part_before_it() -> None:
    note_key("sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD")
    pieces = ["k-abcdefghijklmnopqrs", "k-ab"]
    assert removed_from(pieces) == f"{REDACTED}k-ab"


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("size", [1, 7, 5_000])
def test_a_key_without_an_end_is_not_held_back_for_ever(size: int) -> None:
    note_key("0123456789abcdef-0123456789abcdef")
    answer = "0123456789abcdef-" * 1_000
    remover = KeyRemover(lambda: "")
    pieces = [
        remover.feed(answer[at : at + size]) for at in range(0, len(answer), size)
    ]
    assert pieces.index(REDACTED) * size < 200
    assert "".join([*pieces, remover.finish()]) == REDACTED


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("size", [1, 3, 100])
def test_the_rest_of_an_answer_stays(size: int) -> None:
    """Parts of a key, and a key that the prompt has, are text of the user."""
    note_key("sk-proj-0123456789abcdef")
    note_key("a-key-of-the-users-own")
    answer = "sk-proj-012, sk-proj-0123456789abcdef, a-key-of-the-users-own. sk-proj-"
    remover = KeyRemover(lambda: "Explain a-key-of-the-users-own.")
    pieces = [
        remover.feed(answer[at : at + size]) for at in range(0, len(answer), size)
    ]
    assert "".join([*pieces, remover.finish()]) == (
        f"sk-proj-012, {REDACTED}, a-key-of-the-users-own. sk-proj-"
    )


@pytest.mark.usefixtures("no_keys")
def test_an_error_of_a_model_has_no_key() -> None:
    """Neither its sentence, nor its remedy, nor the provider's code."""
    key = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
    note_key(key)
    error = ModelRejectedError(
        f"No {key}.", model="m", code=key, remedy=f"Do not send {key}."
    )
    assert not any(
        part in text
        for part in parts(key)
        for text in (str(error), error.remedy, error.code or "", repr(error))
    )


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"),
        ("{'authorization': 'Bearer abc'}", "{'authorization': 'Bearer [redacted]'}"),
        ("bearer abc", "bearer [redacted]"),
        ("x-api-key: abc", "x-api-key: [redacted]"),
        ('"api_key": "abc", b', '"api_key": "[redacted]", b'),
        ("at https://h/?api_key=abc&x", "at https://h/?api_key=[redacted]"),
        ("got sk-proj-ABC_def-123", "got [redacted]"),
        ("sk-ant-REDACTED", "[redacted]"),
        ("gsk_0123456789", "[redacted]"),
        ("xai-0123456789", "[redacted]"),
        ("risk-averse task-list of 3", "risk-averse task-list of 3"),
        ("session 12, 2048 bytes", "session 12, 2048 bytes"),
    ],
)
def test_what_looks_like_a_key_is_removed(text: str, clean: str) -> None:
    """It may be the key of somebody else."""
    assert redact(text) == clean
    assert redact(clean) == clean
