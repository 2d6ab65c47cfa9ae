"""A place that a change has to do with, as a value that processes exchange."""

from __future__ import annotations

from typing import Literal

import msgspec

from redline.findings.scope import ReviewScope

Relation = Literal["definition", "caller", "test", "configuration"]


class RelatedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A part of another file that a review should know."""

    path: str
    first_line: int
    """From 0."""
    text: str
    """The lines from there on, LF line ends, none at the end, secrets included."""
    relation: Relation
    names: tuple[str, ...]
    """The names by which it was found."""
    weight: float
    """The higher the closer."""

    def joined_with(self, other: RelatedPlace) -> RelatedPlace:
        """Make one of two that are about the same lines."""
        return msgspec.structs.replace(
            self,
            text=max(self.text, other.text, key=len),
            names=tuple(dict.fromkeys((*self.names, *other.names))),
            weight=max(self.weight, other.weight),
        )


class RelatedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What the searching process is asked."""

    scope: ReviewScope
    roots: tuple[str, ...]
