"""Unchanged lines keep their own ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.line_ends import restore_ends
from redline.text.lines import line_end, split_lines, strip_end

TEXTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["\n", "\r\n", "\r"])),
    max_size=8,
).map(lambda lines: [text + end for text, end in lines])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\r\nc\n", "a\r\nX\r\nb\r\nc\r\n", "a\nX\r\nb\r\nc\n"),
        ("a\n\nb\r\n\r\n", "a\r\n\r\nb\r\n\r\n", "a\n\nb\r\n\r\n"),
        ("a\r\nb", "a\nb", "a\r\nb"),
        ("a\r\nb", "a\nb\nc", "a\r\nb\nc"),
        ("a\r\nb\n", "a\n", "a\r\n"),
        ("a\r\nb\n", "a", "a"),
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
def test_only_ends_change(old: list[str], new: list[str]) -> None:
    restored = restore_ends(old, new)
    assert list(map(strip_end, restored)) == list(map(strip_end, new))
    own = {(strip_end(line), line_end(line)) for line in old}
    for line, was in zip(restored, new, strict=True):
        assert line == was or (strip_end(line), line_end(line)) in own
