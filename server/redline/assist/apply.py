"""From a candidate to the document: one versioned edit, and knowing that it landed.

An edit has landed when the document shows it. What the editor answers is a hint: some
say yes to a stale edit that they dropped, some say yes before they tell of the change.
While the user types elsewhere, the edit is made again for the new version, as long as
the editor says that it refused the old one, in whichever way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence

from redline.assist.editor import Editor
from redline.assist.session import EditSession
from redline.assist.states import State, Step
from redline.errors import EditNotLandedError, EditorError, RemoteProtocolError
from redline.settings.tree import Settings
from redline.supervisor import Supervisor
from redline.text.document import Snapshot
from redline.text.line_diff import LineHunk
from redline.text.proposal import Proposal, ProposedHunk
from redline.text.region import TextEdit, expect_landing, place

_MAX_REBASES = 20
"""Someone who types faster than that for this long is not waiting for an edit."""


class Applier:
    """Brings sessions' changes into their documents."""

    def __init__(self, *, editor: Editor, settings: Callable[[], Settings]) -> None:
        self._editor = editor
        self._settings = settings
        self._supervisor = Supervisor()

    async def apply(self, session: EditSession, proposal: Proposal) -> None:
        """Apply all of a session that is `APPLYING`; it is applied or stopped after.

        Raises:
            EditNotLandedError: If the editor did not take it.
        """
        await self._shielded(session, self._apply(session, proposal))

    async def accept(
        self,
        session: EditSession,
        proposal: Proposal,
        accepted: Sequence[ProposedHunk],
    ) -> None:
        """Apply hunks of an offer; the rest of it waits on.

        Raises:
            EditNotLandedError: If the editor did not take them; the offer stays.
        """
        back = Step.HOLD if session.state is State.HELD else Step.OFFER
        session.advance(Step.ACCEPT)
        await self._shielded(session, self._accept(session, proposal, accepted, back))

    async def aclose(self) -> None:
        """Let go of edits that are on their way."""
        await self._supervisor.aclose(limit_s=1.0)

    async def _shielded(
        self, session: EditSession, work: Coroutine[None, None, None]
    ) -> None:
        # An edit that has been sent cannot be called back, so it is seen through even
        # if the request that wanted it is cancelled.
        task = self._supervisor.start(_seen_through(work), name=f"apply {session.id}")
        if (error := await asyncio.shield(task)) is not None:
            raise error

    async def _apply(self, session: EditSession, proposal: Proposal) -> None:
        changes = [hunk.change for hunk in proposal.hunks]
        try:
            has_landed = await self._land(session, changes)
        except EditNotLandedError as exc:
            # Here, since nobody may be waiting any more.
            session.fail(str(exc))
            raise
        if has_landed:
            session.advance(Step.LANDED)

    async def _accept(
        self,
        session: EditSession,
        proposal: Proposal,
        accepted: Sequence[ProposedHunk],
        back: Step,
    ) -> None:
        try:
            has_landed = await self._land(session, [h.change for h in accepted])
        except EditNotLandedError:
            session.advance(back)
            raise
        if not has_landed:
            return
        rest = proposal.after_accepting(accepted)
        session.proposal = rest
        if not rest.hunks:
            session.message = "Accepted."
            session.advance(Step.ACCEPTED)
            return
        session.advance(back)
        if session.painter is not None:
            session.painter.replace(rest.hunks, n_lines=len(rest.old_lines))

    async def _land(self, session: EditSession, changes: Sequence[LineHunk]) -> bool:
        """Bring changes into the document.

        Returns:
            Whether they landed; if not, the session has been stopped, because the user
            typed into its region or closed the document.

        Raises:
            EditNotLandedError: If the editor did not take them.
        """
        for _ in range(_MAX_REBASES):
            version = session.document.version
            refusal = await self._send(session, changes)
            if refusal is None:
                return not session.has_ended
            if session.has_ended:
                return False
            if session.anchor.is_touched:
                session.message = (
                    "You typed inside the range while the edit was applied; "
                    "your text is kept and the edit was dropped."
                )
                session.advance(Step.STOP)
                return False
            if session.document.version == version:
                raise EditNotLandedError(refusal)
        raise EditNotLandedError("The document kept changing while it was applied.")

    async def _send(
        self, session: EditSession, changes: Sequence[LineHunk]
    ) -> str | None:
        """Send the changes for the version at hand, and wait for them to show.

        Returns:
            Why the editor did not apply them, as a sentence; None if they have landed,
            or if the document was closed, which has stopped the session.

        Raises:
            EditNotLandedError: If they do not show and the editor gave no reason.
        """
        snapshot = session.document.snapshot()
        start = session.anchor.range.start
        n_lines = len(session.region.lines)
        edits = [place(change, start, n_lines, snapshot.lines) for change in changes]
        shown: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def landed(seen: bool) -> None:
            if seen:
                session.take_over_landed(start, changes)
            if not shown.done():
                shown.set_result(seen)

        session.expect_landing(expect_landing(snapshot.lines, edits), landed)
        asking = self._supervisor.start(
            self._ask(snapshot, edits, session.label), name=f"ask for {session.id}"
        )
        # Once the edit shows, the answer does not matter: it may never come.
        first: set[asyncio.Future[bool] | asyncio.Future[str | None]] = {asking, shown}
        try:
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if not shown.done() and (refusal := asking.result()) is not None:
                return refusal
            async with asyncio.timeout(self._settings().limits.landing_s):
                has_landed = await shown
        except TimeoutError as exc:
            raise EditNotLandedError(
                "The editor did not show the edit in time."
            ) from exc
        finally:
            asking.cancel()
            session.forget_landing()
        if not has_landed:
            session.message = "The document was closed, so the edit was dropped."
            session.advance(Step.STOP)
        return None

    async def _ask(
        self, snapshot: Snapshot, edits: Sequence[TextEdit], label: str
    ) -> str | None:
        """Ask the editor to apply edits; returns why it did not, as a sentence."""
        try:
            is_taken = await self._editor.apply_edit(snapshot, edits, label)
        except (EditorError, RemoteProtocolError) as exc:
            return f"The editor did not apply the edit: {str(exc).rstrip('.')}."
        return None if is_taken else "The editor refused the edit."


async def _seen_through(
    work: Coroutine[None, None, None],
) -> EditNotLandedError | None:
    """Return the failure that is to be expected; any other is a bug, and logged."""
    try:
        await work
    except EditNotLandedError as exc:
        return exc
    return None
