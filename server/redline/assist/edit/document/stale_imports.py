"""Finds changes of imports that a document does not need any more.

Its text may have changed since they were computed, by the user or by another edit; and
edits that are written or offered meanwhile use imports, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.assist.edit.session.session import EditSession
from redline.checks.import_changes.stale_changes import is_stale
from redline.syntax.language import language_of
from redline.text.streaming_diff import Hunk


class StaleImports:
    """Looks at the changes of imports of one editor's edits before they are applied."""

    def __init__(self, sessions: Callable[[], Sequence[EditSession]]) -> None:
        """Create one.

        Args:
            sessions: Returns the sessions that are not over.
        """
        self._sessions = sessions

    def among(self, session: EditSession, hunks: Sequence[Hunk]) -> set[int]:
        """Return the ids of those hunks that are stale changes of imports.

        Args:
            session: Its edit target is as wide as its proposal.
            hunks: The hunks that are about to be applied.
        """
        target = session.edit_target
        document = target.document
        language = language_of(document.uri, document.language_id)
        if not target.n_above or language is None:
            return set()
        lines = document.snapshot().lines
        proposal = session.offer.proposal
        # What is not accepted yet may still be.
        offered = proposal.hunks if proposal is not None else ()
        changes = {hunk.id: hunk.moved(target.first_line) for hunk in offered}
        written = [
            line
            for other in self._sessions()
            if other is not session and other.edit_target.document is document
            for line in other.offer.written
        ]
        return {
            hunk.id
            for hunk in hunks
            if hunk.end <= target.n_above
            and hunk.start < target.n_above
            and is_stale(
                changes[hunk.id],
                lines,
                [change for each, change in changes.items() if each != hunk.id],
                language,
                written=written,
            )
        }
