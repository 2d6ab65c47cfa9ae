"""Pauses double up to a bound, and clients do not reconnect at the same moment."""

from __future__ import annotations

import pytest

from redline.models.backoff import backoff_s


@pytest.mark.parametrize(
    ("n_failures", "least_s", "most_s"),
    [(1, 0.375, 0.5), (2, 0.75, 1.0), (5, 6.0, 8.0), (6, 6.0, 8.0), (10**6, 6.0, 8.0)],
)
def test_pause(n_failures: int, least_s: float, most_s: float) -> None:
    """Half a second doubling to eight, times 0.75 to 1."""
    assert backoff_s(n_failures, random=lambda: 0.0) == least_s
    assert backoff_s(n_failures, random=lambda: 1.0) == most_s
