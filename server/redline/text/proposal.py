"""A finished candidate as hunks that can be accepted one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec
from msgspec import structs

from redline.text.line_diff import LineHunk, apply_hunks


class ProposedHunk(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a proposal; old lines [start, end) become `lines`."""

    id: int
    start: int
    end: int
    lines: tuple[str, ...]

    @property
    def state(self) -> Literal["settled"]:
        """The state: a proposed hunk does not grow."""
        return "settled"

    @property
    def change(self) -> LineHunk:
        """The change without its id."""
        return LineHunk(start=self.start, end=self.end, lines=self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The region's current lines, and the hunks proposed for them, in order."""

    old_lines: tuple[str, ...]
    hunks: tuple[ProposedHunk, ...]

    @property
    def new_lines(self) -> list[str]:
        """The region's lines with all hunks applied."""
        return apply_hunks(self.old_lines, [hunk.change for hunk in self.hunks])

    def take(self, ids: Collection[int] | None) -> tuple[ProposedHunk, ...]:
        """Return the hunks with these ids, in order; None: all of them."""
        return tuple(h for h in self.hunks if ids is None or h.id in ids)

    def without(self, ids: Collection[int]) -> Proposal:
        """Return the proposal without rejected hunks."""
        return replace(self, hunks=tuple(h for h in self.hunks if h.id not in ids))

    def after_accepting(self, accepted: Sequence[ProposedHunk]) -> Proposal:
        """Return the proposal after applying some hunks: the others, moved."""
        done = {hunk.id for hunk in accepted}
        rest: list[ProposedHunk] = []
        shift = 0
        for hunk in self.hunks:
            if hunk.id in done:
                shift += len(hunk.lines) - (hunk.end - hunk.start)
            else:
                start, end = hunk.start + shift, hunk.end + shift
                rest.append(structs.replace(hunk, start=start, end=end))
        changes = [hunk.change for hunk in accepted]
        return Proposal(
            old_lines=tuple(apply_hunks(self.old_lines, changes)), hunks=tuple(rest)
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
            shift = sum(
                len(each.lines) - (each.end - each.start)
                for each in typed
                if each.end <= hunk.start
            )
            start, end = hunk.start + shift, hunk.end + shift
            rest.append(structs.replace(hunk, start=start, end=end))
        return Proposal(
            old_lines=tuple(apply_hunks(self.old_lines, typed)), hunks=tuple(rest)
        )


def _share_lines(typed: LineHunk, hunk: ProposedHunk) -> bool:
    """Whether lines of a hunk have changed, or the place between lines is gone."""
    return typed.start < hunk.end and hunk.start < typed.end
