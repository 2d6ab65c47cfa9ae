"""What the user changed last, for the prompt of a completion.

It is read in pauses only: a key never waits for it, and while the user types,
providers can cache the prompt up to what changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.assist.context.recent_edits import RecentEdit, secrets_around
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.suggestions.complete.pause_timer import PauseTimer
from redline.text.document import Document

MAX_CHARS = 1_200
"""Of all edits together; a larger one is left out."""


class EditsAtPause:
    """The last edits as pairs of a path and a text, the newest last."""

    def __init__(
        self,
        workspace: Workspace,
        recent_edits: Callable[[], Sequence[RecentEdit]],
        ignore_rules: TimelyRules,
    ) -> None:
        """Begin.

        Args:
            workspace: Names the paths of documents.
            recent_edits: Returns the edits of all documents, the newest last.
            ignore_rules: Edits of ignored files are left out, as are those of other
                files outside of the workspace.
        """
        self._workspace = workspace
        self._recent_edits = recent_edits
        self._ignore_rules = ignore_rules
        self._timer = PauseTimer(self._recall)
        self._edits: tuple[RecentEdit, ...] = ()
        """Those of the last pause."""
        self._uri = ""
        """The document that edits were chosen for."""
        self._chosen: tuple[RecentEdit, ...] = ()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What lines around the edits show to be secret."""
        return secrets_around(self._edits)

    def note_key(self, now_s: float) -> None:
        """Record that the user has typed."""
        self._timer.note_key(now_s)

    def forget(self, document: Document) -> None:
        self._edits = _without(self._edits, document)
        self._chosen = _without(self._chosen, document)

    def close(self) -> None:
        """Read nothing any more."""
        self._timer.close()

    def texts(self, document: Document, line: int) -> tuple[tuple[str, str], ...]:
        """Return the edits, without those that touch the cursor's line: it is half
        written, and follows in the prompt.

        Which these are is decided after a pause; whether their files may be sent, each
        time.
        """
        if self._uri != document.uri:
            self._uri = document.uri
            self._chosen = self._choose(document, line)
        return shown_edits(
            self._chosen,
            document,
            self._workspace,
            self._ignore_rules,
            write=lambda edit: edit.text,
        )

    def _recall(self) -> None:
        self._edits = tuple(self._recent_edits())
        self._uri = ""

    def _choose(self, document: Document, line: int) -> tuple[RecentEdit, ...]:
        return tuple(
            edit
            for edit in self._edits
            if not (
                edit.document is document
                and edit.lines.start - 1 <= line <= edit.lines.stop
            )
        )


def _without(
    edits: tuple[RecentEdit, ...], document: Document
) -> tuple[RecentEdit, ...]:
    return tuple(edit for edit in edits if edit.document is not document)


def shown_edits(
    edits: Sequence[RecentEdit],
    document: Document,
    workspace: Workspace,
    ignore_rules: TimelyRules,
    *,
    write: Callable[[RecentEdit], str],
) -> tuple[tuple[str, str], ...]:
    """Return the last edits that may be sent, within `MAX_CHARS`.

    Args:
        edits: The edits, the newest last.
        document: The document whose prompt they are for.
        workspace: Names the paths of documents.
        ignore_rules: Edits of ignored files are left out.
        write: Returns the text of an edit, without its path.

    Returns:
        Paths and texts, the newest last.
    """
    texts: list[tuple[str, str]] = []
    n_chars = 0
    roots = workspace.roots
    for edit in reversed(edits):
        uri = edit.document.uri
        is_known = edit.document is document or ignore_rules.is_inside(uri, roots)
        if not is_known or ignore_rules.reason(uri, roots) is not None:
            continue
        path = workspace.relative_path(uri)
        text = f"{path}\n{write(edit)}"
        if n_chars + len(text) <= MAX_CHARS:
            n_chars += len(text)
            texts.append((path, text))
    return tuple(reversed(texts))
