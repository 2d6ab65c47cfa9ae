"""Takes a `redline:` comment out of the reply that does what it says.

Models are told to remove it, and forget to. Each line is decided when it comes, so that
what is painted or applied while the reply streams never has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from redline.assist.actions.comment import Comment, order_at
from redline.assist.actions.generate import order_of
from redline.assist.reply_reader import ReplyReader
from redline.text.lines import line_end, strip_end
from redline.text.reply import Reply, ReplyProblem

_MARKER = "redline:"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderLines:
    """The lines of a comment that gave an instruction, without blanks around them."""

    lines: tuple[str, ...]
    n_code_chars: int = 0
    """Of its first line, what is code before the comment."""


def find_order(lines: Sequence[str], instruction: str) -> OrderLines | None:
    """Find the comment of a region that its instruction comes from, if it does."""
    for number, line in enumerate(lines):
        if _MARKER not in line.lower():
            continue
        comment = order_at(lines, number)
        if comment is not None and order_of(comment) == instruction:
            return _order_lines(lines, comment)
    return None


def _order_lines(lines: Sequence[str], comment: Comment) -> OrderLines:
    texts = tuple(each.strip() for each in lines[comment.first : comment.last + 1])
    return OrderLines(lines=texts, n_code_chars=comment.n_code_chars)


class OrderRemovingReader:
    """Leaves a comment out of what another reader reads."""

    def __init__(self, reader: ReplyReader, order: OrderLines) -> None:
        self._reader = reader
        self._order = order
        self._filter = _Filter(order)

    def feed(self, delta: str) -> list[str]:
        """Take a piece; returns the lines that are certain by now."""
        return self._filter.take(self._reader.feed(delta))

    def finish(self) -> Reply:
        """The reply has ended: return all of it."""
        reply = self._reader.finish()
        if reply.lines is None:
            return reply
        whole = _Filter(self._order)
        lines = whole.take(reply.lines)
        problems = tuple(_moved(each, whole.gone) for each in reply.problems)
        return replace(reply, lines=tuple(lines), problems=problems)


class _Filter:
    """Takes the lines of one reply in order, and leaves the comment out, once."""

    def __init__(self, order: OrderLines) -> None:
        self.gone: list[int] = []
        """Which lines were left out."""
        self._order = order
        self._n_lines = 0
        self._n_found: int | None = 0
        """How many of the comment's lines were met; None: it is over."""

    def take(self, lines: Iterable[str]) -> list[str]:
        kept = []
        for line in lines:
            rest = self._rest_of(line)
            if rest is None:
                self.gone.append(self._n_lines)
            else:
                kept.append(rest)
            self._n_lines += 1
        return kept

    def _rest_of(self, line: str) -> str | None:
        """What stays of a line; None: nothing, not even its end."""
        order, n_found = self._order, self._n_found
        if n_found is None:
            return line
        if n_found == len(order.lines) or line.strip() != order.lines[n_found]:
            # It may still come, unless some of it was here already.
            self._n_found = None if n_found else 0
            return line
        self._n_found = n_found + 1
        if n_found or not order.n_code_chars:
            return None
        content = strip_end(line)
        indent = len(content) - len(content.lstrip())
        return content[: indent + order.n_code_chars].rstrip() + line_end(line)


def _moved(problem: ReplyProblem, gone: Sequence[int]) -> ReplyProblem:
    if problem.line is None:
        return problem
    n_before = sum(at < problem.line for at in gone)
    return replace(problem, line=problem.line - n_before)
