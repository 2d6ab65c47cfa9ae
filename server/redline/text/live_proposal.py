"""A proposal while it is still written: what is shown, taken and turned down meanwhile.

It joins the streaming diff with three things a reader does before the writer is done:

- accepts a hunk: it becomes part of the old lines;
- turns one down: the old lines become part of the new text;
- redirects: the hunks painted before stay until the new text has reached them.

In each case the diff is made anew from the lines it then compares, so that its state is
always that of a diff between the old lines and what was written, and nothing else.
Ids are never used twice in one session; what looks the same keeps its id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from redline.text.line_diff import apply_hunks
from redline.text.proposal import Proposal, ProposedHunk
from redline.text.streaming_diff import Hunk, StreamingDiff, Update


class LiveProposal:
    """One candidate's changes, from its first line to its last."""

    def __init__(
        self,
        old_lines: Sequence[str],
        *,
        first_id: int = 0,
        carried: Sequence[Hunk] = (),
    ) -> None:
        """Begin.

        Args:
            old_lines: The region's lines.
            first_id: Ids from here on are free.
            carried: What is painted already, for the same old lines, and may be right.
        """
        self.old_lines = tuple(old_lines)
        self.next_id = max([first_id, *(hunk.id + 1 for hunk in carried)])
        self._carried = {hunk.id: replace(hunk, state="growing") for hunk in carried}
        self._written: list[str] = []
        self._ids: dict[int, int] = {}
        self._diff = StreamingDiff(self.old_lines)
        self._is_finished = False

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """Everything that is painted, in order."""
        own = [h for h in self._own() if h.id not in self._carried]
        return (*own, *self._carried.values())

    @property
    def written(self) -> list[str]:
        """The new text so far, with the old lines where a hunk was turned down."""
        return self._written

    def feed(self, lines: Iterable[str]) -> Update:
        """Take further lines of the new text."""
        taken = list(lines)
        self._written += taken
        return self._translated(self._diff.feed(taken))

    def finish(self) -> Update:
        """Take the end of the new text."""
        self._is_finished = True
        return self._translated(self._diff.finish())

    def settled(self, ids: Collection[int] | None = None) -> tuple[ProposedHunk, ...]:
        """The hunks that will not change any more: all, or those with these ids."""
        return tuple(
            ProposedHunk(id=h.id, start=h.start, end=h.end, lines=h.lines)
            for h in self._own()
            if h.state == "settled" and (ids is None or h.id in ids)
        )

    def proposal(self) -> Proposal:
        """What is proposed now, finished or not, without what was carried over."""
        hunks = tuple(
            ProposedHunk(id=h.id, start=h.start, end=h.end, lines=h.lines)
            for h in self._own()
        )
        return Proposal(old_lines=self.old_lines, hunks=hunks)

    def accept(self, accepted: Sequence[ProposedHunk]) -> None:
        """Make settled hunks, which are in the document now, part of the old lines."""
        shown = self._shapes(accepted)
        self.old_lines = tuple(
            apply_hunks(self.old_lines, [hunk.change for hunk in accepted])
        )
        self._carried.clear()
        self._make_anew(shown)

    def reject(self, rejected: Sequence[ProposedHunk]) -> None:
        """Write the old lines where settled hunks stood."""
        gone = {hunk.id for hunk in rejected}
        shown = self._shapes(())
        for hunk, new_start in reversed(list(self._new_starts())):
            if hunk.id in gone:
                end = new_start + len(hunk.lines)
                self._written[new_start:end] = self.old_lines[hunk.start : hunk.end]
        self._carried.clear()
        self._make_anew(shown)

    def _own(self) -> Iterable[Hunk]:
        """The diff's hunks under our ids."""
        for hunk in self._diff.hunks:
            yield replace(hunk, id=self._id_of(hunk))

    def _new_starts(self) -> Iterable[tuple[Hunk, int]]:
        """Each own hunk, with the line of the new text at which its lines begin."""
        shift = 0
        for hunk in self._own():
            yield hunk, hunk.start + shift
            shift += len(hunk.lines) - (hunk.end - hunk.start)

    def _shapes(
        self, accepted: Sequence[ProposedHunk]
    ) -> dict[tuple[int, int, tuple[str, ...]], int]:
        """Where the other hunks will be, so that they can keep their ids."""
        done = {hunk.id for hunk in accepted}
        shapes, shift = {}, 0
        for hunk in self.hunks:
            if hunk.id in done:
                shift += len(hunk.lines) - (hunk.end - hunk.start)
            else:
                shapes[hunk.start + shift, hunk.end + shift, hunk.lines] = hunk.id
        return shapes

    def _make_anew(self, shapes: dict[tuple[int, int, tuple[str, ...]], int]) -> None:
        self._diff = StreamingDiff(self.old_lines)
        self._diff.feed(self._written)
        if self._is_finished:
            self._diff.finish()
        self._ids = {}
        for hunk in self._diff.hunks:
            known = shapes.get((hunk.start, hunk.end, hunk.lines))
            self._ids[hunk.id] = self._new_id() if known is None else known

    def _translated(self, update: Update) -> Update:
        """Give an update of the diff our ids, and say what of the carried is gone."""
        removed = [self._ids.pop(i) for i in update.removed]
        changed = [
            replace(hunk, id=self._id_of(hunk))
            for hunk in update.hunks
            if not self._is_begun_alike(hunk)
        ]
        for hunk in changed:
            self._carried.pop(hunk.id, None)
        passed = [
            carried.id
            for carried in self._carried.values()
            if self._is_finished or carried.start < self._diff.n_passed
        ]
        for carried_id in passed:
            del self._carried[carried_id]
        kept = {hunk.id for hunk in changed}
        gone = [i for i in (*removed, *passed) if i not in kept]
        return Update(hunks=tuple(changed), removed=tuple(gone))

    def _id_of(self, hunk: Hunk) -> int:
        if hunk.id not in self._ids:
            twin = self._twin(hunk)
            self._ids[hunk.id] = self._new_id() if twin is None else twin.id
        return self._ids[hunk.id]

    def _twin(self, hunk: Hunk) -> Hunk | None:
        """The carried hunk at the same place."""
        for carried in self._carried.values():
            if carried.start == hunk.start:
                return carried
        return None

    def _is_begun_alike(self, hunk: Hunk) -> bool:
        """Whether a growing hunk is, so far, the beginning of what is painted there.

        Showing it would take away lines that are most likely to come again.
        """
        twin = self._twin(hunk)
        return (
            twin is not None
            and hunk.state == "growing"
            and hunk.end <= twin.end
            and twin.lines[: len(hunk.lines)] == hunk.lines
        )

    def _new_id(self) -> int:
        self.next_id += 1
        return self.next_id - 1
