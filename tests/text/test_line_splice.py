"""A change of a document, as whole lines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.anchor import LineSplice, Splice, line_splice, n_new_lines
from redline.text.document import ContentChange, Document
from redline.text.lines import strip_end
from redline.text.position import Encoding, Position, Range


def splices(
    text: str, start: tuple[int, int], end: tuple[int, int], new_text: str
) -> tuple[LineSplice, list[str], list[str]]:
    """Change a text; return what that did to its lines, and them before and after."""
    document = Document(
        uri="a", language_id="", version=1, text=text, encoding=Encoding.UTF_32
    )
    found: list[LineSplice] = []

    def on_splice(splice: Splice, old_lines: Sequence[str]) -> None:
        first = splice.old.start.line
        n_lines = n_new_lines(splice, old_lines)
        new_lines = document.lines_between(first, first + n_lines)
        found.append(line_splice(splice, old_lines, new_lines))

    document.on_splice = on_splice
    before = list(map(strip_end, document.snapshot().lines))
    where = Range(Position(*start), Position(*end))
    document.change(2, [ContentChange(range=where, text=new_text)])
    return found[0], before, list(map(strip_end, document.snapshot().lines))


@pytest.mark.parametrize(
    ("start", "end", "new_text", "expected"),
    [
        ((0, 1), (0, 1), "x", (0, 1, 1)),  # within a line
        ((1, 0), (1, 0), "new\n", (1, 1, 2)),  # a line before a line
        ((0, 1), (0, 1), "\nnew", (1, 1, 2)),  # a line after a line
        ((0, 0), (1, 0), "", (0, 1, 0)),  # the first of equal lines goes
        ((0, 1), (1, 1), "", (1, 2, 1)),  # the second one goes
        ((0, 1), (2, 0), "", (0, 3, 1)),  # two lines are joined
        ((0, 0), (2, 0), "a\na\n", (0, 0, 0)),  # nothing changes
    ],
)
def test_the_lines_that_change(
    start: tuple[int, int],
    end: tuple[int, int],
    new_text: str,
    expected: tuple[int, int, int],
) -> None:
    splice, _, _ = splices("a\na\nb\n", start, end, new_text)
    assert (splice.first, splice.old_end, splice.new_end) == expected


_place = st.tuples(st.integers(0, 6), st.integers(0, 4))
_text = st.text("ab\n\r", max_size=10)


@given(text=_text, start=_place, end=_place, new_text=_text)
def test_the_other_lines_are_as_they_were(
    text: str, start: tuple[int, int], end: tuple[int, int], new_text: str
) -> None:
    splice, before, after = splices(text, start, end, new_text)
    assert before[: splice.first] == after[: splice.first]
    assert before[splice.old_end :] == after[splice.new_end :]
    assert len(after) - len(before) == splice.shift
