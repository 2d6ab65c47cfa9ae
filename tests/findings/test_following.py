"""Quoted lines are followed: after any edit they are where a search finds them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs import n_runs

from redline.findings.following import ChangedLines, FollowedQuote, SearchedText
from redline.findings.quote import locate, places
from redline.text.anchor import Splice, line_splice, n_new_lines
from redline.text.document import ContentChange, Document
from redline.text.lines import split_lines
from redline.text.position import Encoding, Position, Range

N_EDITS = n_runs(60)


class Followed:
    """A document, and quotes that follow it."""

    def __init__(self, text: str, quotes: Sequence[tuple[str, int]]) -> None:
        self.document = Document(
            uri="file:///a.py",
            language_id="python",
            version=1,
            text=text,
            encoding=Encoding.UTF_32,
        )
        self.document.on_splice = self._spliced
        self.quotes = [FollowedQuote(quote, hint=hint) for quote, hint in quotes]
        self.search()

    @property
    def lines(self) -> Sequence[str]:
        return self.document.snapshot().lines

    def search(self) -> None:
        text = SearchedText(self.lines)
        for quote in self.quotes:
            if quote.is_lost:
                quote.sighted(text.search(quote.quote, hint=quote.hint))

    def edit(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        where = Range(Position(*start), Position(*end))
        change = ContentChange(range=where, text=text)
        self.document.change(self.document.version + 1, [change])

    def load(self, text: str) -> None:
        change = ContentChange(range=None, text=text)
        self.document.change(self.document.version + 1, [change])

    def _spliced(self, splice: Splice, old_lines: Sequence[str]) -> None:
        first = splice.old.start.line
        new_lines = self.document.lines_between(
            first, first + n_new_lines(splice, old_lines)
        )
        changed = ChangedLines(line_splice(splice, old_lines, new_lines), self.document)
        for quote in self.quotes:
            quote.follow(changed)


TEXT = "def f(x):\n    y = x\n\n    return y\n\n\ndef g(x):\n    return f(x)\n"


def following(quote: str, text: str = TEXT, *, hint: int = 0) -> Followed:
    return Followed(text, [(quote, hint)])


def check(followed: Followed, span: range | None) -> None:
    (quote,) = followed.quotes
    assert quote.span == span


def test_it_moves_with_lines_above() -> None:
    followed = following("    return y")
    followed.edit((0, 0), (0, 0), "import os\n\n")
    check(followed, range(5, 6))
    followed.edit((0, 0), (1, 0), "")
    check(followed, range(4, 5))


def test_lines_below_do_not_move_it() -> None:
    followed = following("    return y")
    followed.edit((4, 0), (4, 0), "# more\n")
    followed.edit((3, 12), (3, 12), "\n# more")
    check(followed, range(3, 4))


def test_typing_on_its_line_makes_it_stale_and_undo_brings_it_back() -> None:
    followed = following("    return y")
    followed.edit((3, 12), (3, 12), "y")
    check(followed, None)
    followed.edit((3, 12), (3, 13), "")
    check(followed, range(3, 4))


def test_new_indentation_and_blank_lines_do_not_matter() -> None:
    followed = following("    y = x\n\n    return y")
    followed.edit((1, 0), (1, 0), "    ")
    followed.edit((2, 0), (2, 0), "\n\n")
    check(followed, range(1, 6))
    followed.edit((2, 0), (5, 0), "")
    check(followed, range(1, 3))


def test_a_line_between_its_lines_makes_it_stale_until_it_goes() -> None:
    followed = following("    y = x\n\n    return y")
    followed.edit((2, 0), (2, 0), "    y += 1\n")
    check(followed, None)
    followed.edit((2, 0), (3, 0), "")
    check(followed, range(1, 4))


def test_lines_that_are_cut_and_put_elsewhere_are_found_there() -> None:
    followed = following("    return f(x)", hint=7)
    followed.edit((7, 0), (8, 0), "")
    check(followed, None)
    followed.edit((1, 0), (1, 0), "        return f(x)\n")
    check(followed, range(1, 2))


def test_lines_that_are_copied_before_they_go_are_found_by_a_search() -> None:
    followed = following("    return f(x)", hint=7)
    followed.edit((0, 0), (0, 0), "    return f(x)\n")
    check(followed, range(8, 9))
    followed.edit((8, 0), (9, 0), "")
    check(followed, None)
    followed.search()
    check(followed, range(0, 1))


def test_of_equal_lines_the_quoted_one_is_meant() -> None:
    """A fault that was fixed in one place is not shown in another."""
    followed = following("i += 1", "i += 1\na\ni += 1\nb\n", hint=2)
    check(followed, range(2, 3))
    followed.edit((2, 0), (2, 6), "i += 2")
    followed.search()
    check(followed, None)
    followed.edit((2, 0), (2, 6), "i += 1")
    check(followed, range(2, 3))


@pytest.mark.parametrize(
    ("start", "end", "span"),
    [
        ((0, 0), (1, 0), range(0, 1)),  # the first of two equal lines goes
        ((0, 6), (1, 6), None),  # the second one does: it was quoted
    ],
)
def test_of_equal_neighbours_the_one_that_goes_is_known(
    start: tuple[int, int], end: tuple[int, int], span: range | None
) -> None:
    followed = following("i += 1", "i += 1\ni += 1\nb\n", hint=1)
    followed.edit(start, end, "")
    check(followed, span)


def test_a_reload_that_changes_nothing_moves_nothing() -> None:
    followed = following("    return y")
    followed.load(TEXT.replace("\n", "\r\n"))
    check(followed, range(3, 4))
    assert not followed.quotes[0].is_lost


def test_a_line_feed_after_a_carriage_return_moves_nothing() -> None:
    followed = following("b", "a\rb\rc")
    followed.edit((1, 0), (1, 0), "\n")
    check(followed, range(1, 2))
    followed.edit((1, 0), (1, 1), "")
    check(followed, None)


def test_a_quote_of_blank_lines_stands_nowhere() -> None:
    followed = following("  \n")
    check(followed, None)
    followed.edit((0, 0), (0, 0), "  \n")
    assert not followed.quotes[0].is_lost


def test_another_text_is_searched() -> None:
    followed = following("    return y")
    followed.quotes[0].forget()
    check(followed, None)
    followed.search()
    check(followed, range(3, 4))


WORDS = ("a", "b = 1", "if c:", "return d", "", "  ")
"""Few lines, so that quoted ones come back, and come twice."""

_line = st.sampled_from(WORDS)
_end = st.sampled_from(("\n", "\n", "\r\n", "\r"))
_lines = st.lists(st.tuples(st.sampled_from(("", "    ")), _line, _end), max_size=12)
_place = st.tuples(st.integers(0, 14), st.integers(0, 12))


def _text(lines: Sequence[tuple[str, str, str]]) -> str:
    return "".join(map("".join, lines))


_edit = st.tuples(_place, _place, _lines.map(_text) | st.sampled_from(("x", "\n", "")))


@settings(max_examples=N_EDITS, deadline=None)
@given(
    text=_lines.map(_text),
    quotes=st.lists(
        st.lists(_line, min_size=1, max_size=3).map("\n".join), min_size=1, max_size=4
    ),
    edits=st.lists(_edit, min_size=1, max_size=12),
)
def test_they_are_where_a_search_finds_them(
    text: str,
    quotes: list[str],
    edits: list[tuple[tuple[int, int], tuple[int, int], str]],
) -> None:
    """After each edit and each undo, anchors equal newly created ones."""
    followed = Followed(text, [(quote, 0) for quote in quotes])
    for start, end, new_text in edits:
        before = followed.document.snapshot().text
        followed.edit(start, end, new_text)
        compare(followed)
        after = followed.document.snapshot().text
        followed.load(before)
        compare(followed)
        followed.load(after)
        compare(followed)


def relocated(quote: str, lines: Sequence[str], *, hint: int) -> range | None:
    """Locate a quote in the way of claims."""
    found = locate(quote, lines, hint=hint)
    if found is None or found.likeness in ("marked", "part"):
        return None
    return found.spans[0]


def compare(followed: Followed) -> None:
    followed.search()
    lines = followed.lines
    for quote in followed.quotes:
        spans = places(quote.quote, lines)
        assert quote.span is None or quote.span in spans
        if quote.is_alone and len(spans) <= 1:
            assert quote.span == relocated(quote.quote, lines, hint=0)
        if quote.is_alone:
            assert (quote.span is None) == (not spans)


@settings(max_examples=N_EDITS, deadline=None)
@given(
    text=_lines.map(_text),
    quote=st.lists(st.tuples(st.sampled_from(("", "    ")), _line), max_size=4),
    hint=st.integers(0, 12),
)
def test_a_text_is_searched_as_quotes_are(
    text: str, quote: list[tuple[str, str]], hint: int
) -> None:
    """The index finds what a search for each quote finds."""
    lines = split_lines(text)
    wanted = "\n".join(map("".join, quote))
    found = SearchedText(lines).search(wanted, hint=hint)
    assert found.n_places == len(places(wanted, lines))
    if found.n_places:
        assert found.span == relocated(wanted, lines, hint=hint)


def test_lines_that_moved_are_found_again_but_parts_of_lines_are_not() -> None:
    """Lines that are gone are gone, whatever now contains them."""
    for lines, span in (
        (["a", "b", "  x = value"], range(2, 3)),
        (["prefix_x = value_2"], None),
        (["+ x = value"], None),
    ):
        assert SearchedText(lines).search("x = value", hint=0).span == span
