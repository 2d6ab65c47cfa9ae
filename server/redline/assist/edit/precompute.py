"""Fixes that are computed before the user requests them, within a budget.

They have invisible sessions of their own, which neither end nor redirect the user's
sessions. Only the newest fix is kept.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable

from redline.assist.actions.action import EditWork
from redline.assist.edit.computed_edit import computed_edit
from redline.assist.edit.edits import Edits, PendingOutcome
from redline.assist.edit.running.live_budget import LiveBudget
from redline.assist.edit.session.result import EditRequest, FinishWriting, WrittenEdit
from redline.errors import RedlineError
from redline.settings.actions import ActionSettings

Key = tuple[str, int, EditWork]


def hand_over_request(
    uri: str,
    work: EditWork,
    *,
    title: str | None = None,
    n_candidates: int | None = None,
) -> EditRequest:
    """Return the request for an edit that its caller applies."""
    return EditRequest(
        session_id=secrets.token_hex(8),
        uri=uri,
        range=work.range,
        ranges=work.ranges,
        instruction=work.instruction,
        kind=work.kind,
        tier=work.tier,
        model=work.model,
        from_comment=work.from_comment,
        apply="hand-over",
        title=title,
        n_candidates=n_candidates,
    )


class PrecomputedFixes:
    """The edit that the user will most likely request next."""

    def __init__(self, *, edits: Edits, settings: Callable[[], ActionSettings]) -> None:
        """Start with no fix.

        Args:
            edits: Works on the user's documents with a `HandOverEditor`; used only
                here.
            settings: Returns the settings in force.
        """
        self._edits = edits
        self._settings = settings
        self._key: Key | None = None
        self._asked: PendingOutcome | None = None
        self._taken: PendingOutcome | None = None
        self._budget = LiveBudget()

    def expect(self, uri: str, version: int, work: EditWork) -> None:
        """Start to compute an edit of an open document, if the budget allows.

        The previous one is stopped.
        """
        key = (uri, version, work)
        # The fix that was taken is the user's now and must not be ended here.
        is_taken = self._taken is not None and not self._taken.answer.done()
        if key == self._key or is_taken or not self._may_begin():
            return
        self.drop()
        asked = self._edits.open(hand_over_request(uri, work, n_candidates=1))
        # Retrieve the exception, since perhaps no caller ever will.
        asked.answer.add_done_callback(
            lambda done: done.cancelled() or done.exception()
        )
        self._key, self._asked = key, asked

    def take(self, uri: str, version: int, work: EditWork) -> PendingOutcome | None:
        """Return the fix, finished or running; None: there is none, or it failed."""
        if self._asked is None or self._key != (uri, version, work):
            return None
        self._taken = asked = self._asked
        self._asked = self._key = None
        if asked.answer.done() and not _is_of_use(asked):
            return None
        return asked

    def writing(self, uri: str, version: int, work: EditWork) -> FinishWriting | None:
        """Take the fix, and return what waits for it; None: there is none."""
        asked = self.take(uri, version, work)
        return None if asked is None else lambda: _written(asked)

    def drop(self) -> None:
        """Stop the fix that is being computed."""
        if self._asked is not None:
            self._asked.cancel()
        self._asked = self._key = None

    async def aclose(self) -> None:
        """Stop every session."""
        self.drop()
        await self._edits.aclose()

    def _may_begin(self) -> bool:
        settings = self._settings()
        if not settings.precompute:
            return False
        wait_s = self._budget.take(
            per_minute=settings.precompute_per_minute,
            now=asyncio.get_running_loop().time(),
        )
        return wait_s == 0


async def _written(asked: PendingOutcome) -> WrittenEdit | None:
    try:
        await computed_edit(asked)
    except RedlineError:
        return None
    shown, proposal = asked.session.offer.shown, asked.session.offer.proposal
    if shown is None or proposal is None:
        return None
    own = proposal.range_part
    return WrittenEdit(
        old_lines=own.old_lines,
        lines=tuple(own.new_lines),
        problems=None if proposal.n_above else (),
        score=shown.score,
        imports=shown.reply.imports if shown.reply is not None else (),
    )


def _is_of_use(asked: PendingOutcome) -> bool:
    answer = asked.answer
    if answer.cancelled() or answer.exception() is not None:
        return False
    result = answer.result()
    return result.outcome == "computed" and not result.checks
