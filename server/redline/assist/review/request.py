"""What is asked of a review: the target, and how far it may go."""

from __future__ import annotations

from typing import Literal

import msgspec

from redline.findings.scope import Target

Origin = Literal["editor", "terminal"]
"""Only an editor's review is taken over by another server when its own is gone."""


class ReviewRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One review to start: of a selection, files, or a change."""

    target: Target
    roots: tuple[str, ...] = ()
    """URIs of the workspace folders; the first one is where the review belongs."""
    is_forced: bool = False
    """Whether to review again what has not changed since the last review of it."""
    max_cost: float | None = None
    """US dollars after which no further model is asked; None: no limit."""
    origin: Origin = "editor"

    @property
    def workspace(self) -> str:
        """The folder that the review belongs to; empty: none."""
        return self.roots[0] if self.roots else ""
