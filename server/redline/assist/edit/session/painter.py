"""Paints a session's hunks in clients with a preview.

A thousand deltas a second may arrive, while an editor repaints perhaps sixty times:
updates are merged per turn of the event loop and per paint interval, and the last state
is always sent.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from collections.abc import Iterable

from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.editor.editor import Editor, HunksPainted, PreviewHunk
from redline.cadence import next_due
from redline.text.region import n_covered, place
from redline.text.streaming_diff import Hunk

_BEHIND_S = 0.05
"""How often to check whether an editor has read what it was sent."""


class Painter:
    """The preview of one session as the client has it."""

    def __init__(
        self,
        *,
        editor: Editor,
        session_id: str,
        edit_target: EditTarget,
        paints_per_s: float,
    ) -> None:
        self._editor = editor
        self._session_id = session_id
        self._edit_target = edit_target
        self._interval_s = 1 / paints_per_s if paints_per_s else 0.0
        self._loop = asyncio.get_running_loop()
        self._hunks: dict[int, Hunk] = {}
        self._starts: list[int] = []
        """Where they start, in order."""
        self._dirty: set[int] = set()
        self._removed: set[int] = set()
        self._shown: set[int] = set()
        self._is_full = False
        self._seq = 0
        self._due: asyncio.Handle | None = None
        self._next_paint = 0.0
        self._is_closed = False

    def update(self, hunks: Iterable[Hunk], removed: Iterable[int] = ()) -> None:
        """Queue changed, new and removed hunks for the next paint."""
        for hunk in hunks:
            self._forget(hunk.id)
            self._hunks[hunk.id] = hunk
            insort(self._starts, hunk.start)
            self._dirty.add(hunk.id)
            self._removed.discard(hunk.id)
        for gone in removed:
            if self._forget(gone):
                self._dirty.discard(gone)
                # Hunks that were never sent need not be removed.
                self._removed |= {gone} & self._shown
        if not (self._dirty or self._removed):
            return
        if self._seq or self._due is not None or self._is_closed:
            self._schedule()
        else:
            # Paint the first sign of an answer at once.
            self._paint_if_read()

    def replace(self, hunks: Iterable[Hunk]) -> None:
        """Start over with other hunks."""
        self._hunks = {hunk.id: hunk for hunk in hunks}
        self._starts = sorted(hunk.start for hunk in self._hunks.values())
        self.moved()

    def moved(self) -> None:
        """Send all places again, because the document changed elsewhere."""
        self._is_full = True
        self._schedule()

    def flush(self) -> None:
        """Send what is pending now."""
        if self._due is not None:
            self._due.cancel()
            self._paint()

    def close(self) -> None:
        """Stop sending, including what is pending."""
        self._is_closed = True
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def state(self) -> HunksPainted:
        """The whole preview, for a client that missed something."""
        return self._message(self._hunks, is_full=True, removed=())

    def _forget(self, hunk_id: int) -> bool:
        """Remove a hunk; returns whether there was one."""
        hunk = self._hunks.pop(hunk_id, None)
        if hunk is not None:
            del self._starts[bisect_left(self._starts, hunk.start)]
        return hunk is not None

    def _schedule(self) -> None:
        if self._due is None and not self._is_closed:
            at = max(self._next_paint, self._loop.time())
            # `call_at` in the past still waits for the next turn of the loop, which
            # merges the deltas of one socket read.
            self._due = self._loop.call_at(at, self._paint_if_read)

    def _paint_if_read(self) -> None:
        if self._editor.is_behind:
            # It would show an outdated state by then; the next paint contains
            # everything.
            self._due = self._loop.call_later(_BEHIND_S, self._paint_if_read)
        else:
            self._paint()

    def _paint(self) -> None:
        self._due = None
        if self._edit_target.is_touched:
            # The hunks are of a text that is gone; their replacement is painted once it
            # is known.
            return
        self._next_paint = next_due(
            self._next_paint, self._loop.time(), self._interval_s
        )
        ids = self._hunks if self._is_full else sorted(self._dirty)
        removed = () if self._is_full else tuple(sorted(self._removed))
        self._seq += 1
        painted = self._message(ids, is_full=self._is_full, removed=removed)
        if self._is_full:
            self._shown.clear()
        self._shown.difference_update(removed)
        self._shown.update(ids)
        self._dirty.clear()
        self._removed.clear()
        self._is_full = False
        self._editor.hunks(painted)

    def _message(
        self, ids: Iterable[int], *, is_full: bool, removed: tuple[int, ...]
    ) -> HunksPainted:
        edit_target = self._edit_target
        snapshot = edit_target.document.snapshot()
        start, region = edit_target.start, edit_target.region
        hunks = tuple(
            PreviewHunk(
                id=hunk.id,
                edit=place(hunk, start, region, snapshot.lines),
                state=hunk.state,
                n_covered=n_covered(hunk, self._starts, region.lines),
            )
            for hunk in sorted(
                (self._hunks[i] for i in ids), key=lambda h: (h.start, h.id)
            )
        )
        return HunksPainted(
            session_id=self._session_id,
            seq=self._seq,
            snapshot=snapshot,
            is_full=is_full,
            hunks=hunks,
            removed=removed,
        )
