"""Regions: whole lines that hunks are placed in, whatever is typed around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from redline.text.anchor import Anchor
from redline.text.document import ContentChange, Document
from redline.text.line_diff import LineHunk, apply_hunks, diff_lines
from redline.text.lines import split_lines, strip_end
from redline.text.position import Encoding, Position, Range, text_in
from redline.text.region import (
    Landing,
    Region,
    TextEdit,
    end_of_new_lines,
    expect_landing,
    n_covered,
    overlap,
    place,
    region_at,
    whole_lines,
    widen,
)
from redline.text.streaming_diff import Hunk

MakeDocument = Callable[[str], Document]

WORDS = st.sampled_from(["a", "b", "  a", "é\u2028", "x\x0cy", ""])
NEW_LINES = st.lists(WORDS.map(lambda word: word + "\n"), max_size=5)
TEXTS = st.builds(
    lambda lines, last: "".join(lines) + last, NEW_LINES, st.sampled_from(["", "b"])
)


def at(text: str, offset: int) -> Position:
    """Turn an offset into a position, the slow way."""
    lines = split_lines(text[:offset])
    return Position(len(lines) - 1, len(lines[-1]))


def document_of(text: str) -> Document:
    return Document(
        uri="file:///a.py",
        language_id="python",
        version=1,
        text=text,
        encoding=Encoding.UTF_32,
    )


def put(document: Document, edits: Sequence[TextEdit]) -> None:
    """Apply edits as a client does: all of them are made for the text before."""
    changes = [ContentChange(range=e.range, text=e.new_text) for e in reversed(edits)]
    document.change(document.version + 1, changes)


def type_text(document: Document, start: int, end: int, text: str) -> None:
    """Replace what is between two offsets."""
    whole = document.snapshot().text
    replaced = Range(at(whole, start), at(whole, end))
    document.change(document.version + 1, [ContentChange(range=replaced, text=text)])


@pytest.mark.parametrize(
    ("text", "selection", "first", "lines"),
    [
        # Whole lines, and parts of them.
        ("a\nb\nc\n", ((0, 0), (1, 0)), 0, ["a\n"]),
        ("a\nb\nc\n", ((0, 1), (1, 1)), 0, ["a\n", "b\n"]),
        ("abc\n", ((0, 1), (0, 2)), 0, ["abc\n"]),
        ("a\nb\n", ((0, 1), (1, 0)), 0, ["a\n"]),
        ("a\nb", ((1, 0), (1, 1)), 1, ["b"]),
        ("a\r\nb\r\n", ((1, 0), (2, 0)), 1, ["b\r\n"]),
        ("a\n\nb\n", ((1, 0), (2, 0)), 1, ["\n"]),
        # To the end of a document that ends with a line end.
        ("a\nb\n", ((0, 0), (2, 0)), 0, ["a\n", "b\n"]),
        # Places: before a line, after one, and on a blank one.
        ("a\nb\n", ((1, 0), (1, 0)), 1, []),
        ("a\nb\n", ((0, 1), (0, 1)), 1, []),
        ("a\n  \nb\n", ((1, 2), (1, 2)), 1, []),
        ("a\nb", ((1, 1), (1, 1)), 2, []),
        ("a\n", ((1, 0), (1, 0)), 1, []),
        ("", ((0, 0), (0, 0)), 0, []),
    ],
)
def test_selections_are_widened_to_whole_lines(
    text: str,
    selection: tuple[tuple[int, int], tuple[int, int]],
    first: int,
    lines: list[str],
) -> None:
    """An empty one becomes a place between lines."""
    start, end = selection
    region = widen(split_lines(text), Range(Position(*start), Position(*end)))
    assert (region.first, list(region.lines)) == (first, lines)
    assert region.text == "".join(lines)


@given(text=TEXTS, data=st.data())
def test_a_region_holds_its_selection(text: str, data: st.DataObject) -> None:
    """No selected text is left out, and the anchor is on the region's own text."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    lines = split_lines(text)
    region = widen(lines, Range(at(text, start), at(text, end)))
    if start < end:
        before = "".join(lines[: region.first])
        assert len(before) <= start
        assert end <= len(before) + len(region.text)
        assert text_in(lines, region.range) == region.anchored_text
        assert region.text.removeprefix(region.anchored_text) in ("", "\n")
    else:
        assert region.lines == ()
        assert region.range.is_empty


class Case:
    """A document with a region, and what a model makes of it."""

    def __init__(self, text: str, first: int, n_lines: int, new: Sequence[str]) -> None:
        lines = split_lines(text)
        self.lines = lines
        last = first + n_lines - 1
        if n_lines:
            self.region = whole_lines(lines, first, last)
        else:
            self.region = widen(lines, Range(Position(first, 0), Position(first, 0)))
        self.new = list(new)
        if n_lines and last == len(lines) - 1 and self.new:
            # As the parser does: no final line end where there was none.
            self.new[-1] = strip_end(self.new[-1])
        self.before = "".join(lines[:first])
        self.after = "".join(lines[first + n_lines :])
        self.document = document_of(text)
        self.anchor = self.document.anchor(self.region.range)

    def edits(self, changes: Sequence[LineHunk]) -> list[TextEdit]:
        now = self.document.snapshot().lines
        start = self.anchor.range.start
        return [place(c, start, self.region, now) for c in changes]


@st.composite
def cases(draw: st.DrawFn, *, min_lines: int = 0) -> Case:
    text = draw(TEXTS)
    n_in_all = len(split_lines(text)) - text.endswith("\n") - (not text)
    first = draw(st.integers(0, max(0, n_in_all - min_lines)))
    n_lines = draw(st.integers(min(min_lines, n_in_all), n_in_all - first))
    return Case(text, first, n_lines, draw(NEW_LINES))


@given(case=cases(min_lines=1), data=st.data())
def test_hunks_are_placed_whatever_is_typed_around(
    case: Case, data: st.DataObject
) -> None:
    """The region becomes its new text; what was typed outside stays as it is."""
    if not case.region.lines:
        return
    changes = diff_lines(case.region.lines, case.new)
    changes = [c for c in changes if data.draw(st.booleans())]
    before, after = case.before, case.after
    for _ in range(data.draw(st.integers(0, 3))):
        typed = data.draw(TEXTS)
        if data.draw(st.booleans()):
            start = data.draw(st.integers(0, len(before)))
            end = data.draw(st.integers(start, len(before)))
            type_text(case.document, start, end, typed)
            before = before[:start] + typed + before[end:]
        elif after:
            # The region's own last line end is in its last line, not after it.
            offset = len(before) + len(case.region.text)
            start = data.draw(st.integers(0, len(after)))
            end = data.draw(st.integers(start, len(after)))
            type_text(case.document, offset + start, offset + end, typed)
            after = after[:start] + typed + after[end:]
    assert not case.anchor.is_touched
    put(case.document, case.edits(changes))
    landed = "".join(apply_hunks(case.region.lines, changes))
    assert case.document.snapshot().text == before + landed + after


@given(case=cases())
@example(case=Case("b", 0, 0, ["x\n"]))
@example(case=Case("", 0, 0, ["x\n"]))
def test_landing_is_seen_exactly_when_it_has(case: Case) -> None:
    """Not in the text before, and in the text after."""
    changes = diff_lines(case.region.lines, case.new)
    if not changes:
        return
    edits = case.edits(changes)
    landing = expect_landing(case.lines, edits)
    around = case.document.anchor(landing.range)
    assert not is_seen(landing, case.document, around)
    put(case.document, edits)
    assert (
        landing.n_lines_moved(case.document.snapshot().lines, around.range) is not None
    )


def is_seen(landing: Landing, document: Document, around: Anchor) -> bool:
    """Whether a document shows that edits have landed."""
    lines = document.snapshot().lines
    return landing.n_lines_moved(lines, around.range) is not None


def text_with(lines: Sequence[str], edits: Sequence[TextEdit]) -> str:
    """Return a text with edits."""
    document = document_of("".join(lines))
    put(document, edits)
    return document.snapshot().text


def n_common(one: str, other: str) -> int:
    """Count the characters that two texts begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    least = min(len(one), len(other))
    return next((at for at, (a, b) in pairs if a != b), least)


@given(case=cases(), is_end_first=st.booleans())
@example(case=Case("@a\nx\n@a\ny\n", 2, 0, ["@a\n", "z\n"]), is_end_first=False)
@example(case=Case("@a\nx\n@a\ny\n", 2, 0, ["z\n", "@a\n"]), is_end_first=True)
@example(case=Case("a\nb\n", 1, 0, ["b\n"]), is_end_first=False)
def test_landing_is_seen_in_the_smallest_difference(
    case: Case, is_end_first: bool
) -> None:
    """Some editors report that, which may be beside the place of the edit."""
    changes = diff_lines(case.region.lines, case.new)
    if not changes:
        return
    edits = case.edits(changes)
    landing = expect_landing(case.lines, edits)
    around = case.document.anchor(landing.range)
    old, new = "".join(case.lines), text_with(case.lines, edits)
    least = min(len(old), len(new))
    if is_end_first:
        n_end = n_common(old[::-1], new[::-1])
        n_start = min(n_common(old, new), least - n_end)
    else:
        n_start = n_common(old, new)
        n_end = min(n_common(old[::-1], new[::-1]), least - n_start)
    changed = new[n_start : len(new) - n_end]
    type_text(case.document, n_start, len(old) - n_end, changed)
    assert case.document.snapshot().text == new
    assert is_seen(landing, case.document, around)


@given(case=cases(), data=st.data(), typed=TEXTS)
def test_landing_is_not_seen_in_what_is_typed_elsewhere(
    case: Case, data: st.DataObject, typed: str
) -> None:
    """Not even where lines repeat, and also when it comes together with typing."""
    changes = diff_lines(case.region.lines, case.new)
    if not changes:
        return
    edits = case.edits(changes)
    landing = expect_landing(case.lines, edits)
    around = case.document.anchor(landing.range)
    ends = list(accumulate((len(line) for line in case.lines), initial=0))
    last = landing.range.end.line
    n_after = ends[-1] - ends[last + 1]
    n_text = ends[-1]
    above = data.draw(st.integers(0, ends[landing.range.start.line]))
    if landing.range.start.line == 0 or not typed.endswith("\n"):
        above = -1
    if n_after:
        offset = data.draw(st.integers(n_text - n_after, n_text))
        type_text(case.document, offset, offset, typed)
    if above >= 0:
        # Whole lines, so that those around the edits are not joined with others.
        line = data.draw(st.integers(0, landing.range.start.line))
        type_text(case.document, ends[line], ends[line], typed)
    # What is typed may be the edit itself.
    assume(case.document.snapshot().text != text_with(case.lines, edits))
    assert not is_seen(landing, case.document, around)
    first = 0 if landing.is_at_start else around.range.start.line
    shift = first - landing.range.start.line
    moved = [
        TextEdit(
            range=Range(
                Position(e.range.start.line + shift, e.range.start.character),
                Position(e.range.end.line + shift, e.range.end.character),
            ),
            new_text=e.new_text,
        )
        for e in edits
    ]
    put(case.document, moved)
    assert (
        landing.n_lines_moved(case.document.snapshot().lines, around.range) is not None
    )


@pytest.mark.parametrize("typed_at", [0, 1, -1])
def test_landing_is_seen_beside_typing_on_the_lines_around(typed_at: int) -> None:
    """A client may send both together."""
    case = Case("one\ntwo\nthree\n", 1, 1, ["TWO\n", "more\n"])
    edits = case.edits(diff_lines(case.region.lines, case.new))
    landing = expect_landing(case.lines, edits)
    around = case.document.anchor(landing.range)
    type_text(case.document, typed_at % 14, typed_at % 14, "x")
    assert not is_seen(landing, case.document, around)
    put(case.document, edits)
    assert (
        landing.n_lines_moved(case.document.snapshot().lines, around.range) is not None
    )


@given(case=cases(min_lines=1), data=st.data())
def test_a_landed_region_takes_the_rest(case: Case, data: st.DataObject) -> None:
    """After some hunks have landed, what stands there is a region of its own."""
    if not case.region.lines:
        return
    changes = diff_lines(case.region.lines, case.new)
    some = [c for c in changes if data.draw(st.booleans())]
    put(case.document, case.edits(some))
    lines = tuple(apply_hunks(case.region.lines, some))
    region = region_at(case.region.range.start, lines)
    assert region.lines == lines
    now = case.document.snapshot().lines
    assert text_in(now, region.range) == region.anchored_text
    assert case.before + region.text + case.after == case.document.snapshot().text


def test_the_text_that_an_anchor_covers() -> None:
    """All but the last line's end, which an empty last line does not have."""
    start = Position(0, 0)
    assert region_at(start, ("a\n", "b\r\n")).anchored_text == "a\nb"
    assert region_at(start, ("a\n", "b")).anchored_text == "a\nb"
    assert region_at(start, ("a\n", "")).anchored_text == "a\n"
    assert region_at(start, ("\n",)).anchored_text == ""
    assert region_at(start, ()).anchored_text == ""


def test_a_region_that_begins_inside_a_line() -> None:
    """Typing at the start border moves it to the middle of its line."""
    region = region_at(Position(3, 2), ("abc\n",))
    assert region.range == Range(Position(3, 2), Position(3, 5))
    longer = region_at(Position(3, 2), ("abc\n", "d\n"))
    assert longer.range == Range(Position(3, 2), Position(4, 1))
    assert region_at(Position(3, 2), ()) == Region(
        first=3, lines=(), range=Range(Position(3, 2), Position(3, 2))
    )


@pytest.mark.parametrize(
    ("text", "place_at", "expected"),
    [
        # After the last line, which has no end: the document still has none after.
        ("a", (0, 1), "a\nnew"),
        ("a\r\nb", (1, 1), "a\r\nb\r\nnew"),
        # After any other line, before one, in an empty document.
        ("a\nb\n", (0, 1), "a\nnew\nb\n"),
        ("a\nb\n", (0, 0), "new\na\nb\n"),
        ("a\n", (1, 0), "a\nnew\n"),
        ("", (0, 0), "new\n"),
        # A byte order mark stays the first character.
        ("\ufeffa\nb\n", (0, 0), "\ufeffnew\na\nb\n"),
        ("\ufeffa\nb\n", (0, 1), "\ufeffnew\na\nb\n"),
        ("\ufeffa\nb\n", (0, 2), "\ufeffa\nnew\nb\n"),
    ],
)
def test_insertions(text: str, place_at: tuple[int, int], expected: str) -> None:
    """New lines stand on lines of their own; no other line changes."""
    lines = split_lines(text)
    where = Position(*place_at)
    region = widen(lines, Range(where, where))
    end = end_of_new_lines(lines, region.first)
    hunk = LineHunk(start=0, end=0, lines=(f"new{end}",))
    edit = place(hunk, region.range.start, region, lines)
    document = document_of(text)
    put(document, [edit])
    assert document.snapshot().text == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (range(1, 3), range(2, 4), True),
        (range(1, 3), range(3, 4), False),
        (range(1, 4), range(2, 3), True),
        # A blank last line is a line like any other.
        (range(0, 3), range(2, 3), True),
        # Places: inside, at either border, at one place.
        (range(1, 3), range(2, 2), True),
        (range(1, 3), range(1, 1), False),
        (range(1, 3), range(3, 3), False),
        (range(2, 2), range(2, 2), True),
        (range(2, 2), range(3, 3), False),
    ],
)
def test_overlap(one: range, other: range, *, expected: bool) -> None:
    """Sharing a line, or being a place strictly inside; the same from both sides."""
    assert overlap(one, other) is expected
    assert overlap(other, one) is expected


def test_new_lines_end_like_the_lines_around() -> None:
    """The majority near the place decides; far away lines are not even looked at."""
    lines = ["a\n"] * 5_000 + ["b\r\n"] * 5_000
    assert end_of_new_lines(lines, 100) == "\n"
    assert end_of_new_lines(lines, 9_900) == "\r\n"
    assert end_of_new_lines(lines, 10_000) == "\r\n"
    assert end_of_new_lines([""], 0) == "\n"
    assert end_of_new_lines(["a\r", "b\n", "c\r", "d"], 3) == "\r"


def hunk(hunk_id: int, start: int, n_lines: int, *, is_open: bool = False) -> Hunk:
    """An insertion."""
    lines = tuple(f"new {n}\n" for n in range(n_lines))
    return Hunk(
        id=hunk_id,
        start=start,
        end=start,
        lines=lines,
        state="growing",
        is_open=is_open,
    )


@pytest.mark.parametrize(
    ("n_lines", "old", "others", "expected"),
    [
        (2, "a\nb\nc\nd\n", [], 2),
        (9, "a\nb\nc\nd\n", [], 3),
        (9, "a\nb\nc\nd", [], 2),
        (9, "a\nb\nc\nd\n", [hunk(2, 0, 1), hunk(3, 3, 1)], 2),
        (9, "a\nb\nc\nd\n", [hunk(2, 1, 1)], 0),
        (9, "a\n", [], 0),
    ],
)
def test_what_an_open_hunk_covers(
    n_lines: int, old: str, others: list[Hunk], expected: int
) -> None:
    """A line for each of its own, up to the next hunk and the end of the region."""
    lines = split_lines(old)
    lines = lines if lines[-1] else lines[:-1]
    opened = hunk(1, 1, n_lines, is_open=True)
    starts = sorted(each.start for each in (*others, opened))
    assert n_covered(opened, starts, lines) == expected
    assert n_covered(hunk(1, 1, n_lines), starts, lines) == 0
