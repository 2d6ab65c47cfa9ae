"""A use of a name in a file of data."""

from __future__ import annotations

from msgspec import Struct


class NamedUse(Struct, frozen=True, kw_only=True):
    name: str
    line: int
    is_known: bool
    """Whether the file has what it names."""
    message: str
    only_lost: bool = False
    """Whether it counts only if the file had what it names before."""
