"""Growing steps: an edit that enters the document while it is written.

For clients without a preview. Each step is one versioned edit of whole lines that will
not change any more; at most one is unanswered at a time. A session that is stopped
takes its steps back, unless the user has typed among them or wants to keep them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from redline.assist.apply import Applier
from redline.assist.edit.states import Step
from redline.errors import EditNotLandedError
from redline.supervisor import Supervisor
from redline.text.line_diff import diff_lines

if TYPE_CHECKING:
    from redline.assist.edit.session import EditSession


class Stepper:
    """The steps of one session."""

    def __init__(
        self,
        session: EditSession,
        applier: Applier,
        supervisor: Supervisor,
        *,
        keeps_on_stop: bool,
    ) -> None:
        self.has_begun = False
        """Whether anything was sent."""
        self._session = session
        self._applier = applier
        self._supervisor = supervisor
        self._keeps_on_stop = keeps_on_stop
        self._step: asyncio.Task[None] | None = None

    def update(self) -> None:
        """Send what has settled, unless a step is unanswered."""
        shown = self._session.shown
        if self._step is None and shown is not None and shown.live.settled():
            self._step = self._supervisor.start(
                self._send(), name=f"step of {self._session.id}"
            )

    async def idle(self) -> None:
        """Wait until no step is unanswered."""
        while self._step is not None:
            await asyncio.wait({self._step})

    def withdraw(self, *, is_typed: bool) -> None:
        """Take back what has landed, then end the session."""
        self._supervisor.start(
            self._take_back(is_typed=is_typed), name=f"withdraw {self._session.id}"
        )

    async def _send(self) -> None:
        session = self._session
        shown = session.shown
        if shown is None or not session.is_generating:
            # Stopped, or begun anew, before this turn of the loop.
            self._step = None
            return
        settled = shown.live.settled()
        self.has_begun = True
        try:
            landed = await self._applier.land(
                session.site,
                [hunk.change for hunk in settled],
                label=session.label,
                on_landed=lambda: session.accepted(settled),
            )
        except EditNotLandedError as exc:
            self._step = None
            if session.is_generating:
                session.fail(exc, str(exc))
            return
        self._step = None
        if not session.is_generating:
            return
        if session.site.is_touched:
            session.typed_inside()
        elif landed == "landed":
            self.update()

    async def _take_back(self, *, is_typed: bool) -> None:
        session = self._session
        await self.idle()
        if session.has_ended:
            return
        session.message = "Stopped. What was written is kept in the document."
        if session.site.is_released:
            session.message = "The document was closed, so the edit was stopped."
        elif is_typed or session.site.is_touched:
            session.message = (
                "You typed inside the range, so the edit was stopped; the part that "
                "was written is in the document."
            )
        elif not self._keeps_on_stop:
            try:
                await self._applier.land(
                    session.site,
                    diff_lines(session.site.region.lines, session.original),
                    label=f"Take back {session.label}",
                )
                session.message = "Stopped. What was written has been taken back."
            except EditNotLandedError as exc:
                session.message = f"Stopped. What was written is there: {exc}"
        if not session.has_ended:
            session.advance(Step.STOP)
