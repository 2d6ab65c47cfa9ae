"""From a candidate to the document: one versioned edit, and knowing that it landed.

An edit has landed when the document shows it. What the editor answers is a hint: some
say yes to a stale edit that they dropped, some say yes before they tell of the change.
While the user types elsewhere, the edit is made again for the new version, as long as
the editor says that it refused the old one, in whichever way. Edits of one document are
sent one after the other, since each makes the others stale.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from redline.assist.editor import Editor
from redline.assist.flight import Flight
from redline.assist.session import EditSession
from redline.assist.states import Step
from redline.errors import EditNotLandedError, EditorError, RemoteProtocolError
from redline.settings.tree import Settings
from redline.supervisor import Supervisor
from redline.text.document import Document
from redline.text.proposal import Proposal, ProposedHunk

_MAX_REBASES = 20
"""Someone who types faster than that for this long is not waiting for an edit."""


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why an edit has not landed."""

    reason: str
    is_refusal: bool
    """Whether the editor said so, so that it can be sent again."""


class Applier:
    """Brings sessions' changes into their documents."""

    def __init__(self, *, editor: Editor, settings: Callable[[], Settings]) -> None:
        self._editor = editor
        self._settings = settings
        self._supervisor = Supervisor()
        self._turns: WeakKeyDictionary[Document, asyncio.Lock] = WeakKeyDictionary()

    async def apply(self, session: EditSession, proposal: Proposal) -> None:
        """Apply all of a session that is `CHECKING`; it is over after.

        Raises:
            EditNotLandedError: If the editor did not take it.
        """
        session.advance(Step.APPLY)
        await self._shielded(session, self._apply(session, proposal))

    async def accept(
        self, session: EditSession, accepted: Sequence[ProposedHunk]
    ) -> None:
        """Apply hunks of an offer; the rest of it waits on.

        Raises:
            EditNotLandedError: If the editor did not take them; the offer stays.
        """
        session.begin_accepting()
        await self._shielded(session, self._accept(session, accepted))

    def is_busy(self, document: Document) -> bool:
        """Whether an edit is on its way into a document."""
        return self._turn(document).locked()

    async def settled(self, document: Document) -> None:
        """Wait until the edits that are on their way into a document have landed."""
        async with self._turn(document):
            pass

    async def aclose(self) -> None:
        """Let edits that have been given up come to their end."""
        await self._supervisor.wait(limit_s=1.0)
        await self._supervisor.aclose()

    def _turn(self, document: Document) -> asyncio.Lock:
        return self._turns.setdefault(document, asyncio.Lock())

    async def _shielded(
        self, session: EditSession, work: Coroutine[None, None, None]
    ) -> None:
        # An edit that has been sent cannot be called back, so it is seen through even
        # if the request that wanted it is cancelled.
        task = self._supervisor.start(_seen_through(work), name=f"apply {session.id}")
        if (error := await asyncio.shield(task)) is not None:
            raise error

    async def _apply(self, session: EditSession, proposal: Proposal) -> None:
        try:
            async with self._turn(session.document):
                await self._land(session, proposal.hunks)
        except EditNotLandedError as exc:
            # Here, since nobody may be waiting any more.
            session.fail(str(exc))
            raise

    async def _accept(
        self, session: EditSession, accepted: Sequence[ProposedHunk]
    ) -> None:
        try:
            async with self._turn(session.document):
                await self._land(session, accepted)
        finally:
            session.wait_again()

    async def _land(self, session: EditSession, hunks: Sequence[ProposedHunk]) -> None:
        """Bring hunks of a session that is `APPLYING` into the document.

        If they have no place any more, because the user typed into the region or closed
        the document, the session is stopped.

        Raises:
            EditNotLandedError: If the editor did not take them.
        """
        for _ in range(_MAX_REBASES):
            if session.is_lost:
                session.drop()
                return
            flight = session.send_off(hunks)
            try:
                failure = await self._fly(flight, session)
            finally:
                session.call_off()
            if failure is None:
                return
            has_moved_on = session.document.version != flight.snapshot.version
            is_worth_it = failure.is_refusal and has_moved_on
            if not is_worth_it and not session.is_lost:
                raise EditNotLandedError(failure.reason)
        raise EditNotLandedError("The document kept changing while it was applied.")

    async def _fly(self, flight: Flight, session: EditSession) -> _Failure | None:
        """Send an edit, and wait until the document shows it.

        Returns:
            Why it has not landed; None if it has.
        """
        name = f"ask for {session.id}"
        asking = self._supervisor.start(self._ask(flight, session.label), name=name)
        # Once the edit shows, the answer does not matter: it may never come.
        first: set[asyncio.Future[bool] | asyncio.Future[str | None]]
        first = {asking, flight.ended}
        try:
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if not flight.ended.done() and (refusal := asking.result()) is not None:
                return _Failure(refusal, is_refusal=True)
            async with asyncio.timeout(self._settings().limits.landing_s):
                await flight.ended
        except TimeoutError:
            reason = "The editor did not show the edit in time."
            return _Failure(reason, is_refusal=False)
        finally:
            asking.cancel()
        if flight.has_landed:
            return None
        return _Failure("The edit was given up.", is_refusal=False)

    async def _ask(self, flight: Flight, label: str) -> str | None:
        """Ask the editor to apply edits; returns why it did not, as a sentence."""
        try:
            is_taken = await self._editor.apply_edit(
                flight.snapshot, flight.edits, label
            )
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
