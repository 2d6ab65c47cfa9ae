"""Tokens are never undercounted, and each line is counted once."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import Encoding

from redline.prompts import tokens
from redline.prompts.tokens import (
    TokenCounter,
    count_lines,
    most_tokens,
    n_bytes_of,
)

STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = ["argparse.py", "json/decoder.py", "asyncio/tasks.py", "heapq.py", "token.py"]

LINES = st.text(
    st.sampled_from("  \t\n\r\x0c\u2028abqzZQ9_(){};/\"'.=é漢\U0001f600")
    | st.characters()
)


@given(text=LINES, spaces=st.integers(0, 200))
def test_the_estimate_is_never_under(
    text: str, spaces: int, encoding: Encoding
) -> None:
    """Whatever the text, its bytes stand above its tokens."""
    text = " " * spaces + text
    assert TokenCounter().count(text) >= len(encoding.encode_ordinary(text))


@given(text=LINES, is_loaded=st.booleans())
def test_no_count_is_above_the_bytes(
    text: str, is_loaded: bool, encoding: Encoding
) -> None:
    """So a text whose bytes have room needs no count."""
    counter = TokenCounter()
    if is_loaded:
        counter.learn(count_lines(text.splitlines(keepends=True), _exact(encoding)))
    assert counter.about(text) <= n_bytes_of(text)
    assert counter.count(text) <= n_bytes_of(text)


@pytest.mark.parametrize("end", ["", "x", "\n", "\r\n", "\tx", "\u3000", " "])
def test_every_width_of_indentation_is_bounded(end: str, encoding: Encoding) -> None:
    """A run of spaces is one token only up to a length, and splits before a word."""
    for n_spaces in range(200):
        line = " " * n_spaces + end
        assert most_tokens(line) >= len(encoding.encode_ordinary(line)), n_spaces


def test_indentation_costs_little() -> None:
    """A deep line is not estimated by the spaces in front of it."""
    assert most_tokens(" " * 40 + "x = 1\n") < 10


@pytest.mark.parametrize("name", FILES)
def test_counting_by_line_is_close(name: str, encoding: Encoding) -> None:
    """The sum over the lines is at most a few percent above the whole."""
    text = (STDLIB / name).read_text(encoding="utf-8")
    counter = TokenCounter()
    counter.learn(count_lines(counter.unknown(text), _exact(encoding)))
    whole = len(encoding.encode_ordinary(text))
    assert whole <= counter.count(text) <= whole * 1.05


def test_loading_makes_counts_exact() -> None:
    """An estimate that was given before is not remembered after."""
    counter = TokenCounter()
    line = "hello world\n"
    assert counter.count(line) == len(line)
    counter.load()
    assert counter.count(line) == 3
    assert counter.unknown(line) == []
    counter.load()
    assert counter.count(line * 3) == 9


def test_counts_can_be_learnt_from_elsewhere() -> None:
    """What another process has counted replaces the estimate, line by line."""
    counter = TokenCounter()
    text = "one line\nanother\none line\n"
    assert counter.unknown(text) == ["one line\n", "another\n"]
    counter.learn({"one line\n": 3})
    assert counter.unknown(text) == ["another\n"]
    assert counter.count(text) == 3 + len("another\n") + 3


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that are not asked for any more are forgotten, others stay."""
    monkeypatch.setattr(tokens, "MAX_LINES", 4)
    counter = TokenCounter()
    counter.learn({"kept\n": 1})
    for n in range(40):
        counter.learn({f"line {n}\n": 1})
        assert counter.count("kept\n") == 1
    assert len(counter.unknown("".join(f"line {n}\n" for n in range(40)))) >= 32
    assert counter.unknown("kept\n") == []


def test_half_characters_are_counted() -> None:
    """An editor may send half of a surrogate pair; it is counted, not refused."""
    counter = TokenCounter()
    assert counter.count("\ud83d") == 3
    counter.load()
    assert counter.count("\ud83d\n") >= 1


def _exact(encoding: Encoding) -> tokens.ExactCount:
    return lambda text: len(encoding.encode_ordinary(text))


def test_a_guess_is_about_right_until_the_count_is_known(encoding: Encoding) -> None:
    """Mostly above what code takes, and not far off; then exact, line by line."""
    counter = TokenCounter()
    for name in FILES:
        text = (STDLIB / name).read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        exact = count_lines(lines, lambda line: len(encoding.encode_ordinary(line)))
        n_tokens = sum(exact[line] for line in lines)
        assert n_tokens * 0.8 <= counter.about(text) <= n_tokens * 1.8
        counter.learn(exact)
        assert counter.about(text) == n_tokens
        assert counter.about(lines[0]) == exact[lines[0]]


def test_a_counter_with_the_encoding_does_not_guess(encoding: Encoding) -> None:
    """Both ways of counting are the same then."""
    counter = TokenCounter()
    counter.load()
    text = "def f(été):\n    return été\n"
    assert counter.about(text) == counter.count(text)
    assert counter.about(text) == counter.count(text)
