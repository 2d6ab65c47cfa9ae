"""A finished candidate as hunks that can be accepted one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from redline.text.line_diff import LineHunk, apply_hunks
from redline.text.streaming_diff import Hunk


class Proposal(Struct, frozen=True, kw_only=True):
    """The region's current lines, and the settled hunks for them, in order."""

    old_lines: tuple[str, ...]
    hunks: tuple[Hunk, ...]
    n_above: int = 0
    """The number of old lines above the range, see `with_above`."""

    @property
    def new_lines(self) -> list[str]:
        """The region's lines with all hunks applied."""
        return apply_hunks(self.old_lines, self.hunks)

    def take(self, ids: Collection[int] | None) -> tuple[Hunk, ...]:
        """Return the hunks with these ids, in order; None: all of them."""
        return tuple(h for h in self.hunks if ids is None or h.id in ids)

    def without(self, ids: Collection[int]) -> Proposal:
        return replace(self, hunks=tuple(h for h in self.hunks if h.id not in ids))

    def after_accepting(self, accepted: Sequence[Hunk]) -> Proposal:
        """Return the proposal after applying some hunks: the others, moved."""
        done = {hunk.id for hunk in accepted}
        rest: list[Hunk] = []
        shift = 0
        for hunk in self.hunks:
            if hunk.id in done:
                shift += hunk.shift
            else:
                rest.append(hunk.moved(shift))
        return self._after(accepted, rest)

    def with_above(self, lines: Sequence[str], hunks: Sequence[Hunk]) -> Proposal:
        """Return the proposal with lines above the range, and changes of them.

        Args:
            lines: All lines from the first change on.
            hunks: In order, in these lines; each begins before their end.
        """
        n_above = len(lines)
        return Proposal(
            old_lines=(*lines, *self.old_lines),
            hunks=(*hunks, *(hunk.moved(n_above) for hunk in self.hunks)),
            n_above=n_above,
        )

    @property
    def above(self) -> tuple[Hunk, ...]:
        return tuple(hunk for hunk in self.hunks if hunk.start < self.n_above)

    @property
    def range_part(self) -> Proposal:
        inside = self.hunks[len(self.above) :]
        return Proposal(
            old_lines=self.old_lines[self.n_above :],
            hunks=tuple(hunk.moved(-self.n_above) for hunk in inside),
        )

    def after_typing(self, typed: Sequence[LineHunk]) -> Proposal:
        """Return the proposal after the user changed the region: the hunks whose lines
        are as they were, moved.

        Args:
            typed: What changed, in order, in lines of the region before.
        """
        rest = []
        for hunk in self.hunks:
            if any(_share_lines(each, hunk) for each in typed):
                continue
            rest.append(
                hunk.moved(sum(each.shift for each in typed if each.end <= hunk.start))
            )
        return self._after(typed, rest)

    def _after(self, changes: Sequence[LineHunk], rest: Sequence[Hunk]) -> Proposal:
        return Proposal(
            old_lines=tuple(apply_hunks(self.old_lines, changes)),
            hunks=tuple(rest),
            n_above=moved_border(self.n_above, changes),
        )


def moved_border(n_above: int, changes: Iterable[LineHunk]) -> int:
    """Return the number of lines above a range after changes."""
    return n_above + sum(
        len(change.lines) - (min(change.end, n_above) - change.start)
        for change in changes
        if change.start < n_above
    )


def _share_lines(typed: LineHunk, hunk: Hunk) -> bool:
    """Whether lines of a hunk have changed, or the place between lines is gone."""
    return typed.start < hunk.end and hunk.start < typed.end
