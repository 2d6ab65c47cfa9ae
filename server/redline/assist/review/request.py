"""A request for a review: its target and its limits."""

from __future__ import annotations

from typing import Literal

import msgspec

from redline.findings.scope import Target

Origin = Literal["editor", "terminal"]
"""Only an editor's review is taken over by another server when its server is gone."""


class ReviewRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request to review a selection, files, or a change."""

    target: Target
    roots: tuple[str, ...] = ()
    """URIs of the workspace folders; the review belongs to the first one."""
    is_forced: bool = False
    """Whether to review again even if nothing changed since the last review."""
    max_cost: float | None = None
    """Cost in US dollars after which no model is asked; None: no limit."""
    origin: Origin = "editor"

    @property
    def workspace(self) -> str:
        """The folder that the review belongs to; empty: none."""
        return self.roots[0] if self.roots else ""
