"""Chooses what a full memory gives up, so that no user displaces the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Protocol


class Owned(Protocol):
    """What belongs to a user."""

    @property
    def owner(self) -> str:
        """The user's name."""


def oldest_of_largest(owned: Mapping[str, Owned], weights: Mapping[str, int]) -> str:
    """Return the oldest of the user who has the most.

    Args:
        owned: By id, the oldest first; at least one.
        weights: What each counts, by the same ids.
    """
    of_user: Counter[str] = Counter()
    for key, one in owned.items():
        of_user[one.owner] += weights[key]
    largest = max(of_user, key=of_user.__getitem__)
    return next(key for key, one in owned.items() if one.owner == largest)
