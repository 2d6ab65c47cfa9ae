"""Finds the files that a change has to do with, by syntax and search, without a model.

Looked for are the definitions that the lines in question use, the callers of what they
define, the tests of it, and the configuration it names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from redline.findings.scope import ReviewScope

Relation = Literal["definition", "caller", "test", "configuration"]


class RelatedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A part of another file, or of the same one, that a review should know."""

    path: str
    first_line: int
    """From 0."""
    text: str
    """The lines from there on, LF line ends, secrets included."""
    relation: Relation
    names: tuple[str, ...]
    """The names by which it was found."""
    weight: float
    """The higher the closer."""


def related_places(
    scope: ReviewScope, *, roots: Sequence[str]
) -> tuple[RelatedPlace, ...]:
    """Search the workspace; takes a while, so call it in a thread.

    Returns:
        The closest first, a bounded number of them; nothing that is held back.
    """
    raise NotImplementedError
