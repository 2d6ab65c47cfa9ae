"""Redaction: one table of placeholders for the secrets of each session.

All that a session tells a model, whichever tier and for whatever reason, goes through
its table, so that a secret has one name in the drafts, redirects and repairs of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from redline.assist.edit.reply_reader import ReplyReader, RestoringReader
from redline.assist.edit.session import EditSession
from redline.prompts.edit import EditTask
from redline.prompts.hidden_task import HiddenTask, hide_task
from redline.prompts.secrets import NO_SECRETS, SecretTable, hide


class Redaction:
    """The tables of one editor's sessions."""

    def __init__(self) -> None:
        self._tables: WeakKeyDictionary[EditSession, SecretTable] = WeakKeyDictionary()

    def hide_task(
        self, session: EditSession, task: EditTask, others: Sequence[str] = ()
    ) -> HiddenTask:
        """Take the secrets out of a task and of what is told with it."""
        hidden = hide_task(task, others=others, table=self._table(session))
        self._tables[session] = hidden.table
        return hidden

    def hide(self, session: EditSession, text: str) -> str:
        """Take the secrets out of one text."""
        hidden, self._tables[session] = hide(text, self._table(session))
        return hidden

    def reader(self, session: EditSession, reader: ReplyReader) -> ReplyReader:
        """Have the secrets put back into a reply before it is read."""
        table = self._table(session)
        return RestoringReader(reader, table) if table.secrets else reader

    def _table(self, session: EditSession) -> SecretTable:
        return self._tables.get(session, NO_SECRETS)
