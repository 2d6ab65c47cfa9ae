"""Growing steps: an edit that enters the document while it is written.

For clients without a preview. Each step is one versioned edit of whole lines that will
not change again; at most one is unanswered at a time. A stopped session takes its steps
back, unless the user typed among them or wants to keep them.
"""

from __future__ import annotations

import asyncio

from redline.assist.edit.document.applier import Applier
from redline.assist.edit.document.document_changes import typed_inside
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State, Step
from redline.errors import EditNotLandedError
from redline.supervisor import Supervisor
from redline.text.line_diff import diff_lines
from redline.text.streaming_diff import Hunk


class GrowingSteps:
    """The steps of one session."""

    def __init__(
        self,
        session: EditSession,
        applier: Applier,
        supervisor: Supervisor,
        *,
        keeps_on_stop: bool,
    ) -> None:
        self._session = session
        self._applier = applier
        self._supervisor = supervisor
        self._keeps_on_stop = keeps_on_stop
        self._step: asyncio.Task[None] | None = None

    def update(self) -> None:
        """Send the settled lines as a step, unless one is unanswered."""
        if self._step is None and self._settled():
            self._step = self._supervisor.start(
                self._send(), name=f"step of {self._session.id}"
            )

    async def idle(self) -> None:
        """Wait until no step is unanswered."""
        while self._step is not None:
            await asyncio.wait({self._step})

    async def withdraw(self) -> None:
        """Take back the landed steps, then end the session."""
        await self.idle()
        if self._session.state.is_end:
            return
        message = await self._take_back()
        if not self._session.state.is_end:
            self._session.lifecycle.advance(Step.STOP, message)

    async def _send(self) -> None:
        session = self._session
        settled = self._settled()
        if not settled or session.state is not State.GENERATING:
            # Stopped, redirected or cut off before this task ran.
            self._step = None
            return
        session.acceptance.begin_steps()
        try:
            landed = await self._applier.land(
                session.edit_target,
                settled,
                label=session.label,
                on_landed=lambda: session.acceptance.landed(settled),
            )
        except EditNotLandedError as exc:
            self._step = None
            if session.state is State.GENERATING:
                session.fail(exc, str(exc))
            return
        self._step = None
        if session.state is not State.GENERATING:
            return
        if session.edit_target.is_touched:
            typed_inside(session)
        elif landed == "landed":
            self.update()

    def _settled(self) -> tuple[Hunk, ...]:
        """Return what can be sent: nothing of a reply that is not whole, whose end
        deletes the rest of the range."""
        shown = self._session.offer.shown
        if shown is None or shown.unread is not None:
            return ()
        return shown.live.settled()

    async def _take_back(self) -> str:
        """Restore the original text if possible; returns a message for the user."""
        session = self._session
        if session.edit_target.is_released:
            return "The document was closed, so the edit was stopped."
        if session.lifecycle.stopped_by == "typed" or session.edit_target.is_touched:
            return (
                "You typed inside the range, so the edit was stopped; the part that "
                "was written is in the document."
            )
        if self._keeps_on_stop:
            return "Stopped. What was written is kept in the document."
        try:
            await self._applier.land(
                session.edit_target,
                diff_lines(
                    session.edit_target.region.lines, session.edit_target.original
                ),
                label=f"Take back {session.label}",
            )
        except EditNotLandedError as exc:
            return f"Stopped. What was written is there: {exc}"
        return "Stopped. What was written has been taken back."
