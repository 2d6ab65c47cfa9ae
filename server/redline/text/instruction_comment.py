"""The comment that holds an instruction, and its removal from the code.

An instruction may be a comment in its own range (`# redline: …`). It carries that
comment as data, so that its words need not be recognized later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from redline.text.lines import line_end, strip_end
from redline.text.position import Range


class InstructionComment(Struct, frozen=True, kw_only=True):
    """The lines of a comment, stripped."""

    lines: tuple[str, ...]
    """At least one."""
    n_code_chars: int = 0
    """Length of the code before the comment on its first line."""


def read_comment(lines: Sequence[str], where: Range) -> InstructionComment:
    """Read the comment at a range of a document; code may precede its start."""
    first, last = where.start.line, where.end.line
    before = lines[first][: where.start.character]
    return InstructionComment(
        lines=tuple(line.strip() for line in lines[first : last + 1]),
        n_code_chars=len(before.strip()),
    )


class CommentFilter:
    """Removes the comment once from lines that arrive in order."""

    def __init__(self, comment: InstructionComment) -> None:
        self.removed: list[int] = []
        """Indexes of the lines that were removed whole."""
        self._comment = comment
        self._n_lines = 0
        self._n_matched: int | None = 0
        """Number of the comment's lines so far; None: the comment has ended."""

    def feed(self, lines: Iterable[str]) -> list[str]:
        """Return the lines that stay; each is decided at once."""
        left = []
        for line in lines:
            rest = self._rest_of(line)
            if rest is None:
                self.removed.append(self._n_lines)
            else:
                left.append(rest)
            self._n_lines += 1
        return left

    def _rest_of(self, line: str) -> str | None:
        """Return the rest of a line; None: nothing, not even its end."""
        comment, n_matched = self._comment, self._n_matched
        if n_matched is None:
            return line
        is_over = n_matched == len(comment.lines)
        if is_over or line.strip() != comment.lines[n_matched]:
            # The comment may still begin, unless it began already.
            self._n_matched = None if n_matched else 0
            return line
        self._n_matched = n_matched + 1
        if n_matched or not comment.n_code_chars:
            return None
        content = strip_end(line)
        indent = len(content) - len(content.lstrip())
        return content[: indent + comment.n_code_chars].rstrip() + line_end(line)
