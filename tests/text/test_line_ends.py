"""A rewrite keeps the ends of its range."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.line_diff import restore_ends
from redline.text.lines import line_end, split_lines, strip_end

TEXTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["\n", "\r\n", "\r"])),
    max_size=8,
).map(lambda lines: [text + end for text, end in lines])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\r\nc\n", "a\r\nX\r\nb\r\nc\r\n", "a\nX\nb\r\nc\n"),
        ("a\n\nb\r\n\r\n", "a\r\n\r\nb\r\n\r\n", "a\n\nb\r\n\r\n"),
        ("a\r\nb", "a\nb", "a\r\nb"),
        ("a\r\nb", "a\nb\nc", "a\r\nb\r\nc"),
        ("a\r\nb\n", "a\n", "a\r\n"),
        ("a\r\nb\n", "a", "a"),
        ("a\nb\r\nc\rd\n", "a\nB\nC\nd\n", "a\nB\r\nC\rd\n"),
        ("a\nb\r\nc\n", "a\nX\nY\nc\n", "a\nX\r\nY\r\nc\n"),
        ("a\r\nb\n", "X\na\nb\n", "X\r\na\r\nb\n"),
        ("a", "a\nb\r\n", "a\nb\r\n"),
        ("", "a\n", "a\n"),
        ("a\n", "", ""),
    ],
)
def test_kept_lines_keep_their_ends(old: str, new: str, expected: str) -> None:
    assert "".join(restore_ends(split_lines(old), split_lines(new))) == expected


@given(TEXTS)
def test_an_unchanged_text_is_as_before(old: list[str]) -> None:
    new = [strip_end(line) + "\n" for line in old]
    assert restore_ends(old, new) == old


@given(TEXTS, TEXTS)
def test_only_ends_change_and_none_is_new(old: list[str], new: list[str]) -> None:
    restored = restore_ends(old, new)
    assert list(map(strip_end, restored)) == list(map(strip_end, new))
    ends = set(map(line_end, old or new))
    assert {line_end(line) for line in restored} <= ends


@given(TEXTS, st.data())
def test_a_replaced_line_keeps_its_end(lines: list[str], data: st.DataObject) -> None:
    """Where it is clear which line replaces which."""
    old = [f"{at}{line_end(line)}" for at, line in enumerate(lines)]
    changed = data.draw(st.sets(st.integers(0, 8)))
    new = [f"{'X' if at in changed else at}\n" for at in range(len(old))]
    assert list(map(line_end, restore_ends(old, new))) == list(map(line_end, old))
