"""Apply changes to a document: send a versioned edit, and detect that it landed.

An edit has landed when the document shows it. The editor's answer is only a hint: some
editors confirm a stale edit that they dropped, some confirm before they send the
change, some never answer. If the user types elsewhere and the editor refuses the edit,
in whichever way, it is sent again for the new version. Edits of one document are sent
one after the other, since each makes the others stale.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal  # Any: futures of different results, one set.
from weakref import WeakKeyDictionary

from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.editor.services import EditorServices
from redline.errors import EditNotLandedError, EditorError, RemoteProtocolError
from redline.supervisor import Supervisor
from redline.text.document import Document, Snapshot
from redline.text.line_diff import LineHunk
from redline.text.position import Position
from redline.text.region import TextEdit, expect_landing, place

_MAX_REBASES = 20
"""Attempts for new versions; a user who types that long does not wait for an edit."""

Landed = Literal["landed", "typed", "closed"]
"""`landed`: it is in the document. `typed`: it is not, because the user typed inside.
`closed`: unknown, because the document was closed or the session has ended."""


class _RefusedError(Exception):
    """The editor reported that it did not apply an edit."""


class Applier:
    """Applies changes to documents."""

    def __init__(self, services: EditorServices, supervisor: Supervisor) -> None:
        self._editor = services.editor
        self._settings = services.settings
        self._supervisor = supervisor
        self._turns: WeakKeyDictionary[Document, asyncio.Lock] = WeakKeyDictionary()

    def is_busy(self, document: Document) -> bool:
        """Whether an edit is on its way into a document."""
        return self._turn(document).locked()

    async def settled(
        self, document: Document, then: Callable[[], None] = lambda: None
    ) -> None:
        """Wait until the edits that are being sent to a document have landed.

        Args:
            document: The document.
            then: Called before another edit can be sent, such as the next step of one
                that grows.
        """
        async with self._turn(document):
            then()

    async def land(
        self,
        edit_target: EditTarget,
        changes: Sequence[LineHunk],
        *,
        label: str,
        on_landed: Callable[[], None] | None = None,
    ) -> Landed:
        """Apply changes to an edit target and update its region to what landed.

        Do not cancel this: an edit that was sent cannot be called back.

        Args:
            edit_target: Where; no other edit may be on its way to it.
            changes: In order and disjoint, in lines of the edit target's region.
            label: The name that the editor may show in its undo menu.
            on_landed: Called as soon as the document shows the changes, before any
                other code can read it; this call returns later.

        Raises:
            EditNotLandedError: If the editor did not apply them.
        """
        if not changes:
            if on_landed is not None:
                on_landed()
            return "landed"
        region = edit_target.region
        async with self._turn(edit_target.document):
            if edit_target.region is not region:
                # The region was planned again meanwhile; these lines refer to the old
                # one.
                return "typed"
            return await self._land(edit_target, changes, label, on_landed)

    def _turn(self, document: Document) -> asyncio.Lock:
        return self._turns.setdefault(document, asyncio.Lock())

    async def _land(
        self,
        edit_target: EditTarget,
        changes: Sequence[LineHunk],
        label: str,
        on_landed: Callable[[], None] | None,
    ) -> Landed:
        for _ in range(_MAX_REBASES):
            # Checked on the first pass too: this call may have waited for the lock.
            if edit_target.is_released:
                return "closed"
            if edit_target.is_touched:
                return "typed"
            version = edit_target.document.version
            try:
                return await self._send(edit_target, changes, label, on_landed)
            except _RefusedError as exc:
                is_stale = edit_target.document.version != version
                if not (is_stale or edit_target.is_touched):
                    raise EditNotLandedError(str(exc)) from exc
            except EditNotLandedError as exc:
                is_stale = edit_target.document.version != version
                if is_stale and not self._editor.traits.takes_versions:
                    raise EditNotLandedError(
                        "The text changed while the edit was sent, and this editor "
                        "does not check for which text an edit was made: it may have "
                        "changed other lines.",
                        remedy="Look at the lines around the range; the editor's undo "
                        "restores them.",
                    ) from exc
                if edit_target.is_touched:
                    return "typed"
                raise
        raise EditNotLandedError("The document kept changing while it was applied.")

    async def _send(
        self,
        edit_target: EditTarget,
        changes: Sequence[LineHunk],
        label: str,
        on_landed: Callable[[], None] | None,
    ) -> Landed:
        """Send the changes for the current version, and wait until they show.

        Raises:
            _RefusedError: If the editor refuses them.
            EditNotLandedError: If they do not show.
        """
        snapshot = edit_target.document.snapshot()
        start = edit_target.start
        region = edit_target.region
        edits = [place(change, start, region, snapshot.lines) for change in changes]
        shown: asyncio.Future[Landed] = asyncio.get_running_loop().create_future()

        def seen(n_lines_moved: int) -> None:
            is_followed = not edit_target.is_released
            if is_followed:
                line = start.line + n_lines_moved
                edit_target.take_over(Position(line, start.character), changes)
                if on_landed is not None:
                    on_landed()
            if not shown.done():
                shown.set_result("landed" if is_followed else "closed")

        edit_target.expect(expect_landing(snapshot.lines, edits), seen)
        asking = self._supervisor.start(
            self._ask(snapshot, edits, label), name="ask the editor to apply"
        )
        # Once the edit shows, the answer does not matter: it may never come.
        first: set[asyncio.Future[Any]] = {asking, shown}
        try:
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if not shown.done() and (refusal := asking.result()) is not None:
                raise _RefusedError(refusal)
            async with asyncio.timeout(self._settings().limits.landing_s):
                return await shown
        except TimeoutError as exc:
            raise EditNotLandedError(
                "The editor did not show the edit in time."
            ) from exc
        finally:
            asking.cancel()
            edit_target.forget()

    async def _ask(
        self, snapshot: Snapshot, edits: Sequence[TextEdit], label: str
    ) -> str | None:
        """Ask the editor to apply edits; returns why it did not, or None."""
        try:
            is_taken = await self._editor.apply_edit(snapshot, edits, label)
        except (EditorError, RemoteProtocolError) as exc:
            return f"The editor did not apply the edit: {str(exc).rstrip('.')}."
        return None if is_taken else "The editor refused the edit."
