"""Documents take any change a client sends and stay what the client has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.document import ContentChange, Document, find_splice, splice_lines
from redline.text.lines import split_lines
from redline.text.position import Encoding, Position, Range, text_in

MakeDocument = Callable[[str], Document]
TEXTS = st.text(alphabet="ab\n\r\fé😀", max_size=24)
ENCODINGS = st.sampled_from(Encoding)


def span(*numbers: int) -> Range:
    first_line, first, last_line, last = numbers
    return Range(Position(first_line, first), Position(last_line, last))


def typed(where: Range | None, text: str) -> ContentChange:
    return ContentChange(range=where, text=text)


@pytest.mark.parametrize(
    ("text", "where", "new_text", "expected"),
    [
        ("abc\n", span(0, 1, 0, 1), "X", "aXbc\n"),
        ("abc\n", span(0, 1, 0, 2), "", "ac\n"),
        ("abc\n", span(0, 1, 0, 1), "\n", "a\nbc\n"),
        ("a\nb\nc", span(0, 1, 2, 0), "", "ac"),
        ("a\nb\n", span(0, 0, 2, 0), "", ""),
        ("", span(0, 0, 0, 0), "a\nb", "a\nb"),
        # Out of range: clamped to the line, to the document.
        ("ab\ncd", span(0, 9, 0, 99), "X", "abX\ncd"),
        ("ab\ncd", span(7, 0, 9, 9), "X", "ab\ncdX"),
        ("ab\ncd", span(1, 1, 9, 0), "X", "ab\ncX"),
        ("ab\n", span(4, 4, 4, 4), "X", "ab\nX"),
        # Backwards: turned round.
        ("abcd", span(0, 3, 0, 1), "X", "aXd"),
        ("a\nb\nc", span(2, 0, 0, 1), "X", "aXc"),
        # UTF-16: the emoji is two units; its middle is its start.
        ("😀b", span(0, 2, 0, 3), "X", "😀X"),
        ("😀b", span(0, 1, 0, 2), "X", "Xb"),
        # A character that only Python takes for a line end.
        ("a\u2028b\n", span(0, 2, 0, 3), "X", "a\u2028X\n"),
        # Carriage returns and line feeds that meet.
        ("a\rb\nc", span(1, 0, 1, 1), "", "a\r\nc"),
        ("a\rb", span(1, 0, 1, 0), "\n", "a\r\nb"),
        ("a\rb", span(1, 0, 1, 1), "\nx\ny", "a\r\nx\ny"),
        ("a\nb", span(0, 1, 0, 1), "\r", "a\r\nb"),
        ("a\r\nb", span(0, 1, 0, 1), "x", "ax\r\nb"),
        ("a\r\nb", span(0, 1, 1, 0), "\r", "a\rb"),
        ("a\r\n", span(1, 0, 1, 0), "\n", "a\r\n\n"),
    ],
)
def test_a_change_does_what_the_protocol_says(
    make_document: MakeDocument, text: str, where: Range, new_text: str, expected: str
) -> None:
    document = make_document(text)
    document.change(2, [typed(where, new_text)])
    snapshot = document.snapshot()
    assert snapshot.text == expected
    assert snapshot.lines == split_lines(expected)
    assert snapshot.version == 2


def test_changes_apply_one_after_the_other(make_document: MakeDocument) -> None:
    document = make_document("ab")
    document.change(
        2,
        [
            typed(span(0, 2, 0, 2), "\ncd"),
            typed(span(1, 0, 1, 1), "X"),
            typed(None, "new\n"),
            typed(span(1, 0, 1, 0), "end"),
        ],
    )
    assert document.snapshot().text == "new\nend"


def test_without_changes_only_the_version_is_new(make_document: MakeDocument) -> None:
    document = make_document("a\n")
    assert document.change(9, []) == ()
    assert document.snapshot().version == 9
    assert document.snapshot().text == "a\n"


def test_a_version_is_kept_as_the_client_says_it(make_document: MakeDocument) -> None:
    document = make_document("a")
    document.change(-3, [])
    assert document.version == -3


def test_a_snapshot_never_changes(make_document: MakeDocument) -> None:
    document = make_document("a\nb")
    before = document.snapshot()
    document.change(2, [typed(span(0, 0, 0, 1), "X"), typed(span(1, 0, 1, 1), "Y")])
    between = document.snapshot()
    document.change(3, [typed(None, "")])
    assert (before.version, before.text) == (1, "a\nb")
    assert (between.version, between.text) == (2, "X\nY")
    assert before.uri == "file:///a.py"
    assert before.language_id == "python"


def test_an_unchanged_document_has_one_snapshot(make_document: MakeDocument) -> None:
    document = make_document("a")
    assert document.snapshot() is document.snapshot()


def test_a_snapshot_converts_and_cuts(make_document: MakeDocument) -> None:
    snapshot = make_document("a😀b\ncd").snapshot()
    inner = snapshot.range_from_client(span(0, 3, 1, 1))
    assert inner == span(0, 2, 1, 1)
    assert snapshot.text_in(inner) == "b\nc"
    assert snapshot.range_to_client(inner) == span(0, 3, 1, 1)


def test_an_anchor_follows_and_knows_who_touched_it(
    make_document: MakeDocument,
) -> None:
    document = make_document("a\nb\nc\n")
    anchor = document.anchor(span(1, 0, 2, 0))
    document.change(2, [typed(span(0, 0, 0, 0), "new\n")])
    assert (anchor.range, anchor.is_touched) == (span(2, 0, 3, 0), False)
    document.change(3, [typed(span(2, 1, 2, 1), "X")])
    document.change(4, [typed(span(0, 0, 0, 0), "\n")])
    assert (anchor.range, anchor.touched_version) == (span(3, 0, 4, 0), 3)
    anchor.reset()
    document.change(5, [typed(span(0, 0, 1, 0), "")])
    assert (anchor.range, anchor.is_touched) == (span(2, 0, 3, 0), False)


def test_a_released_anchor_stays_where_it_was(make_document: MakeDocument) -> None:
    document = make_document("a\nb\n")
    kept, released = (
        document.anchor(span(1, 0, 1, 1)),
        document.anchor(span(1, 0, 1, 1)),
    )
    document.release(released)
    document.release(released)
    document.change(2, [typed(span(0, 0, 1, 0), "")])
    assert kept.range == span(0, 0, 0, 1)
    assert released.range == span(1, 0, 1, 1)


def test_an_anchor_is_clamped_to_the_document(make_document: MakeDocument) -> None:
    anchor = make_document("a\nbc").anchor(span(0, 5, 9, 0))
    assert anchor.range == span(0, 1, 1, 2)


@pytest.mark.parametrize(
    ("new_text", "expected", "is_touched"),
    [
        # The anchor is on "b\nc\n" of "a\nb\nc\nd\n".
        ("a\nb\nc\nd\n", span(1, 0, 3, 0), False),
        ("new\na\nb\nc\nd\n", span(2, 0, 4, 0), False),
        ("b\nc\nd\n", span(0, 0, 2, 0), False),
        ("a\nb\nc\nd\ne\n", span(1, 0, 3, 0), False),
        ("a\nb\nX\nd\n", span(1, 0, 3, 0), True),
        ("a\nd\n", span(1, 0, 1, 0), True),
        ("", span(0, 0, 0, 0), True),
        ("a\r\nb\nc\nd\n", span(1, 0, 3, 0), False),
    ],
)
def test_a_whole_new_text_places_anchors_by_what_is_common(
    make_document: MakeDocument, new_text: str, expected: Range, is_touched: bool
) -> None:
    document = make_document("a\nb\nc\nd\n")
    anchor = document.anchor(span(1, 0, 3, 0))
    document.change(2, [typed(None, new_text)])
    assert document.snapshot().text == new_text
    assert anchor.range == expected
    assert anchor.is_touched is is_touched


@pytest.mark.parametrize(
    ("old", "anchored", "new"),
    [
        ("a\nb\n\nc\n", span(1, 0, 2, 0), "a\nb\nc\n"),
        ("a\nb\nc\n", span(1, 0, 1, 1), "a\nbc\n"),
    ],
    ids=["blank line gone", "lines joined"],
)
def test_a_whole_new_text_touches_an_anchor_whose_last_line_became_the_next(
    make_document: MakeDocument, old: str, anchored: Range, new: str
) -> None:
    document = make_document(old)
    anchor = document.anchor(anchored)
    document.change(2, [typed(None, new)])
    assert anchor.is_touched


@pytest.mark.parametrize(
    ("new_text", "expected"),
    [
        # The anchor is on "b\nc\n" of "a\nb\nc\nd\n".
        ("x\nb\nc\ny\n", span(1, 0, 3, 0)),
        ("x\nx\nb\nc\n", span(2, 0, 4, 0)),
        ("b\nc\ny\na\n", span(0, 0, 2, 0)),
        # Not clear which lines they are.
        ("b\nc\nx\nb\nc\ny\n", None),
        ("x\nb\nx\nc\ny\n", None),
        ("x\nb\r\nc\ny\n", None),
    ],
)
@pytest.mark.parametrize("is_whole", [True, False])
def test_lines_that_one_change_brings_back_are_not_touched(
    make_document: MakeDocument,
    new_text: str,
    expected: Range | None,
    *,
    is_whole: bool,
) -> None:
    """An editor may report changes above and below them as one."""
    document = make_document("a\nb\nc\nd\n")
    anchor = document.anchor(span(1, 0, 3, 0), is_of_lines=True)
    replaced = None if is_whole else span(0, 0, 4, 0)
    document.change(2, [typed(replaced, new_text)])
    assert anchor.is_touched is (expected is None)
    if expected is not None:
        assert anchor.range == expected


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "x = 1"]), max_size=4)


@given(LINES, LINES, LINES, LINES, st.booleans(), st.booleans())
def test_an_anchor_of_lines_is_touched_or_has_its_text(
    above: list[str],
    below: list[str],
    new_above: list[str],
    new_below: list[str],
    is_whole: bool,
    is_to_line_end: bool,
) -> None:
    own = ["a", "own"]
    old, new = [*above, *own, *below], [*new_above, *own, *new_below]
    document = Document(
        uri="u",
        language_id="l",
        version=1,
        text="\n".join([*old, ""]),
        encoding=Encoding.UTF_8,
    )
    first, last = len(above), len(above) + 1
    end = Position(last, 3) if is_to_line_end else Position(last + 1, 0)
    anchor = document.anchor(Range(Position(first, 0), end), is_of_lines=True)
    replaced = None if is_whole else span(0, 0, len(old), 0)
    document.change(2, [typed(replaced, "\n".join([*new, ""]))])
    if not anchor.is_touched:
        assert document.snapshot().text_in(anchor.range).splitlines() == own
        assert anchor.range.start.line == len(new_above)
    else:
        # What is inserted right at its end is inside, and of equal lines above, the
        # last ones may be those that are gone.
        assert (above, below) != (new_above, new_below)


def units_of(text: str, encoding: Encoding) -> list[str]:
    """Spell a text as the client's units, each unit that starts a character as it."""
    units = []
    for character in text:
        n_bytes = len(
            character.encode(encoding.value + "-le" * (encoding.value != "utf-8"))
        )
        width = {Encoding.UTF_8: 1, Encoding.UTF_16: 2, Encoding.UTF_32: 4}[encoding]
        units += [character] + [""] * (n_bytes // width - 1)
    return units


def offset_slowly(text: str, place: Position, encoding: Encoding) -> int:
    """Find a client's place by walking over the text from its start."""
    lines = split_lines(text)
    if place.line >= len(lines):
        return len(text)
    content = lines[place.line].rstrip("\r\n")
    units = units_of(content, encoding)
    at = min(place.character, len(units))
    while at < len(units) and units[at] == "":
        at -= 1
    return len("".join(lines[: place.line])) + len("".join(units[:at]))


CLIENT_PLACES = st.builds(Position, st.integers(0, 6), st.integers(0, 8))
CHANGES = st.builds(
    ContentChange,
    range=st.none() | st.builds(Range, CLIENT_PLACES, CLIENT_PLACES),
    text=st.text(alphabet="ab\n\ré😀", max_size=6),
)


@given(TEXTS, st.lists(CHANGES, max_size=5), ENCODINGS)
def test_any_changes_equal_a_naive_text(
    text: str, changes: list[ContentChange], encoding: Encoding
) -> None:
    document = Document(
        uri="u", language_id="l", version=1, text=text, encoding=encoding
    )
    for version, change in enumerate(changes):
        before = document.snapshot()
        document.change(version, [change])
        if change.range is None:
            text = change.text
        else:
            start = offset_slowly(text, change.range.start, encoding)
            end = offset_slowly(text, change.range.end, encoding)
            start, end = min(start, end), max(start, end)
            text = text[:start] + change.text + text[end:]
        assert document.snapshot().lines == split_lines(text)
        assert before.text == "".join(before.lines)


def place_at(text: str, offset: int) -> Position:
    """Name the nearest place at or before an offset that a position can name."""
    lines = split_lines(text[:offset])
    is_in_end = text[offset - 1 : offset + 1] == "\r\n"
    if is_in_end:
        return Position(len(lines) - 2, len(lines[-2]) - 1)
    return Position(len(lines) - 1, len(lines[-1]))


@given(TEXTS, TEXTS, st.data())
def test_a_splice_names_the_places_of_the_text(
    text: str, new_text: str, data: st.DataObject
) -> None:
    offsets = st.integers(0, len(text))
    start, end = sorted(data.draw(st.tuples(offsets, offsets)))
    lines = split_lines(text)
    replaced = Range(place_at(text, start), place_at(text, end))
    start = len(text_in(lines, Range(Position(0, 0), replaced.start)))
    end = len(text_in(lines, Range(Position(0, 0), replaced.end)))
    whole = text[:start] + new_text + text[end:]
    splice = splice_lines(lines, replaced, new_text)
    assert lines == split_lines(whole)
    assert splice.new.start == place_at(whole, start)
    assert splice.new.end == place_at(whole, start + len(new_text))
    behind = data.draw(st.integers(end, len(text)))
    if text[behind - 1 : behind + 1] != "\r\n":
        moved = splice.moved(place_at(text, behind))
        assert moved == place_at(whole, behind + len(whole) - len(text))


@given(TEXTS, TEXTS)
def test_a_found_splice_makes_the_new_text(old: str, new: str) -> None:
    old_lines, new_lines = split_lines(old), split_lines(new)
    splice = find_splice(old_lines, new_lines)
    assert splice.old.start == splice.new.start
    splice_lines(old_lines, splice.old, text_in(new_lines, splice.new))
    assert old_lines == new_lines


def test_a_found_splice_is_small() -> None:
    old, new = split_lines("a\nbcd\ne\n"), split_lines("a\nbXd\ne\n")
    assert find_splice(old, new).old == span(1, 1, 1, 2)
    assert find_splice(old, old).old.is_empty
