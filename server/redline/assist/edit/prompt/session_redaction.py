"""Redaction: one table of placeholders for the secrets of each session.

All text that a session sends to a model, on any tier, goes through its table, so that a
secret has one name in the session's drafts, redirects and repairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from redline.assist.edit.attempts.reply_reader import ReplyReader, RestoringReader
from redline.assist.edit.session.session import EditSession
from redline.prompts.edit import EditTask
from redline.prompts.hidden_task import HiddenTask, hide_task
from redline.prompts.redaction import (
    NO_SECRETS,
    SecretTable,
    hide,
    placeholders_in,
    text_around,
    withholding,
)
from redline.text.lines import with_line_feeds


class Redaction:
    """The placeholder tables of one editor's sessions."""

    def __init__(self) -> None:
        self._tables: WeakKeyDictionary[EditSession, SecretTable] = WeakKeyDictionary()
        self._own: WeakKeyDictionary[EditSession, frozenset[int]] = WeakKeyDictionary()
        """Placeholders in the edited file and in what the user has written."""

    def hide_task(
        self,
        session: EditSession,
        task: EditTask,
        others: Sequence[str] = (),
        known: Sequence[str] = (),
    ) -> HiddenTask:
        """Replace the secrets of a task and of the other texts of its prompt.

        Args:
            session: The session, whose table is used.
            task: The task.
            others: The other texts.
            known: Secrets that they may show without a sign of it.
        """
        target = session.edit_target
        hidden = hide_task(
            task,
            others=others,
            known=known,
            document=text_around(
                target.document.snapshot().lines,
                target.first_line,
                target.first_line + len(target.region.lines),
            ),
            table=self._table(session),
        )
        if not hidden.table.secrets:
            return hidden
        self._tables[session] = hidden.table
        given = hidden.task
        own = [given.before, given.target, given.after, given.image_description or ""]
        if session.request.kind != "tests":
            # The instruction for tests quotes the code of another file.
            own += [given.instruction, given.earlier or ""]
        self._add_own(session, own)
        return hidden

    def hide(self, session: EditSession, text: str) -> str:
        """Replace the secrets of a text that the user has written."""
        hidden, table = hide(text, self._table(session))
        if table.secrets:
            self._tables[session] = table
            self._add_own(session, [hidden])
        return hidden

    def reader(self, session: EditSession, reader: ReplyReader) -> ReplyReader:
        """Return a reader that restores the secrets before `reader` reads the reply.

        Those that only other files have stay placeholders, which the checks report.
        """
        table = self._table(session)
        if not table.secrets:
            return reader
        text = with_line_feeds(session.edit_target.document.snapshot().lines)
        own = self._own.get(session, frozenset())
        return RestoringReader(reader, withholding(table, own=own, text=text))

    def secrets(self, session: EditSession) -> tuple[str, ...]:
        """Return the secrets that the session has replaced so far."""
        return self._table(session).secrets

    def _add_own(self, session: EditSession, hidden: Sequence[str]) -> None:
        known = self._own.get(session, frozenset())
        self._own[session] = known | placeholders_in(hidden)

    def _table(self, session: EditSession) -> SecretTable:
        return self._tables.get(session, NO_SECRETS)
