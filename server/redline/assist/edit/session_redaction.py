"""Redaction: one table of placeholders for the secrets of each session.

All text that a session sends to a model, on any tier, goes through its table, so that a
secret has one name in the session's drafts, redirects and repairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from redline.assist.edit.reply_reader import ReplyReader, RestoringReader
from redline.assist.edit.session import EditSession
from redline.prompts.edit import EditTask
from redline.prompts.hidden_task import HiddenTask, hide_task
from redline.prompts.redaction import NO_SECRETS, SecretTable, hide


class Redaction:
    """The placeholder tables of one editor's sessions."""

    def __init__(self) -> None:
        self._tables: WeakKeyDictionary[EditSession, SecretTable] = WeakKeyDictionary()

    def hide_task(
        self, session: EditSession, task: EditTask, others: Sequence[str] = ()
    ) -> HiddenTask:
        """Replace the secrets of a task and of the other texts of its prompt."""
        hidden = hide_task(task, others=others, table=self._table(session))
        self._tables[session] = hidden.table
        return hidden

    def hide(self, session: EditSession, text: str) -> str:
        """Replace the secrets of one text."""
        hidden, self._tables[session] = hide(text, self._table(session))
        return hidden

    def reader(self, session: EditSession, reader: ReplyReader) -> ReplyReader:
        """Return a reader that restores the secrets before `reader` reads the reply."""
        table = self._table(session)
        return RestoringReader(reader, table) if table.secrets else reader

    def secrets(self, session: EditSession) -> tuple[str, ...]:
        """Return the secrets that the session has replaced so far."""
        return self._table(session).secrets

    def _table(self, session: EditSession) -> SecretTable:
        return self._tables.get(session, NO_SECRETS)
