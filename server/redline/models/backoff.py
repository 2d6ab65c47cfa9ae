"""The pauses between attempts to reach a model."""

from __future__ import annotations

from collections.abc import Callable

FIRST_S = 0.5
LAST_S = 8.0
"""Doubling from first to last, each times 0.75 to 1.0 (openai-python 3.52,
types/websocket_reconnection.py): clients that lost the same server do not reconnect at
the same moment."""

_LEAST_SHARE = 0.75


def backoff_s(n_failures: int, *, random: Callable[[], float]) -> float:
    """Return the pause after the `n_failures`-th failure in a row, in seconds.

    Args:
        n_failures: From 1.
        random: A number in [0, 1), as `random.random`.
    """
    # The exponent is bounded too: a server may be unreachable for days.
    whole_s = min(LAST_S, FIRST_S * 2.0 ** min(n_failures - 1, 10))
    return whole_s * (_LEAST_SHARE + (1.0 - _LEAST_SHARE) * random())
