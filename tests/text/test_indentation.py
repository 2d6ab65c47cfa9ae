"""Shifts of indentation, one line at a time; whole replies are in `test_rewrite`."""

from __future__ import annotations

import pytest

from redline.text.indentation import Reindenter, Shift, indent_of, shift_between


@pytest.mark.parametrize(
    ("wrong", "right", "shift"),
    [
        ("a", "    a", Shift(add="    ")),
        ("    a", "a", Shift(remove="    ")),
        ("  a", "  b", Shift()),
        ("\ta", "\t\ta", Shift(add="\t")),
        ("\ta", "    a", None),
    ],
)
def test_a_shift_makes_one_indentation_the_other(
    wrong: str, right: str, shift: Shift | None
) -> None:
    assert shift_between(wrong, right) == shift
    if shift is not None:
        assert indent_of(shift.apply(wrong)) == indent_of(right)


def test_a_range_without_text_has_no_indentation() -> None:
    reindenter = Reindenter(["", "  "])
    assert reindenter.feed("    a") == ["    a"]
    assert not reindenter.is_mended


def test_nothing_comes_of_nothing() -> None:
    assert Reindenter(["    a"]).finish() == []
    blank = Reindenter(["    a"])
    assert blank.feed("") == []
    assert blank.finish() == [""]
