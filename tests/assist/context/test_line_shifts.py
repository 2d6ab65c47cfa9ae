"""Lines of now are found in the version that was looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redline.assist.context.open_documents import LineShifts
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding, Position, Range


def document(n_lines: int) -> Document:
    text = "".join(f"line {n}\n" for n in range(n_lines))
    return Document(
        uri="file:///a.py",
        language_id="python",
        version=1,
        text=text,
        encoding=Encoding.UTF_32,
    )


def follow(doc: Document) -> LineShifts:
    shifts = LineShifts()
    doc.on_splice = lambda splice, old_lines: shifts.note(doc.version, splice)
    return shifts


CHANGES = st.lists(
    st.tuples(st.integers(0, 24), st.integers(0, 3), st.integers(0, 3)), max_size=8
)


@given(changes=CHANGES)
def test_a_line_that_was_not_touched_is_found(
    changes: list[tuple[int, int, int]],
) -> None:
    """Whatever whole lines are put in and taken out around it."""
    doc = document(20)
    shifts = follow(doc)
    old = list(doc.snapshot().lines)
    for first, n_gone, n_new in changes:
        where = Range(Position(first, 0), Position(first + n_gone, 0))
        change = ContentChange(range=where, text="new\n" * n_new)
        doc.change(doc.version + 1, [change])
    for now, line in enumerate(doc.snapshot().lines):
        if line.startswith("line"):
            assert old[shifts.back(now, 1)] == line


def test_only_what_came_later_counts() -> None:
    """A version in between has some of the changes in it already."""
    doc = document(5)
    shifts = follow(doc)
    top = Range(Position(0, 0), Position(0, 0))
    for version in (2, 3):
        doc.change(version, [ContentChange(range=top, text="new\n")])
    assert [shifts.back(4, version) for version in (1, 2, 3)] == [2, 3, 4]
    assert shifts.back_range(range(4, 6), 1) == range(2, 4)
    assert shifts.back_range(range(4, 4), 1) == range(2, 2)
    # A new line was nowhere; the nearest is where it was put.
    assert shifts.back(0, 1) == 0


def test_typing_within_a_line_moves_nothing() -> None:
    """The usual keystroke leaves no trace."""
    doc = document(3)
    shifts = follow(doc)
    for version in range(2, 1_000):
        at = Position(1, version % 5)
        doc.change(version, [ContentChange(range=Range(at, at), text="x")])
    assert shifts.back(2, 1) == 2
