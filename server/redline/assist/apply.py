"""From changes to the document: one versioned edit, and knowing that it landed.

An edit has landed when the document shows it. What the editor answers is a hint: some
say yes to a stale edit that they dropped, some say yes before they tell of the change.
While the user types elsewhere, the edit is made again for the new version, as long as
the editor says that it refused the old one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from redline.assist.editor import Editor
from redline.assist.site import Site
from redline.errors import EditNotLandedError, EditorError
from redline.settings.tree import Settings
from redline.text.line_diff import LineHunk
from redline.text.region import expect_landing, place

_MAX_REBASES = 20
"""Someone who types faster than that for this long is not waiting for an edit."""

Landed = Literal["landed", "typed", "closed"]
"""In the document; not, because the user typed inside; not, because it was closed."""


class Applier:
    """Brings changes into documents."""

    def __init__(self, *, editor: Editor, settings: Callable[[], Settings]) -> None:
        self._editor = editor
        self._settings = settings

    async def land(
        self, site: Site, changes: Sequence[LineHunk], *, label: str
    ) -> Landed:
        """Bring changes into a site, which then is what has landed.

        Once begun it must be seen through: an edit that was sent cannot be called back.

        Args:
            site: Where; nothing else may be on its way to it.
            changes: In order and apart, in lines of the site's region.
            label: What the editor may call it, in its undo menu.

        Raises:
            EditNotLandedError: If the editor did not take them.
        """
        if not changes:
            return "landed"
        for _ in range(_MAX_REBASES):
            version = site.document.version
            landed = await self._send(site, changes, label)
            if landed is not None:
                return landed
            if site.is_touched:
                return "typed"
            if site.document.version == version:
                raise EditNotLandedError("The editor refused the edit.")
        raise EditNotLandedError("The document kept changing while it was applied.")

    async def _send(
        self, site: Site, changes: Sequence[LineHunk], label: str
    ) -> Landed | None:
        """Send the changes for the version at hand, and wait for them to show.

        Returns:
            None if the editor says that it did not apply them.
        """
        snapshot = site.document.snapshot()
        start = site.start
        n_lines = len(site.region.lines)
        edits = [place(change, start, n_lines, snapshot.lines) for change in changes]
        shown: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def landed(seen: bool) -> None:
            if seen:
                site.take_over(start, changes)
            if not shown.done():
                shown.set_result(seen)

        site.expect(expect_landing(snapshot.lines, edits), landed)
        try:
            is_taken = await self._editor.apply_edit(snapshot, edits, label)
            if not is_taken and not shown.done():
                return None
            async with asyncio.timeout(self._settings().limits.landing_s):
                return "landed" if await shown else "closed"
        except TimeoutError as exc:
            raise EditNotLandedError(
                "The editor did not show the edit in time."
            ) from exc
        except EditorError as exc:
            raise EditNotLandedError(
                f"The editor did not apply the edit: {exc}"
            ) from exc
        finally:
            site.forget()
