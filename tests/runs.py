"""How many random inputs the most expensive properties are tested with, and which."""

from __future__ import annotations

import os

IS_RANDOM = "REDLINE_RUNS" in os.environ
"""Whether each run tries other inputs, as `make test-random` does."""

_FACTOR = float(os.environ.get("REDLINE_RUNS", "1"))


def n_runs(usual: int) -> int:
    """Return the usual number, times `REDLINE_RUNS`; `make test-random` sets it."""
    return max(1, round(usual * _FACTOR))


def stride(usual: int) -> int:
    """Return the distance between two cases: the usual one by `REDLINE_RUNS`."""
    return max(1, round(usual / _FACTOR))
