"""The comparison of two checkouts, which counts ratios within pairs of samples."""

from __future__ import annotations

from benchmarks.compare import Compared, compared


def test_ratios_are_those_within_a_pair() -> None:
    """A minute in which both are slow says nothing about either."""
    pairs = [
        ({"x": 1.0}, {"x": 0.5}),
        ({"x": 8.0}, {"x": 4.0}),
        ({"x": 2.0}, {"x": 3.0}),
    ]
    assert compared(pairs) == [
        Compared(case="x", other=2.0, this=3, ratio=0.5, n_less=2)
    ]
