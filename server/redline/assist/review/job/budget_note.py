"""Describes in words what a review skipped because of its cost limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SkippedWork = Literal["read", "refute", "fix"]

_CLAUSES: dict[SkippedWork, tuple[str, str]] = {
    "read": ("no scout read", "related place"),
    "refute": ("no model tried to refute", "finding"),
    "fix": ("no model wrote a fix for", "finding"),
}


def skipped_work(n_undone: Mapping[SkippedWork, int]) -> str:
    """Return one sentence that lists the skipped work; empty: nothing was skipped.

    Args:
        n_undone: How often each kind of work was skipped.
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
    return f"The cost limit was reached, so {words}."
