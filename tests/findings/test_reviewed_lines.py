"""Which lines have changed since they were reviewed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.findings.reviewed_lines import changed_spans, reviewed_lines
from redline.findings.scope import ReviewedFile, Span

OLD = "a\nb\nc\nd\ne\n"


def hashes(text: str, *not_reviewed: Span) -> bytes:
    file = ReviewedFile(
        path="a.py", uri="file:///a.py", language="python", text=text, spans=((0, 1),)
    )
    return reviewed_lines([file], {file.uri: not_reviewed}).files[file.uri]


@pytest.mark.parametrize(
    ("new", "spans"),
    [
        (OLD, ()),
        (OLD.rstrip("\n"), ()),
        ("a\nB\nc\nd\ne\n", ((1, 2),)),
        ("a\nb\nnew\nnewer\nc\nd\nE\n", ((2, 4), (6, 7))),
        # Around a deletion.
        ("a\nb\nd\ne\n", ((1, 3),)),
        ("b\nc\nd\ne\n", ((0, 1),)),
        ("", ()),
    ],
)
def test_changed_lines_and_those_around_deletions(
    new: str, spans: tuple[Span, ...]
) -> None:
    assert changed_spans(hashes(OLD), new) == spans


def test_lines_that_were_left_out_count_as_changed() -> None:
    """Until a review has read them."""
    assert changed_spans(hashes(OLD, (1, 3)), OLD) == ((1, 3),)


lines = st.lists(st.sampled_from(["a", "b", "", "é", "\ud800"]), max_size=12)


@given(old=lines, new=lines)
def test_every_line_that_is_new_is_found(old: list[str], new: list[str]) -> None:
    """Spans are in order, apart and inside; what is outside of them was there."""
    text = "".join(f"{line}\n" for line in new)
    spans = changed_spans(hashes("".join(f"{line}\n" for line in old)), text)
    assert list(spans) == sorted(spans)
    assert all(0 <= first < end <= len(new) for first, end in spans)
    inside = {at for first, end in spans for at in range(first, end)}
    rest = [line for at, line in enumerate(new) if at not in inside]
    remaining = iter(old)
    assert all(line in remaining for line in rest)
