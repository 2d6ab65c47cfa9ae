"""A place related to a change, as a value that processes exchange."""

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
    """The lines from there on: LF line ends, none at the end, secrets not hidden."""
    relation: Relation
    names: tuple[str, ...]
    """The names by which it was found."""
    weight: float
    """How closely it is related; higher is closer."""

    def joined_with(self, other: RelatedPlace) -> RelatedPlace:
        """Merge two places that are about the same lines."""
        return msgspec.structs.replace(
            self,
            text=max(self.text, other.text, key=len),
            names=tuple(dict.fromkeys((*self.names, *other.names))),
            weight=max(self.weight, other.weight),
        )


class RelatedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The input of the search process."""

    scope: ReviewScope
    roots: tuple[str, ...]
