"""The changes of the lines of a file's imports, each line changed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from redline.checks.import_changes.import_statement import ImportStatement, bound_name
from redline.text.line_diff import LineHunk
from redline.text.lines import line_end

_MAX_WIDTH = 88
"""Longest line of a statement that another name is added to."""


class ImportEdits:
    """Collects the names that are added to statements and removed from them.

    A statement's line is written from both at the end, so that none of them is lost.
    """

    def __init__(
        self, known: Sequence[ImportStatement], removed: Mapping[int, set[str]]
    ) -> None:
        """Start with the removals.

        Args:
            known: The imports at the top of the file, in order.
            removed: The unused names by the first line of their statement.
        """
        self._changes = [
            _Change(each, removed.get(each.first, set()), []) for each in known
        ]

    @property
    def staying(self) -> list[ImportStatement]:
        """The statements that are not removed as a whole."""
        return [each.statement for each in self._changes if not each.is_removal]

    def join(self, new: ImportStatement) -> bool:
        """Add names to the plain statement of the same module; False: there is none."""
        for each in self._changes:
            old = each.statement
            is_type = "import type" in old.text
            if (
                old.module != new.module
                or not (old.is_plain and new.is_plain)
                or is_type != ("import type" in new.text)
            ):
                continue
            there = {bound_name(member) for member in each.members}
            added = [name for name in new.members if bound_name(name) not in there]
            line = old.with_members(each.with_added(added))
            if line is not None and len(line) <= _MAX_WIDTH:
                each.added.extend(added)
                return True
        return False

    def hunks(
        self, lines: Sequence[str], inserted: Sequence[LineHunk], limit: int
    ) -> list[LineHunk]:
        """Return all changes, in order and disjoint.

        Args:
            lines: The file's lines.
            inserted: The insertions of whole statements.
            limit: The first line that may not be changed.
        """
        taken = {hunk.start for hunk in inserted}
        changed = [
            hunk
            for each in self._changes
            if (hunk := each.hunk(lines, taken, limit)) is not None
        ]
        return list(_touching_joined([*changed, *inserted]))


class _Change(Struct):
    """What becomes of one statement."""

    statement: ImportStatement
    removed: set[str]
    added: list[str]

    @property
    def is_removal(self) -> bool:
        return not self.added and self.removed == set(self.statement.names) != set()

    @property
    def members(self) -> list[str]:
        return [*self._left, *self.added]

    @property
    def _left(self) -> list[str]:
        members = self.statement.members
        return [each for each in members if bound_name(each) not in self.removed]

    def with_added(self, added: Sequence[str]) -> list[str]:
        """Return the members with others; in order if the statement's are."""
        old = list(self.statement.members)
        members = [*self.members, *added]
        return sorted(members) if old == sorted(old) else members

    def hunk(
        self, lines: Sequence[str], taken: set[int], limit: int
    ) -> LineHunk | None:
        """Return the change of the statement's lines; None: there is none.

        Args:
            lines: The file's lines.
            taken: Where other lines are inserted.
            limit: The first line that may not be changed.
        """
        first, end = self.statement.first, self.statement.end
        if self.is_removal:
            return _without(lines, range(first, end), taken, limit)
        if not self.added and not self.removed:
            return None
        if not self.added and not self._is_certain:
            return None
        line = self.statement.with_members(self.with_added([]))
        if line is not None:
            new = (line + line_end(lines[first]),)
            return LineHunk(start=first, end=end, lines=new)
        return self._without_lines(lines)

    @property
    def _is_certain(self) -> bool:
        """Whether the removed names are members, and others stay."""
        n_left = len(self._left)
        n_removed = len(self.statement.members) - n_left
        return n_left > 0 and n_removed == len(self.removed)

    def _without_lines(self, lines: Sequence[str]) -> LineHunk | None:
        """Remove members that have lines of their own."""
        old = [lines[at] for at in range(self.statement.first, self.statement.end)]
        removed = set(self.statement.members) - set(self._left)
        at = [n for n, line in enumerate(old) if line.strip(" \t\r\n,") in removed]
        if len(at) != len(removed) or at != list(range(at[0], at[-1] + 1)):
            return None
        if not line_end(old[-1]):
            return None
        start = self.statement.first + at[0]
        return LineHunk(start=start, end=start + len(at), lines=())


def _without(
    lines: Sequence[str], statement: range, taken: set[int], limit: int
) -> LineHunk:
    """Remove a statement; if it was a block, one of the blank lines around it, too."""
    first, end = statement.start, statement.stop
    is_alone = not first or not lines[first - 1].strip()
    is_replaced = first in taken or end in taken
    if is_alone and not is_replaced and end < limit and not lines[end].strip():
        end += 1
    return LineHunk(start=first, end=end, lines=())


def _touching_joined(hunks: Sequence[LineHunk]) -> Iterator[LineHunk]:
    """Yield disjoint hunks in order; those of touching lines become one."""
    waiting: LineHunk | None = None
    for hunk in sorted(hunks, key=lambda each: (each.start, each.end)):
        if waiting is not None and hunk.start == waiting.end:
            lines = waiting.lines + hunk.lines
            waiting = LineHunk(start=waiting.start, end=hunk.end, lines=lines)
            continue
        if waiting is not None:
            yield waiting
        waiting = hunk
    if waiting is not None:
        yield waiting
