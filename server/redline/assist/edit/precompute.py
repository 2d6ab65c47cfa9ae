"""Fixes that are computed before they are asked for, within a budget.

They have sessions of their own, which nobody sees: they neither end nor turn what the
user has asked for. Only the newest one is kept.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Sequence

from redline.assist.actions.action import EditWork
from redline.assist.edit.edits import Edits, PendingOutcome
from redline.assist.edit.result import EditRequest
from redline.assist.editor import (
    Began,
    EditEnd,
    EditorTraits,
    EditProgress,
    HunksPainted,
    ProblemMark,
)
from redline.errors import EditNotLandedError
from redline.settings.actions import ActionSettings
from redline.text.document import Snapshot
from redline.text.region import TextEdit

_MINUTE_S = 60.0

Key = tuple[str, int, EditWork]


class PrecomputedFixes:
    """The edit that is most likely asked for next."""

    def __init__(self, *, edits: Edits, settings: Callable[[], ActionSettings]) -> None:
        """Begin with none.

        Args:
            edits: On the user's documents and a `SilentEditor`, for this alone.
            settings: Returns the settings in force.
        """
        self._edits = edits
        self._settings = settings
        self._key: Key | None = None
        self._asked: PendingOutcome | None = None
        self._taken: PendingOutcome | None = None
        self._starts: deque[float] = deque()

    def expect(self, uri: str, version: int, work: EditWork) -> None:
        """Begin to compute an edit of an open document, if the budget allows.

        The one before is stopped.
        """
        key = (uri, version, work)
        # What was taken is the user's now: nothing of ours may end it.
        is_taken = self._taken is not None and not self._taken.answer.done()
        if key == self._key or is_taken or not self._may_begin():
            return
        self.drop()
        request = EditRequest(
            session_id=secrets.token_hex(8),
            uri=uri,
            range=work.range,
            instruction=work.instruction,
            kind=work.kind,
            tier=work.tier,
            from_comment=work.from_comment,
            apply="hand-over",
            n_candidates=1,
        )
        asked = self._edits.open(request)
        # Perhaps nobody ever asks for it, nor why it failed.
        asked.answer.add_done_callback(
            lambda done: done.cancelled() or done.exception()
        )
        self._key, self._asked = key, asked

    def take(self, uri: str, version: int, work: EditWork) -> PendingOutcome | None:
        """Take what was computed, or still is; None: it was not, or came to nothing."""
        if self._asked is None or self._key != (uri, version, work):
            return None
        self._taken = asked = self._asked
        self._asked = self._key = None
        if asked.answer.done() and not _is_of_use(asked):
            return None
        return asked

    def drop(self) -> None:
        """Stop what is computed."""
        if self._asked is not None:
            self._asked.cancel()
        self._asked = self._key = None

    async def aclose(self) -> None:
        """End everything."""
        self.drop()
        await self._edits.aclose()

    def _may_begin(self) -> bool:
        settings = self._settings()
        if not settings.precompute:
            return False
        now = asyncio.get_running_loop().time()
        while self._starts and self._starts[0] <= now - _MINUTE_S:
            self._starts.popleft()
        if len(self._starts) >= settings.precompute_per_minute:
            return False
        self._starts.append(now)
        return True


def _is_of_use(asked: PendingOutcome) -> bool:
    answer = asked.answer
    if answer.cancelled() or answer.exception() is not None:
        return False
    result = answer.result()
    return result.outcome == "computed" and not result.checks


class SilentProgress:
    """Progress that nobody sees."""

    def report(self, message: str) -> None:
        """Show nothing."""

    def end(self, message: str) -> None:
        """Close nothing."""


class SilentEditor:
    """Implements `Editor` for sessions that nobody sees and that change nothing."""

    traits = EditorTraits()
    is_behind = False

    async def apply_edit(
        self, snapshot: Snapshot, edits: Sequence[TextEdit], label: str
    ) -> bool:
        """Refuse: what was not asked for is not applied.

        Raises:
            EditNotLandedError: Always.
        """
        raise EditNotLandedError("An edit that nobody asked for is not applied.")

    def began(self, began: Began) -> None:
        """Tell nobody."""

    def hunks(self, painted: HunksPainted) -> None:
        """Tell nobody."""

    def ended(self, ended: EditEnd) -> None:
        """Tell nobody."""

    def mark(self, snapshot: Snapshot, marks: Sequence[ProblemMark]) -> None:
        """Show nothing."""

    def start_progress(
        self,
        title: str,
        token: str | int | None,
        on_cancel: Callable[[], object],
        *,
        message: str | None = None,
    ) -> EditProgress:
        """Show nothing."""
        return SilentProgress()
