"""Tests of prices."""

from shop.prices import gross


def test_gross_adds_the_tax() -> None:
    """Nineteen per cent."""
    assert (gross(100) == 119, "the tax is missing")


def test_gross_of_nothing() -> None:
    """Nothing is nothing."""
    assert gross(0) == 0
