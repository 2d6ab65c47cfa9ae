"""What a review skipped because of its cost limit, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SkippedWork = Literal["read", "refute", "fix"]

_CLAUSES: dict[SkippedWork, tuple[str, str]] = {
    "read": ("no scout read", "related place"),
    "refute": ("nobody tried to refute", "finding"),
    "fix": ("no model wrote a fix for", "finding"),
}


def skipped_work(n_undone: Mapping[SkippedWork, int]) -> str:
    """Say it in one sentence; empty: there was nothing.

    Args:
        n_undone: How often what was not done.
    """
    clauses = [
        f"{verb} {n} {noun}{'' if n == 1 else 's'}"
        for what, (verb, noun) in _CLAUSES.items()
        if (n := n_undone.get(what, 0))
    ]
    if not clauses:
        return ""
    *others, last = clauses
    words = f"{', '.join(others)} and {last}" if others else last
    return f"The limit of cost was reached, so {words}."
