"""What the readers of event streams share."""

from __future__ import annotations

import pytest

from redline.models.formats.sse_reader import read_counts


@pytest.mark.parametrize(
    ("raw", "counts"),
    [
        (b'{"a": 1, "b": {"c": 2}, "d": "x"}', {"a": 1, "b.c": 2}),
        (b'{"a": 1, "b": true, "c": 1e3, "d": 18014398509481984}', {"a": 1}),
        (b'{"a": -1, "b": 2}', {}),
        (b'{"a": 1, "b": {"c": -2}}', {}),
        (b"[1]", {}),
    ],
)
def test_counts_are_read_or_unknown(raw: bytes, counts: dict[str, int]) -> None:
    """If one is negative, none is known."""
    assert read_counts(raw) == counts
