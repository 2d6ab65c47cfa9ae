"""A proposal while it is being written, with hunks accepted and rejected meanwhile.

It extends the streaming diff by three things that a reader does before the text is
complete:

- accept a hunk: it becomes part of the old lines;
- reject a hunk: its old lines become part of the new text;
- redirect: another text is begun for the same old lines.

In each case the diff is computed again, so that its state is always a diff between the
current old lines and the written text, and nothing else. Painted hunks are carried
over: a carried hunk stays until the new text has reached it. If the new text begins
with its lines, it continues under its id; otherwise it is removed. While the new text
is still a beginning of its lines, it stays as it is.

So an id always belongs to one hunk, as in the streaming diff, and an update of the
reader's hunks is enough: nothing is painted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import takewhile

from msgspec.structs import replace

from redline.text.line_diff import LineHunk, apply_hunks
from redline.text.proposal import Proposal
from redline.text.streaming_diff import Hunk, StreamingDiff, Update


class LiveProposal:
    """One candidate's changes, from its first line to its last."""

    def __init__(
        self,
        old_lines: Sequence[str],
        *,
        new_id: Callable[[], int],
        carried: Sequence[Hunk] = (),
        rejected: Sequence[LineHunk] = (),
    ) -> None:
        """Start with no new line.

        Args:
            old_lines: The region's lines.
            new_id: Returns an id that is unique in this session.
            carried: Hunks that are already painted for the same old lines, in order and
                disjoint, and may be right.
            rejected: Changes of the same old lines that are not to be made again.
        """
        self._new_id = new_id
        self.written: list[str] = []
        """The new text so far, with the old lines of rejected hunks."""
        self._is_finished = False
        self._above: Proposal | None = None
        self._rejected = list(rejected)
        self._begin(tuple(old_lines), 0, carried)

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """All painted hunks, in order."""
        if self._above is not None:
            return self.proposal().hunks
        return self._painted

    @property
    def _painted(self) -> tuple[Hunk, ...]:
        own = list(self._own())
        if self._hidden is not None:
            own.pop()
        return (*own, *self._carried.values())

    def feed(self, lines: Iterable[str]) -> Update:
        """Add lines of the new text."""
        taken = list(lines)
        self.written += taken
        return self._without_rejected(self._take(self._diff.feed(taken)))

    def finish(self) -> Update:
        """End the new text; carried hunks that did not come again are removed."""
        self._is_finished = True
        return self._without_rejected(self._take(self._diff.finish()))

    def begin_again(self) -> LiveProposal:
        """Return one for another text of the same old lines.

        What is painted is carried over, and what was rejected stays rejected.
        """
        return LiveProposal(
            self.old_lines,
            new_id=self._new_id,
            carried=self.hunks,
            rejected=self._rejected,
        )

    def settled(self, ids: Collection[int] | None = None) -> tuple[Hunk, ...]:
        """Return hunks that will not change again: all, or those with these ids."""
        return tuple(
            hunk
            for hunk in (self._own() if self._above is None else self.hunks)
            if hunk.state == "settled" and (ids is None or hunk.id in ids)
        )

    def proposal(self) -> Proposal:
        """Return the current proposal, finished or not, without carried hunks."""
        hunks = tuple(
            replace(hunk, state="settled", is_open=False) for hunk in self._own()
        )
        own = Proposal(old_lines=self.old_lines, hunks=hunks)
        if self._above is None:
            return own
        return own.with_above(self._above.old_lines, self._above.hunks)

    def put_above(self, lines: Sequence[str], hunks: Sequence[Hunk]) -> None:
        """Extend the finished text by lines above it, and changes of them.

        From now on all hunks count lines from the first of these; see
        `Proposal.with_above`.
        """
        self._above = Proposal(
            old_lines=tuple(lines), hunks=tuple(hunks), n_above=len(lines)
        )

    def drop_above(self) -> None:
        """Undo `put_above`: hunks count lines from the range's first again."""
        self._above = None

    def accept(self, accepted: Sequence[Hunk]) -> None:
        """Make hunks, which are in the document now, part of the old lines.

        Args:
            accepted: In order; settled when they were sent to the document. Lines
                written since may have corrected them.
        """
        if self._above is not None:
            self.rebase(self.proposal().after_accepting(accepted))
            return
        self._rejected = _moved_changes(self._rejected, accepted)
        rest = _moved_by(self.hunks, accepted)
        self._restart(tuple(apply_hunks(self.old_lines, accepted)), rest)

    def reject(self, rejected: Sequence[Hunk]) -> None:
        """Restore the old lines of settled hunks in the new text."""
        gone = {hunk.id for hunk in rejected}
        if self._above is not None:
            self._above = self._above.without(gone)
        rest = [hunk for hunk in self._painted if hunk.id not in gone]
        for hunk, new_start in reversed(list(self._new_starts())):
            if hunk.id in gone:
                self._rejected.append(hunk)
                end = new_start + len(hunk.lines)
                self.written[new_start:end] = self.old_lines[hunk.start : hunk.end]
        self._restart(self.old_lines, rest)

    def rebase(self, proposal: Proposal) -> None:
        """Continue as a finished text that makes these changes, under their ids."""
        if self._above is not None:
            n_above = proposal.n_above
            self.put_above(proposal.old_lines[:n_above], proposal.above)
        own = proposal.range_part
        self._rejected.clear()
        self.written = own.new_lines
        self._is_finished = True
        self._restart(own.old_lines, own.hunks)

    def _begin(
        self, old_lines: tuple[str, ...], n_same: int, carried: Sequence[Hunk]
    ) -> None:
        self.old_lines = old_lines
        # Common first lines of both texts, which are left out of the diff.
        self._n_same = n_same
        self._diff = StreamingDiff(old_lines[n_same:], new_id=self._new_id)
        # Ids of carried hunks that continue, by the diff's ids of them.
        self._ids: dict[int, int] = {}
        # By their starts, in order; none before the end of the new text.
        self._carried = {hunk.start: replace(hunk, state="growing") for hunk in carried}
        # The diff's last hunk, while it is a beginning of the first carried one.
        self._hidden: Hunk | None = None

    def _restart(self, old_lines: tuple[str, ...], painted: Sequence[Hunk]) -> None:
        limit = painted[0].start if painted else len(old_lines)
        both = zip(old_lines[:limit], self.written, strict=False)
        n_same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
        self._begin(old_lines, n_same, painted)
        self._diff.feed(self.written[n_same:])
        if self._is_finished:
            self._diff.finish()
        self._take(Update(hunks=self._diff.hunks))

    def _without_rejected(self, update: Update) -> Update:
        """Reject settled hunks that were rejected before, and add that to an update."""
        if not self._rejected:
            return update
        known = {(each.start, each.end, each.lines) for each in self._rejected}
        again = [
            hunk
            for hunk in self.settled()
            if (hunk.start, hunk.end, hunk.lines) in known
        ]
        if not again:
            return update
        before = {hunk.id for hunk in (*self.hunks, *again)}
        self.reject(again)
        gone = before - {hunk.id for hunk in self.hunks}
        return Update(hunks=self.hunks, removed=(*update.removed, *sorted(gone)))

    def _own(self) -> Iterable[Hunk]:
        """Yield the diff's hunks in our coordinates and with our ids."""
        for hunk in self._diff.hunks:
            yield self._ours(hunk)

    def _new_starts(self) -> Iterable[tuple[Hunk, int]]:
        """Yield each own hunk with the line of the new text where its lines begin."""
        shift = 0
        for hunk in self._own():
            yield hunk, hunk.start + shift
            shift += hunk.shift

    def _take(self, update: Update) -> Update:
        """Convert an update of the diff to one of the painted hunks."""
        if not (self._carried or self._ids or self._n_same or self._hidden):
            return update
        waited, self._hidden = self._hidden, None
        news = {hunk.id: hunk for hunk in update.hunks}
        removed = []
        for diff_id in update.removed:
            our_id = self._ids.pop(diff_id, diff_id)
            if waited is not None and waited.id == diff_id:
                waited = None
            else:
                removed.append(our_id)
        if waited is not None:
            news.setdefault(waited.id, waited)
        changed = []
        for hunk in news.values():
            if self._is_beginning(hunk):
                self._hidden = hunk
            else:
                removed += self._replaced_by(hunk)
                changed.append(self._ours(hunk))
        return Update(hunks=tuple(changed), removed=(*removed, *self._passed()))

    def _is_beginning(self, hunk: Hunk) -> bool:
        """Whether a diff's hunk is open, and so far a beginning of a carried one.

        Showing it would remove lines that will most likely come again.
        """
        twin = self._carried.get(hunk.start + self._n_same)
        is_open = hunk.start == self._diff.n_passed and not self._is_finished
        return (
            twin is not None
            and is_open
            and (len(hunk.lines) < len(twin.lines) or twin.start < twin.end)
            and hunk.lines == twin.lines[: len(hunk.lines)]
        )

    def _replaced_by(self, hunk: Hunk) -> tuple[int, ...]:
        """Continue a carried hunk as a diff's hunk, or return its id for removal."""
        twin = self._carried.pop(hunk.start + self._n_same, None)
        if twin is None:
            return ()
        is_same = hunk.lines[: len(twin.lines)] == twin.lines
        if is_same and twin.end <= hunk.end + self._n_same:
            self._ids[hunk.id] = twin.id
            return ()
        return (twin.id,)

    def _passed(self) -> list[int]:
        """Drop the carried hunks that did not come again; returns their ids."""
        n_passed = self._n_same + self._diff.n_passed
        passed = list(
            takewhile(
                lambda start: self._is_finished or start < n_passed, self._carried
            )
        )
        return [self._carried.pop(start).id for start in passed]

    def _ours(self, hunk: Hunk) -> Hunk:
        n_same = self._n_same
        our_id = self._ids.get(hunk.id, hunk.id)
        if not n_same and our_id == hunk.id:
            return hunk
        return replace(hunk.moved(n_same), id=our_id)


def _moved_changes(
    changes: Sequence[LineHunk], accepted: Sequence[Hunk]
) -> list[LineHunk]:
    """Return changes after accepting hunks, without overlapping ones."""
    moved = []
    for each in changes:
        if any(a.start < each.end and each.start < a.end for a in accepted):
            continue
        by = sum(a.shift for a in accepted if a.end <= each.start)
        moved.append(
            LineHunk(start=each.start + by, end=each.end + by, lines=each.lines)
        )
    return moved


def _moved_by(hunks: Sequence[Hunk], accepted: Sequence[Hunk]) -> list[Hunk]:
    """Return the other hunks after accepting some, without overlapping ones."""
    done = {hunk.id for hunk in accepted}
    moved = []
    for hunk in hunks:
        above = [other for other in accepted if other.end <= hunk.start]
        is_apart = all(
            other.end <= hunk.start or hunk.end <= other.start for other in accepted
        )
        if hunk.id not in done and is_apart:
            moved.append(hunk.moved(sum(each.shift for each in above)))
    return moved
