"""What reads a reply as it comes, and one that puts secrets back first."""

from __future__ import annotations

from typing import Protocol

from redline.prompts.secrets import SecretRestorer, SecretTable
from redline.text.reply import Reply


class ReplyReader(Protocol):
    """Takes a reply in pieces; `redline.text.reply_parser.ReplyParser` is one."""

    def feed(self, delta: str) -> list[str]:
        """Take a piece; returns the lines that are certain by now."""

    def finish(self) -> Reply:
        """The reply has ended: return all of it."""


class RestoringReader:
    """Puts the secrets of a table back into what it hands to another reader."""

    def __init__(self, reader: ReplyReader, table: SecretTable) -> None:
        self._reader = reader
        self._restorer = SecretRestorer(table)

    def feed(self, delta: str) -> list[str]:
        """Take a piece, cut anywhere, also within a placeholder."""
        return self._reader.feed(self._restorer.feed(delta))

    def finish(self) -> Reply:
        """The reply has ended: return all of it."""
        self._reader.feed(self._restorer.finish())
        return self._reader.finish()
