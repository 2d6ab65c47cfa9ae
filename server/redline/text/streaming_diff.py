"""The line diff of a text that is still being written.

Theory of operation. The old text is known, the new one arrives line by line. The state
is always a path through the table of both texts, from their starts to the current place
(old lines passed, new lines painted); beyond it are untouched old text and new text
that is not
painted yet. Three things move the path:

- In step: the next new line equals the next old one. It is kept, the path continues.
- Differing: it does not. From there on new lines are painted as a growing insertion,
  and no old line is painted as deleted, until the texts have met again: a run of equal
  lines with enough evidence (`resync`). New lines in a run that is not accepted yet are
  held back, a few at most.
- Better: the table (`common_lines`) shows that more of the passed lines can be kept
  than the path keeps, for example because a function seemed to be changed, but was
  copied and then changed. The path is then computed again.

When the texts have met, and when there is a better path, the last part of the path is
replaced by a minimal one: the table is walked back from there until it joins the
painted path, and the part after the join is diffed by `diff_lines`. So the painted
state is always a minimal diff of the lines that it covers, and nothing before the join
moves. A painted hunk is extended where that is enough; where it would have to shrink,
it is removed and replaced by others.

Until the end no diff is certain: the rest of the new text may be the whole old text
again, and then everything before it is one insertion. A hunk is called settled when so
many kept lines follow it that a correction is rare. `finish` adopts `diff_lines` of the
whole texts, keeping every hunk that agrees.

`docs/explanation/streaming-diff.md` explains this in detail, with numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Literal

import msgspec
from msgspec.structs import replace

from redline.errors import LocalProtocolError
from redline.text.common_lines import MAX_CELLS, LcsTable
from redline.text.line_diff import LineHunk, diff_lines
from redline.text.resync import LineIndex, Resync

HunkState = Literal["growing", "settled"]

_MAX_HELD = 4
"""Most new lines held back: 0.04 s of a model that writes 100 lines a second. Fewer
lead to more corrections, more do not lead to fewer."""

_SETTLING_EVIDENCE = 8.0
"""Evidence (in units of `resync`) of kept lines after a hunk that settles it: four to
eight lines of code. In 0.2 % of the measured functions a settled hunk was corrected;
with half of this value in 0.6 %, with twice in 0.1 %."""


class Hunk(LineHunk, frozen=True, kw_only=True):
    """A hunk that is shown, and may be accepted or rejected."""

    id: int
    """Belongs to one hunk forever: its end and its lines are only ever extended, and
    nothing of it changes once it is settled."""
    state: HunkState
    is_open: bool = False
    """Whether it is an insertion that may yet replace the old lines after it: the new
    text has not met the old one again."""

    def moved(self, by: int) -> Hunk:
        """Return the hunk after lines above it came or went."""
        return replace(self, start=self.start + by, end=self.end + by)


class Update(msgspec.Struct, frozen=True, kw_only=True):
    """The changes since the last update, to be applied together."""

    hunks: tuple[Hunk, ...] = ()
    """New hunks, and known ones that were extended or settled; in no order."""
    removed: tuple[int, ...] = ()
    """Ids of hunks that no longer exist."""


class StreamingDiff:
    """Aligns new lines with old ones as they arrive."""

    def __init__(
        self, old_lines: Sequence[str], *, new_id: Callable[[], int] | None = None
    ) -> None:
        """Start with no new line.

        Args:
            old_lines: The old text.
            new_id: Returns a unique hunk id; absent: they are counted from 1.
        """
        self._old = tuple(old_lines)
        self._new: list[str] = []
        # For each new line the old one that it keeps.
        self._mates: list[int | None] = []
        self._n_kept = 0
        self.n_passed = 0
        """Number of old lines that the new text has passed; others are untouched."""
        self.n_painted = 0
        """Number of new lines in the hunks or kept; the others are held back."""
        self._index = LineIndex(self._old)
        self._table = _new_table(self._old)
        # While lines differ: the search, and the first new line that differs.
        self._search: Resync | None = None
        self._differs_from = 0
        self._shown = _ShownHunks(new_id or count(1).__next__)
        # Evidence of all lines kept in step, and its value when each closed hunk was
        # made. Open hunks have no entry.
        self._evidence = 0.0
        self._evidence_at: list[float] = []
        self._n_settled = 0
        self._is_finished = False

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """All hunks, in order and disjoint.

        Applied to the old lines they give the first `n_painted` new lines and then the
        old lines from `n_passed` on.
        """
        return tuple(self._shown.hunks)

    def feed(self, new_lines: Iterable[str]) -> Update:
        """Add lines of the new text, whole and with their ends.

        Raises:
            LocalProtocolError: If the text was finished.
        """
        self._check_open()
        for line in new_lines:
            self._new.append(line)
            if self._search is None and self._index.stands_at(line, self.n_passed):
                self._keep(line)
            else:
                self._differ(line)
        if self._search is not None and self.n_painted > self._differs_from:
            lines = tuple(self._new[self._differs_from : self.n_painted])
            self._shown.grow(len(self._evidence_at), self.n_passed, lines)
        return self._shown.update()

    def finish(self) -> Update:
        """End the new text. The hunks then equal those of `diff_lines`.

        Raises:
            LocalProtocolError: If the text was finished before.
        """
        self._check_open()
        self._is_finished = True
        self._shown.redraw(0, diff_lines(self._old, self._new), "settled")
        self.n_passed, self.n_painted = len(self._old), len(self._new)
        return self._shown.update()

    def _check_open(self) -> None:
        if self._is_finished:
            message = "the streaming diff has been finished"
            raise LocalProtocolError(message)

    def _keep(self, line: str) -> None:
        self._mates.append(self.n_passed)
        self._push(line)
        self._n_kept += 1
        self.n_passed += 1
        self.n_painted += 1
        self._settle(self._index.evidence(line))

    def _differ(self, line: str) -> None:
        if self._search is None:
            self._search = Resync(self._index, self.n_passed)
            self._differs_from = len(self._new) - 1
        self._mates.append(None)
        self._push(line)
        met = self._search.feed(line)
        if met is None:
            met = self._better_end()
        if met is not None:
            self._meet(met)
            return
        n_held = min(self._search.n_open, _MAX_HELD)
        self.n_painted = max(self.n_painted, len(self._new) - n_held)

    def _push(self, line: str) -> None:
        if self._table is not None:
            self._table.push(line)
            if self._table.n_cells > MAX_CELLS:
                self._table = None

    def _better_end(self) -> int | None:
        """Return the old line up to which more lines can be kept than now."""
        table = self._table
        if table is None or table.n_common(self.n_passed) == self._n_kept:
            return None
        return table.shortest(self.n_passed)

    def _meet(self, end: int) -> None:
        """Compute the path again, up to the old line `end` and the last new line."""
        i, j = self._join(end)
        changes = [
            LineHunk(start=i + change.start, end=i + change.end, lines=change.lines)
            for change in diff_lines(self._old[i:end], self._new[j:])
        ]
        self._set_mates(i, j, end, changes)
        self.n_passed = end
        self.n_painted = len(self._new)
        self._search = None
        first = self._shown.first_from(i)
        self._shown.redraw(first, changes, "growing")
        self._evidence_at[first:] = [self._evidence] * len(changes)
        self._n_settled = min(self._n_settled, first)
        self._settle(self._evidence_of_last_run(j))

    def _join(self, end: int) -> tuple[int, int]:
        """Walk back from the end of a better path to its join with the painted one.

        Returns:
            The old and the new line after the kept line at which they join.
        """
        if self._table is None:
            return self.n_passed, self._differs_from
        i, j = end, len(self._new)
        while i and j:
            if self._old[i - 1] == self._new[j - 1]:
                if self._mates[j - 1] == i - 1:
                    return i, j
                i -= 1
                j -= 1
            elif self._table.is_longer_by(i - 1, j):
                j -= 1
            else:
                i -= 1
        return 0, 0

    def _set_mates(self, i: int, j: int, end: int, changes: list[LineHunk]) -> None:
        self._n_kept -= sum(mate is not None for mate in self._mates[j:])
        del self._mates[j:]
        for change in changes:
            self._n_kept += change.start - i
            self._mates += range(i, change.start)
            self._mates += [None] * len(change.lines)
            i = change.end
        self._n_kept += end - i
        self._mates += range(i, end)

    def _evidence_of_last_run(self, start: int) -> float:
        evidence = 0.0
        for j in range(len(self._new) - 1, start - 1, -1):
            if self._mates[j] is None:
                break
            evidence += self._index.evidence(self._new[j])
        return evidence

    def _settle(self, evidence: float) -> None:
        self._evidence += evidence
        enough = self._evidence - _SETTLING_EVIDENCE
        for evidence_then in self._evidence_at[self._n_settled :]:
            if evidence_then > enough:
                break
            self._shown.settle(self._n_settled)
            self._n_settled += 1


def _new_table(old: Sequence[str]) -> LcsTable | None:
    # A new text is about as long as its old one: without room for that, the table is
    # useless. The end is exact without it, but corrections come later.
    return LcsTable(old) if len(old) ** 2 <= MAX_CELLS else None


class _ShownHunks:
    """The hunks as the reader of the updates will have them after the next update."""

    def __init__(self, new_id: Callable[[], int]) -> None:
        self.hunks: list[Hunk] = []
        self._new_id = new_id
        # Pending changes, and the ids that the reader has.
        self._changed: dict[int, Hunk] = {}
        self._removed: list[int] = []
        self._sent: set[int] = set()

    def update(self) -> Update:
        """Return the changes since the last call."""
        update = Update(
            hunks=tuple(self._changed.values()), removed=tuple(self._removed)
        )
        self._sent.update(self._changed)
        self._sent.difference_update(self._removed)
        self._changed = {}
        self._removed = []
        return update

    def first_from(self, start: int) -> int:
        """Count the hunks that start before an old line."""
        first = len(self.hunks)
        while first and self.hunks[first - 1].start >= start:
            first -= 1
        return first

    def settle(self, at: int) -> None:
        """Mark a hunk as final."""
        hunk = self.hunks[at]
        if hunk.state == "growing":
            self.hunks[at] = replace(hunk, state="settled")
            self._changed[hunk.id] = self.hunks[at]

    def grow(self, at: int, start: int, lines: tuple[str, ...]) -> None:
        """Extend the insertion at the last index, or begin one after it."""
        if at == len(self.hunks):
            hunk_id = self._new_id()
        elif len(self.hunks[at].lines) < len(lines):
            hunk_id = self.hunks.pop().id
        else:
            return
        change = LineHunk(start=start, end=start, lines=lines)
        self.hunks.append(self._put(hunk_id, change, "growing", is_open=True))

    def redraw(self, first: int, changes: Iterable[LineHunk], state: HunkState) -> None:
        """Replace the hunks from an index on, keeping those that still apply."""
        stale = {hunk.start: hunk for hunk in self.hunks[first:]}
        del self.hunks[first:]
        for change in changes:
            hunk = stale.get(change.start)
            if hunk is None or not _is_continued(hunk, change):
                self.hunks.append(self._put(self._new_id(), change, state))
                continue
            del stale[change.start]
            is_same = _is_same(hunk, change) and not hunk.is_open
            is_news = state == "settled" or not is_same
            if hunk.state == "growing" and is_news:
                hunk = self._put(hunk.id, change, state)
            self.hunks.append(hunk)
        for hunk in stale.values():
            self._changed.pop(hunk.id, None)
            if hunk.id in self._sent:
                self._removed.append(hunk.id)

    def _put(
        self,
        hunk_id: int,
        change: LineHunk,
        state: HunkState,
        *,
        is_open: bool = False,
    ) -> Hunk:
        hunk = Hunk(
            id=hunk_id,
            start=change.start,
            end=change.end,
            lines=change.lines,
            state=state,
            is_open=is_open,
        )
        self._changed[hunk_id] = hunk
        return hunk


def _is_same(hunk: Hunk, change: LineHunk) -> bool:
    return (hunk.end, hunk.lines) == (change.end, change.lines)


def _is_continued(hunk: Hunk, change: LineHunk) -> bool:
    if hunk.state == "settled":
        return _is_same(hunk, change)
    n_lines = len(hunk.lines)
    return hunk.end <= change.end and hunk.lines == change.lines[:n_lines]
