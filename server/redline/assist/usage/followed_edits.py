"""The edits of the last minute, and whether they stay as they are.

An undo, by the editor or by `takeBack`, is detected from the text: editors do not
report an undo as such.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct

from redline.assist.editor.workspace import Workspace
from redline.assist.usage.edit_outcome import OutcomeWatch
from redline.store.totals import REWORK_WINDOW_S
from redline.text.document import Document

MAX_FOLLOWED = 16
"""More than a user requests in a minute; each costs an anchor in its document."""


class EditedPlace(Struct, frozen=True, kw_only=True):
    """Whole lines of a document, before and after an edit."""

    document: Document
    first: int
    before: Sequence[str]
    after: Sequence[str]

    def shows(self, lines: Sequence[str]) -> bool:
        """Whether the document shows these lines now."""
        end = self.first + len(lines)
        return self.document.snapshot().lines[self.first : end] == list(lines)


class _Followed(Struct, frozen=True):
    outcome_watch: OutcomeWatch
    uri: str
    timer: asyncio.TimerHandle


class FollowedEdits:
    """Watches each edit for a minute."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._followed: dict[str, _Followed] = {}

    def __len__(self) -> int:
        return len(self._followed)

    def follow(
        self,
        task_id: str,
        place: EditedPlace,
        *,
        on_undone: Callable[[], None],
        on_edited: Callable[[], None],
    ) -> None:
        """Watch an edit that has landed, instead of an earlier one with its id.

        Each callback is called at most once, and none after `on_undone`.
        """
        if not place.shows(place.after):
            return

        def undone() -> None:
            self.forget(task_id)
            on_undone()

        self._watch(task_id, place, on_restored=undone, on_edited=on_edited)

    def expect(
        self,
        task_id: str,
        place: EditedPlace,
        *,
        on_landed: Callable[[], None],
        on_undone: Callable[[], None],
        on_edited: Callable[[], None],
    ) -> None:
        """Watch an edit that was handed to the editor, once it has landed."""
        if not place.shows(place.before):
            return

        def undone() -> None:
            self.forget(task_id)
            on_undone()

        def landed() -> None:
            outcome_watch.turn(on_restored=undone, on_edited=on_edited)
            on_landed()

        outcome_watch = self._watch(
            task_id,
            # Swapped: here the edit itself is the text to be restored.
            EditedPlace(
                document=place.document,
                first=place.first,
                before=place.after,
                after=place.before,
            ),
            on_restored=landed,
            on_edited=lambda: None,
        )

    def forget(self, task_id: str) -> None:
        """Stop watching an edit; does nothing if it is not watched."""
        followed = self._followed.pop(task_id, None)
        if followed is not None:
            followed.timer.cancel()
            followed.outcome_watch.release()
            self._workspace.unwatch(followed.uri, followed.outcome_watch)

    def clear(self) -> None:
        """Stop watching all edits."""
        for task_id in list(self._followed):
            self.forget(task_id)

    def _watch(
        self,
        task_id: str,
        place: EditedPlace,
        *,
        on_restored: Callable[[], None],
        on_edited: Callable[[], None],
    ) -> OutcomeWatch:
        self.forget(task_id)
        outcome_watch = OutcomeWatch(
            place.document,
            first=place.first,
            before=place.before,
            after=place.after,
            on_restored=on_restored,
            on_edited=on_edited,
        )
        timer = asyncio.get_running_loop().call_later(
            REWORK_WINDOW_S, self.forget, task_id
        )
        uri = place.document.uri
        self._followed[task_id] = _Followed(outcome_watch, uri, timer)
        self._workspace.watch(uri, outcome_watch)
        for oldest in list(self._followed)[:-MAX_FOLLOWED]:
            self.forget(oldest)
        return outcome_watch
