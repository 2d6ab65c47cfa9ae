"""An edit of ours on its way into its document, and whether it has landed.

The document is the only witness: what the editor answers is a hint. An edit is made for
one version; the anchor that it puts around its place lets it be recognised also where
the client tells of it together with what the user typed elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from redline.text.document import Document
from redline.text.position import Position
from redline.text.proposal import ProposedHunk
from redline.text.region import expect_landing, place


class Flight:
    """One versioned edit, from when it is made until it has landed or is given up.

    Attributes:
        hunks: What of a proposal it brings.
        snapshot: The document it is made for.
        edits: What it changes there, in order.
        ended: Resolves when the document shows it (True), or when there is no sense in
            waiting any longer (False).
    """

    def __init__(
        self,
        document: Document,
        hunks: Sequence[ProposedHunk],
        *,
        start: Position,
        n_lines: int,
    ) -> None:
        """Make the edit.

        Args:
            document: As it is now.
            hunks: At least one, in order.
            start: Where their region starts now.
            n_lines: How many lines their region has.
        """
        self.hunks = tuple(hunks)
        self.snapshot = document.snapshot()
        lines = self.snapshot.lines
        self.edits = tuple(place(hunk, start, n_lines, lines) for hunk in hunks)
        self.ended: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._document = document
        self._start = start
        self._landing = expect_landing(lines, self.edits)
        self._anchor = document.anchor(self._landing.range)

    @property
    def has_landed(self) -> bool:
        """Whether the document has shown it."""
        return self.ended.done() and not self.ended.cancelled() and self.ended.result()

    @property
    def region_start(self) -> Position:
        """Where the region starts in the document that shows it."""
        first = self._landing.first_line(self._anchor.range)
        shift = first - self._landing.range.start.line
        return Position(self._start.line + shift, self._start.character)

    def is_seen(self) -> bool:
        """Whether the document shows it now."""
        lines = self._document.snapshot().lines
        return self._landing.is_seen_in(lines, self._anchor.range)

    def end(self, *, landed: bool) -> None:
        """Say how it ended and stop following it; only the first time counts."""
        self._document.release(self._anchor)
        if not self.ended.done():
            self.ended.set_result(landed)
