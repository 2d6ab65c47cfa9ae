"""The names after `@` in an instruction."""

from __future__ import annotations

import pytest

from redline.text.named_files import named_files


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("use @src/prices.py, please", ("src/prices.py",)),
        ("as in @a.py.", ("a.py",)),
        ("(@a.py) and @a.py and @b.py", ("a.py", "b.py")),
        ('follow @"my notes.md" here', ("my notes.md",)),
        ("add @property", ("property",)),
        ("write to me@example.com", ()),
        ("an @ alone, and @@", ()),
        ("nothing", ()),
    ],
)
def test_names(instruction: str, expected: tuple[str, ...]) -> None:
    """Each once, in order, without the punctuation around them."""
    assert named_files(instruction) == expected
