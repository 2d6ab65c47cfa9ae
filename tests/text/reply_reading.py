"""Reads a whole reply as the new text of a range in its file."""

from __future__ import annotations

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser


def read_reply(
    reply: str, old: str, *, before: str = "", after: str = "", language: str = ""
) -> Reply:
    """Read a reply to an edit of `old`, which stands between two parts of a file."""
    parser = ReplyParser(
        format="rewrite",
        target_lines=old.splitlines(keepends=True),
        before=before.splitlines(keepends=True),
        after=after.splitlines(keepends=True),
        language=language,
    )
    parser.feed(reply)
    return parser.finish()
