"""How closely two pieces of code are related, by the names they share."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from math import log

_NAME = re.compile(r"[^\W\d]\w{2,}")
"""Shorter names are loop variables and the like."""


def names_in(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text))


def rank(
    wanted: frozenset[str], files: Mapping[str, Collection[str]]
) -> dict[str, float]:
    """Rank files by the names that they share with a range.

    A name weighs more the fewer files contain it: keywords are in all.

    Args:
        wanted: The names of the range and of its instruction.
        files: The set of names in each file, by its path.

    Returns:
        A weight for each file that shares any name, highest first.
    """
    weights = dict.fromkeys(files, 0.0)
    for name in wanted:
        holders = [path for path, names in files.items() if name in names]
        for path in holders:
            weights[path] += log((len(files) + 1) / len(holders))
    ranked = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
    return {path: weight for path, weight in ranked if weight > 0}
