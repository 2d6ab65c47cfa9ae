"""Reads a reply that rewrites the whole range.

The model's text passes three stages, line by line: text around the code is removed
(`unwrap`), the indentation is restored (`indentation`), and the blank lines at the
range's borders (`BlankEdges`). Each holds back only lines that it cannot decide yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from redline.text.chatter import MARKDOWN_LANGUAGES
from redline.text.fence import read_fence
from redline.text.indentation import Reindenter
from redline.text.reply import ReplyProblem
from redline.text.unwrap import Unwrapper


class BlankEdges:
    """Passes lines on, surrounded by the range's own blank lines.

    Attributes:
        is_mended: Whether blank lines were added or removed.
    """

    def __init__(self, target: Sequence[str], *, is_fenced: bool) -> None:
        self._has_text = any(line.strip() for line in target)
        self._leading = list(takewhile(_is_blank, target))
        self._trailing = list(takewhile(_is_blank, reversed(target)))[::-1]
        self._is_fenced = is_fenced
        self._is_begun = False
        self._held: list[str] = []
        self.is_mended = False

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the lines that are certain now."""
        if _is_blank(line):
            self._held.append(line)
            return []
        held, self._held = self._held, []
        if not self._is_begun:
            self._is_begun = True
            held = self._edge(held, self._leading)
        return [*held, line]

    def finish(self) -> list[str]:
        """Return the blank lines that end the range; none if no text came."""
        return self._edge(self._held, self._trailing) if self._is_begun else []

    def _edge(self, held: list[str], own: list[str]) -> list[str]:
        if not self._has_text or (self._is_fenced and held) or len(held) == len(own):
            return held
        self.is_mended = True
        return own


def _is_blank(line: str) -> bool:
    return not line.strip()


class RewriteReader:
    """Reads the lines of one reply."""

    def __init__(self, target: Sequence[str], language: str) -> None:
        """Create a reader for one reply.

        Args:
            target: The range's lines, without ends.
            language: The document's LSP language id; may be empty.
        """
        self._target = target
        self._language = language
        self._unwrapper = Unwrapper(target, language)
        self._reindenter: Reindenter | None = None
        self._edges = BlankEdges(target, is_fenced=False)
        self._n_lines = 0
        self._strays: list[ReplyProblem] = []

    @property
    def declined(self) -> str | None:
        """The model's reason for changing nothing, if it gave one."""
        return self._unwrapper.declined

    @property
    def has_text(self) -> bool:
        """Whether the new lines may be used; final after `finish`."""
        kinds = {problem.kind for problem in self._unwrapper.problems}
        return self.declined is None and "no-code" not in kinds

    @property
    def problems(self) -> list[ReplyProblem]:
        """The problems found; complete after `finish`."""
        return [*self._unwrapper.problems, *self._repaired(), *self._strays]

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the new lines that are certain now."""
        return self._pass_on(self._unwrapper.feed(line))

    def finish(self) -> list[str]:
        """Return the new lines that were not certain before."""
        lines = self._pass_on(self._unwrapper.finish())
        if self._reindenter is not None:
            lines += self._count(self._through_edges(self._reindenter.finish()))
            lines += self._count(self._edges.finish())
        return lines

    def _pass_on(self, lines: Sequence[str]) -> list[str]:
        if self._reindenter is None:
            if not lines:
                return []
            wrapper = self._unwrapper.wrapper
            indent = wrapper.indent if wrapper else ""
            self._reindenter = Reindenter(self._target, indent)
            self._edges = BlankEdges(self._target, is_fenced=wrapper is not None)
        certain: list[str] = []
        for line in lines:
            certain += self._through_edges(self._reindenter.feed(line))
        return self._count(certain)

    def _through_edges(self, lines: Sequence[str]) -> list[str]:
        return [certain for line in lines for certain in self._edges.feed(line)]

    def _count(self, lines: list[str]) -> list[str]:
        """Count the lines, and record fences that do not belong in them."""
        for line in lines:
            if self._is_stray(line):
                self._strays.append(
                    ReplyProblem(
                        kind="stray-fence",
                        message="A Markdown fence stands inside the code.",
                        line=self._n_lines,
                    )
                )
            self._n_lines += 1
        return lines

    def _is_stray(self, line: str) -> bool:
        if self._unwrapper.wrapper or self._language in MARKDOWN_LANGUAGES:
            return False
        fence = read_fence(line)
        is_outermost = fence is not None and not fence.indent and fence.run[0] == "`"
        return is_outermost and line not in self._target

    def _repaired(self) -> list[ReplyProblem]:
        notes: list[ReplyProblem] = []
        if self._reindenter is not None and self._reindenter.is_mended:
            message = "The range's indentation was restored."
            notes.append(ReplyProblem(kind="indentation", message=message))
        if self._edges.is_mended:
            message = "The range's blank lines at its borders were restored."
            notes.append(ReplyProblem(kind="blank-lines", message=message))
        return notes
