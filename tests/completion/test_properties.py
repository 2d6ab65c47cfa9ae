"""What holds for any reply at any place."""

from __future__ import annotations

import ast
import io
import tokenize

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.completion.cursor_text import line_of, place_of
from tests.runs import n_runs

from redline.completion.brackets import open_in, quote_before
from redline.completion.filters import read_reply
from redline.completion.flight import Flight
from redline.completion.flights import Flights

PIECES = st.sampled_from(
    ["x", "foo", "(", ")", "[", "]", "{", "}", '"', "'", " ", "    ", "\n", "\t", ":",
     "def ", "if ", "else:", "return ", "```", "<think>", "</think>", "= ", "#", "𝄞",
     "\r\n", "<|", "|>", ",", "// "]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@settings(max_examples=n_runs(80), deadline=None)
@given(before=TEXTS, after=TEXTS, reply=TEXTS, is_invoked=st.booleans())
def test_what_is_shown_fits(
    before: str, after: str, reply: str, is_invoked: bool
) -> None:
    """It replaces only text of the cursor's line, and is never blank."""
    text = (before + "│" + after).replace("\r\n", "\n")
    place = place_of(text)
    flights = Flights()
    flight = Flight(1, line_of(text), place, started_s=0)
    flights.add(flight)
    flight.feed(reply)
    flight.end()
    look = flights.look(line_of(text), place, is_invoked=is_invoked)
    for shown in look.insertions:
        assert shown.text.strip()
        assert "\r" not in shown.text
        assert 0 <= shown.n_right <= len(place.right)
        assert 0 <= shown.n_left <= len(place.left) - len(place.left.rstrip())


@settings(max_examples=n_runs(50), deadline=None)
@given(before=TEXTS, reply=TEXTS)
def test_any_part_of_a_reply_can_be_read(before: str, reply: str) -> None:
    """A reply that is cut anywhere is read without an error."""
    place = place_of(before.replace("\r\n", "\n") + "│")
    for end in range(len(reply) + 1):
        reading = read_reply(reply[:end], place, form="line", is_whole=False)
        assert "\r" not in reading.text


@settings(max_examples=n_runs(50), deadline=None)
@given(
    reply=st.lists(st.sampled_from(["a", "b ", "(", ")", "\n    ", "="]), min_size=1),
    n_typed=st.integers(0, 30),
)
def test_typing_along_leaves_the_rest(reply: list[str], n_typed: int) -> None:
    """What was typed and what is left are the text."""
    text = "def f():\n    x = │"
    place = place_of(text)
    flight = Flight(1, 1, place, started_s=0, form="insertion")
    flight.feed("".join(reply))
    flight.end()
    whole = flight.reading.text
    typed = whole[:n_typed]
    now = place_of("def f():\n    x = " + typed + "│")
    found = flight.rest(1 + typed.count("\n"), now)
    assert found is not None
    assert getattr(found, "text", None) == whole[n_typed:]


def test_a_long_rest_of_a_line_costs_little() -> None:
    """Such as that of a minified file: quadratic work would not end in time."""
    place = place_of("let a = f(│" + "b(c, 'd'); " * 400_000)
    flights = Flights()
    flight = Flight(1, line_of("let a = f(│"), place, started_s=0)
    flights.add(flight)
    flight.feed("x, y);")
    flight.end()
    look = flights.look(line_of("let a = f(│"), place, is_invoked=True)
    assert all(len(shown.text) < 10 for shown in look.insertions)


def is_expression(text: str) -> bool:
    """Whether Python reads a text as an expression."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def is_complete(line: str) -> bool:
    """Whether Python's tokenizer reads a line to its end."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line + "\n").readline))
    except (tokenize.TokenError, SyntaxError):
        return False
    return all(token.type != tokenize.ERRORTOKEN for token in tokens)


STRINGS = (
    st.tuples(
        st.sampled_from(["", "", "r", "b", "Rb", "u"]),
        st.sampled_from(['"', "'", '"""', "'''"]),
        st.lists(st.sampled_from(["a", " ", '"', "'", "\\", '\\"', "#", "'''", '"""'])),
    )
    .map(lambda parts: f"{parts[0]}{parts[1]}{''.join(parts[2])}{parts[1]}")
    .filter(is_expression)
)
CODE_LINES = st.builds(
    str.format,
    st.sampled_from(
        ["x = {}", "f({}, {})", "elif {} in x:", "return {} {}", "{}", "x > {}  # {}",
         "yield {} + {}", "pass  # it's {}"]
    ),
    STRINGS,
    STRINGS,
).filter(is_complete)  # fmt: skip


@settings(max_examples=n_runs(100), deadline=None)
@given(st.lists(CODE_LINES, min_size=1, max_size=4))
def test_complete_strings_leave_nothing_open(lines: list[str]) -> None:
    """Whatever their quotes, prefixes, escapes and comments are."""
    assert quote_before(lines, "python") == ""
    assert open_in(lines, "python").quote == ""


@given(st.text(alphabet="()[]{}", max_size=16))
def test_brackets_are_the_same_in_one_line_and_in_many(brackets: str) -> None:
    assert open_in([brackets], "python") == open_in(list(brackets), "python")


@settings(max_examples=n_runs(50), deadline=None)
@given(
    st.lists(CODE_LINES, max_size=3),
    st.sampled_from(["'''", '"""']),
)
def test_the_end_of_a_long_string_is_found(lines: list[str], mark: str) -> None:
    """Behind complete strings, and before code with more of them."""
    ending = f"    It's the end.{mark}"
    assert quote_before([ending, *lines], "python") == mark
