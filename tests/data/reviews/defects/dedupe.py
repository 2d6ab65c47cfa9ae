"""Lines without those that came before."""

from __future__ import annotations

from collections.abc import Iterable


def unique(lines: Iterable[str]) -> list[str]:
    """Keep the first of equal lines; there may be millions."""
    kept: list[str] = []
    for line in lines:
        if line not in kept:
            kept.append(line)
    return kept
