"""The reader of a streamed reply, and one that restores secrets first."""

from __future__ import annotations

from typing import Protocol

from redline.prompts.secrets import SecretRestorer, SecretTable
from redline.text.reply import Reply


class ReplyReader(Protocol):
    """Reads a reply in pieces; `redline.text.reply_parser.ReplyParser` is one."""

    def feed(self, delta: str) -> list[str]:
        """Read a piece; returns the lines that are final now."""

    def finish(self) -> Reply:
        """End the reply and return it whole."""


class RestoringReader:
    """Restores the secrets of a table in what it passes to another reader."""

    def __init__(self, reader: ReplyReader, table: SecretTable) -> None:
        self._reader = reader
        self._restorer = SecretRestorer(table)

    def feed(self, delta: str) -> list[str]:
        """Read a piece, cut anywhere, also within a placeholder."""
        return self._reader.feed(self._restorer.feed(delta))

    def finish(self) -> Reply:
        """End the reply and return it whole."""
        self._reader.feed(self._restorer.finish())
        return self._reader.finish()
