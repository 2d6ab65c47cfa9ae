"""What the tests of this room share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pytest

from redline.text.document import Document
from redline.text.lines import split_lines
from redline.text.position import Encoding
from redline.text.reply import Reply, ReplyFormat
from redline.text.reply_parser import ReplyParser


class ReadReply(Protocol):
    """Read a whole reply, in any pieces."""

    def __call__(
        self,
        reply: str,
        *,
        target: str,
        before: str = "",
        after: str = "",
        format: ReplyFormat = "rewrite",
        language: str = "python",
        line_end: str = "\n",
    ) -> Reply:
        """Return what all ways of cutting the reply give alike."""


def read_in(
    read_reply: ReadReply, file: tuple[str, str, str, str], language: str, reply: str
) -> tuple[bool, str]:
    """Read a reply for a file of the text before, in and after the range.

    Returns:
        Whether it is understood, and its text.
    """
    before, target, after, _ = file
    found = read_reply(
        reply, target=target, before=before, after=after, language=language
    )
    return found.is_understood, "".join(found.lines or ())


@pytest.fixture
def make_document() -> Callable[[str], Document]:
    """Open documents as a client that counts UTF-16 does."""

    def make(text: str) -> Document:
        return Document(
            uri="file:///a.py",
            language_id="python",
            version=1,
            text=text,
            encoding=Encoding.UTF_16,
        )

    return make


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.fixture
def read_reply() -> ReadReply:
    """Read replies whole, by the character and in small pieces, and compare."""

    def read(
        reply: str,
        *,
        target: str,
        before: str = "",
        after: str = "",
        format: ReplyFormat = "rewrite",
        language: str = "python",
        line_end: str = "\n",
    ) -> Reply:
        # A range of whole lines before more text has no empty line at its end.
        target_lines = split_lines(target)
        target_lines = target_lines[:-1] if target_lines[-1] == "" else target_lines
        replies = []
        for size in (max(len(reply), 1), 1, 3, 7):
            parser = ReplyParser(
                format=format,
                target_lines=target_lines,
                before=before.splitlines(keepends=True),
                after=after.splitlines(keepends=True),
                line_end=line_end,
                language=language,
            )
            fed = [line for piece in cut(reply, size) for line in parser.feed(piece)]
            replies.append(parser.finish())
            # A reply in another form takes back what came before its end.
            kinds = {problem.kind for problem in replies[-1].problems}
            if (lines := replies[-1].lines) is not None and "form" not in kinds:
                assert tuple(fed) == lines[: len(fed)]
        assert replies[1:] == replies[:1] * (len(replies) - 1)
        return replies[0]

    return read
