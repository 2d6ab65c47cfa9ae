"""The readers of a streamed reply: one restores secrets first, one removes the
`redline:` comment that the reply carries out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec.structs import replace

from redline.prompts.redaction import (
    SecretRestorer,
    SecretTable,
    hide,
    without_placeholders,
)
from redline.text.instruction_comment import CommentFilter, InstructionComment
from redline.text.reply import Reply, ReplyProblem


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
        self._table = table
        self._restorer = SecretRestorer(table)

    def feed(self, delta: str) -> list[str]:
        """Read a piece, cut anywhere, also within a placeholder."""
        return self._reader.feed(self._restorer.feed(delta))

    def finish(self) -> Reply:
        """End the reply and return it whole; its words for the user have no secrets."""
        self._reader.feed(self._restorer.finish())
        return self._reader.finish().with_reasons(self._without_secrets)

    def _without_secrets(self, words: str) -> str:
        return without_placeholders(*hide(words, self._table))


class CommentRemovingReader:
    """Drops a `redline:` comment from what another reader reads.

    The prompt asks the model to remove it, and models forget. Each line is decided as
    it arrives, so that text that is painted or applied while the reply streams never
    has it.
    """

    def __init__(self, reader: ReplyReader, comment: InstructionComment) -> None:
        self._reader = reader
        self._comment = comment
        self._filter = CommentFilter(comment)

    def feed(self, delta: str) -> list[str]:
        """Read a piece; returns the lines that are final now."""
        return self._filter.feed(self._reader.feed(delta))

    def finish(self) -> Reply:
        reply = self._reader.finish()
        if reply.lines is None:
            return reply
        whole = CommentFilter(self._comment)
        lines = whole.feed(reply.lines)
        problems = tuple(_moved(each, whole.removed) for each in reply.problems)
        return replace(reply, lines=tuple(lines), problems=problems)


def _moved(problem: ReplyProblem, removed: Sequence[int]) -> ReplyProblem:
    if problem.line is None:
        return problem
    n_before = sum(at < problem.line for at in removed)
    return replace(problem, line=problem.line - n_before)
