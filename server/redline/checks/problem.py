"""A problem that a check finds in a candidate."""

from __future__ import annotations

from msgspec import Struct


class Problem(Struct, frozen=True, kw_only=True):
    rule: str
    """The check's id, such as `reply` or `elision`."""

    message: str
    """A sentence that a person can act on."""

    line: int | None = None
    """Line of the candidate, counted from its first; None: the whole candidate."""
