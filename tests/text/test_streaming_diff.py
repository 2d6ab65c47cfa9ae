"""The line diff of a text that is still being written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.errors import LocalProtocolError
from redline.text import streaming_diff as module
from redline.text.line_diff import LineHunk, apply_hunks, diff_lines
from redline.text.streaming_diff import Hunk, StreamingDiff, Update

LINES = [f"{letter}_line\n" for letter in "abcdefgh"] + ["\n", "}\n", "crlf\r\n", "cut"]

some_lines = st.lists(st.sampled_from(LINES), max_size=14)


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Draw an old text and one that is made of its parts and of further lines."""
    old = draw(st.lists(st.sampled_from(LINES), max_size=24))
    old += [f"{n}_only\n" for n in range(draw(st.integers(0, 8)))]
    new: list[str] = []
    places = st.integers(0, len(old))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(places)
        new += old[start : draw(places)]
        new += draw(st.lists(st.sampled_from([*LINES, "new\n"]), max_size=4))
    return old, new


texts = st.one_of(st.tuples(some_lines, some_lines), edits())

_FUNCTION = ["def f()\n", "  first()\n", "  second()\n", "  return 1\n"]
_SIBLING = ["def g()\n", "  first()\n", "  second()\n", "  return 2\n", "\n"]
SIBLING_BEFORE = (_FUNCTION, _SIBLING + _FUNCTION)
"""A copy of a function before it looks like a change of it at first."""

REPEATS = (
    [f"line {letter}\n" for letter in "ABCBDEBF"],
    [f"line {letter}\n" for letter in "BxBDEBFyCBDEBFz"],
)
"""Repeated lines change the path before a hunk that is settled and stays."""


def _plain(hunks: Iterable[Hunk | LineHunk]) -> list[tuple[int, int, tuple[str, ...]]]:
    return [(hunk.start, hunk.end, hunk.lines) for hunk in hunks]


def _changes(hunks: Iterable[Hunk]) -> list[LineHunk]:
    return [LineHunk(start=h.start, end=h.end, lines=h.lines) for h in hunks]


def _n_deleted(hunks: Iterable[Hunk | LineHunk]) -> int:
    return sum(hunk.end - hunk.start for hunk in hunks)


class _Reader:
    """Sees nothing but updates, and checks what they may do."""

    def __init__(self) -> None:
        self.hunks: dict[int, Hunk] = {}

    def take(self, update: Update) -> None:
        for hunk_id in update.removed:
            del self.hunks[hunk_id]
        for hunk in update.hunks:
            known = self.hunks.get(hunk.id)
            if known is not None:
                assert hunk != known
                assert known.state == "growing"
                assert hunk.start == known.start
                assert hunk.end >= known.end
                assert hunk.lines[: len(known.lines)] == known.lines
            self.hunks[hunk.id] = hunk

    def in_order(self) -> list[Hunk]:
        return sorted(self.hunks.values(), key=lambda hunk: hunk.start)


def _fed(old: Sequence[str], *chunks: Sequence[str]) -> StreamingDiff:
    diff = StreamingDiff(old)
    for chunk in chunks:
        diff.feed(chunk)
    return diff


@given(texts)
@example(SIBLING_BEFORE)
def test_the_end_is_the_minimal_diff(text: tuple[list[str], list[str]]) -> None:
    """After the last line the hunks are exactly those of `diff_lines`, all settled."""
    old, new = text
    diff = _fed(old, *([line] for line in new))
    diff.finish()
    assert _plain(diff.hunks) == _plain(diff_lines(old, new))
    assert all(hunk.state == "settled" for hunk in diff.hunks)
    assert (diff.n_passed, diff.n_painted) == (len(old), len(new))


@given(texts)
@example(SIBLING_BEFORE)
def test_only_what_has_not_met_the_old_text_is_open(
    text: tuple[list[str], list[str]],
) -> None:
    """An insertion at the end of what was passed, until old lines come again."""
    old, new = text
    diff, reader = StreamingDiff(old), _Reader()
    for line in new:
        reader.take(diff.feed([line]))
        opened = [hunk for hunk in reader.in_order() if hunk.is_open]
        assert opened in ([], reader.in_order()[-1:])
        assert all(hunk.start == hunk.end == diff.n_passed for hunk in opened)
    reader.take(diff.finish())
    assert not any(hunk.is_open for hunk in reader.in_order())


@given(texts, st.lists(st.integers(0, 30)))
def test_any_chunking_gives_the_same(
    text: tuple[list[str], list[str]], cuts: list[int]
) -> None:
    """Line by line, as a whole or cut anywhere: the same hunks, also before the end."""
    old, new = text
    borders = [0, *sorted(min(cut, len(new)) for cut in cuts), len(new)]
    chunks = [new[start:end] for start, end in pairwise(borders)]
    cut, lines, whole = (
        _fed(old, *chunks),
        _fed(old, *([line] for line in new)),
        _fed(old, new),
    )
    for other in (lines, whole):
        assert _plain(cut.hunks) == _plain(other.hunks)
        assert [h.state for h in cut.hunks] == [h.state for h in other.hunks]
        assert (cut.n_passed, cut.n_painted) == (other.n_passed, other.n_painted)


@given(texts)
@example(SIBLING_BEFORE)
def test_every_state_is_a_new_head_and_an_old_tail(
    text: tuple[list[str], list[str]],
) -> None:
    """Applied at any time, the hunks give what was painted and then untouched lines."""
    old, new = text
    diff = StreamingDiff(old)
    for n_fed, line in enumerate(new, start=1):
        diff.feed([line])
        mixed = new[: diff.n_painted] + old[diff.n_passed :]
        assert apply_hunks(old, _changes(diff.hunks)) == mixed
        assert 0 <= n_fed - diff.n_painted <= 4


@given(texts)
@example(SIBLING_BEFORE)
def test_every_state_is_minimal(text: tuple[list[str], list[str]]) -> None:
    """What is painted keeps as many lines as any diff of the lines it covers."""
    old, new = text
    diff = StreamingDiff(old)
    for line in new:
        diff.feed([line])
        best = diff_lines(old[: diff.n_passed], new[: diff.n_painted])
        assert _n_deleted(diff.hunks) == _n_deleted(best)


@given(texts)
@example(SIBLING_BEFORE)
def test_only_lines_before_a_kept_one_are_painted_as_deleted(
    text: tuple[list[str], list[str]],
) -> None:
    """Old lines that the new text has not reached are left alone until the end."""
    old, new = text
    diff = StreamingDiff(old)
    for line in new:
        diff.feed([line])
        for hunk in diff.hunks:
            assert hunk.end < diff.n_passed or hunk.start == hunk.end


@given(texts)
@example(SIBLING_BEFORE)
@example(REPEATS)
def test_updates_tell_all_and_only_extend(text: tuple[list[str], list[str]]) -> None:
    """A reader of the updates sees the state; its hunks grow, settle or are removed."""
    old, new = text
    diff = StreamingDiff(old)
    reader = _Reader()
    for line in new:
        reader.take(diff.feed([line]))
        assert reader.in_order() == sorted(diff.hunks, key=lambda hunk: hunk.start)
    reader.take(diff.finish())
    assert reader.in_order() == list(diff.hunks)


@given(some_lines)
def test_an_unchanged_text_paints_nothing(old: list[str]) -> None:
    """No hunk ever shows while the old text is written again."""
    diff = StreamingDiff(old)
    for line in old:
        assert diff.feed([line]) == Update()
    assert diff.finish() == Update()


@given(some_lines, st.integers(0, 14))
def test_an_insertion_of_new_lines_is_never_corrected(
    old: list[str], place: int
) -> None:
    """Lines that the old text does not have are one hunk, which only grows."""
    place = min(place, len(old))
    new = [*old[:place], *(f"new {n}\n" for n in range(6)), *old[place:]]
    diff = StreamingDiff(old)
    updates = [diff.feed([line]) for line in new] + [diff.finish()]
    assert not any(update.removed for update in updates)
    assert {hunk.id for update in updates for hunk in update.hunks} == {1}


CODE = (
    "def total(rows):\n    result = 0\n    for row in rows:\n"
    "        result += row.amount\n    return result\n\n\n"
    "def names(rows):\n    result = []\n    for row in rows:\n"
    "        result.append(row.name)\n    return result\n"
).splitlines(keepends=True)

STORIES: list[tuple[str, list[int | str], list[str]]] = [
    (
        "a line is replaced",
        [0, "    result = Decimal()\n", 2, 3],
        ["", "1-1 growing", "1-2 growing", "1-2 growing"],
    ),
    (
        "two lines are replaced by one",
        [
            0,
            1,
            "    for amount in amounts(rows):\n",
            "        result += amount\n",
            4,
            5,
            6,
        ],
        ["", "", *["2-2 growing"] * 4, "2-4 growing"],
    ),
    (
        "a function is deleted",
        [7, 8, 9],
        ["", "0-7 growing", "0-7 growing"],
    ),
    (
        "a blank line alone deletes nothing",
        ["import decimal\n", 5, "import csv\n", 5, 6, 0],
        ["0-0 growing"] * 6,
    ),
    (
        "much kept code settles a hunk",
        ["import decimal\n", 0, 1, 2, 3, 4, 5, 6, 7],
        ["0-0 growing"] * 5 + ["0-0 settled"] * 4,
    ),
]


@pytest.mark.parametrize(
    ("new", "expected"), [pytest.param(*story[1:], id=story[0]) for story in STORIES]
)
def test_what_is_painted_line_by_line(
    new: list[int | str], expected: list[str]
) -> None:
    """A number is that old line; after each one the hunks' old lines and states."""
    diff = StreamingDiff(CODE)
    seen = []
    for line in new:
        update = diff.feed([CODE[line] if isinstance(line, int) else line])
        assert not update.removed
        seen.append(" ".join(f"{h.start}-{h.end} {h.state}" for h in diff.hunks))
    assert seen == expected


def test_a_copy_inserted_before_is_corrected_once_it_shows() -> None:
    """It is painted as a change at first, and as an insertion before the end."""
    old, new = SIBLING_BEFORE
    diff = _fed(old, new[:4])
    assert [(h.start, h.end) for h in diff.hunks] == [(0, 1), (3, 3)]
    update = diff.feed(new[4:])
    assert len(update.removed) == 2
    assert _plain(diff.hunks) == _plain(diff_lines(old, new))
    assert diff.finish().removed == ()


def test_texts_that_begin_or_end_with_nothing() -> None:
    """An empty old text is one insertion, an empty new one is one deletion."""
    inserted = _fed([], ["a\n"], ["b"])
    assert _plain(inserted.hunks) == [(0, 0, ("a\n", "b"))]
    inserted.finish()
    assert _plain(inserted.hunks) == [(0, 0, ("a\n", "b"))]
    deleted = StreamingDiff(["a\n", "b"])
    assert deleted.feed([]) == Update()
    deleted.finish()
    assert _plain(deleted.hunks) == [(0, 2, ())]


def test_a_last_line_that_gets_an_end_is_another_line() -> None:
    """Lines are compared with their ends, so that the result is exact."""
    diff = _fed(["a\r\n", "b"], ["a\r\n", "b\r\n", "c"])
    diff.finish()
    assert _plain(diff.hunks) == [(1, 2, ("b\r\n", "c"))]


def test_a_finished_text_takes_no_more() -> None:
    """Feeding or finishing after the end is a bug of ours."""
    diff = StreamingDiff(["a\n"])
    diff.finish()
    with pytest.raises(LocalProtocolError):
        diff.feed(["b\n"])
    with pytest.raises(LocalProtocolError):
        diff.finish()


@pytest.mark.parametrize("max_cells", [0, 200])
@given(text=edits())
@example(text=([f"{n}\n" for n in range(10)], [f"{n}\n" for n in range(5, 40)]))
def test_without_a_table(max_cells: int, text: tuple[list[str], list[str]]) -> None:
    """Texts too large for the table, from the start or from some line on, lose nothing
    but the corrections before the end."""
    old, new = text
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_CELLS", max_cells)
        diff = StreamingDiff(old)
        reader = _Reader()
        for line in new:
            reader.take(diff.feed([line]))
            mixed = new[: diff.n_painted] + old[diff.n_passed :]
            assert apply_hunks(old, _changes(diff.hunks)) == mixed
        reader.take(diff.finish())
    assert _plain(reader.in_order()) == _plain(diff_lines(old, new))
