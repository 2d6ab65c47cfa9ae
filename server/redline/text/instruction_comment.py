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
    kept: tuple[str, ...] = ()
    """The code beside the comment on each line, stripped; none: no line has any."""


def read_comment(lines: Sequence[str], where: Range) -> InstructionComment:
    """Read the comment at a range of a document; code may be around it."""
    texts = [strip_end(line) for line in lines[where.start.line : where.end.line + 1]]
    before = texts[0][: where.start.character]
    after = texts[-1][where.end.character :]
    kept = [before.strip(), *("" for _ in texts[2:]), after.strip()]
    if len(texts) == 1:
        is_apart = before[-1:].isspace() or after[:1].isspace()
        kept = [(" " if is_apart else "").join(kept).strip()]
    return InstructionComment(
        lines=tuple(text.strip() for text in texts),
        kept=tuple(kept) if any(kept) else (),
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
        kept = comment.kept[n_matched] if comment.kept else ""
        if not kept:
            return None
        content = strip_end(line)
        indent = content[: len(content) - len(content.lstrip())]
        return indent + kept + line_end(line)
