"""The minimal diff of two texts, line by line.

Lines are compared with their ends. The diff keeps as many lines as possible; among
several such diffs, `diff_lines` returns, in this order, one that

1. keeps the common head and tail,
2. has fewer hunks: a pure insertion or deletion that can slide over equal lines to its
   neighbour is merged with it, as in git's `xdl_change_compact`,
3. starts its hunks as late as possible: lines are kept as soon as they are met. This
   choice is also possible while the new text is being written, see `streaming_diff`.

This module does not know documents and positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from redline.text.common_lines import Pair, common_lines
from redline.text.lines import line_end, strip_end


class LineHunk(msgspec.Struct, frozen=True, kw_only=True):
    """The old lines [start, end) are replaced by `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]

    @property
    def shift(self) -> int:
        """Number of lines by which it moves the rest of the text down."""
        return len(self.lines) - (self.end - self.start)


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[LineHunk]:
    """Compute the minimal diff.

    Returns:
        Hunks in order, none of them empty, with at least one kept line between two.
    """
    head = common_head(old, new)
    tail = common_head(old[head:][::-1], new[head:][::-1])
    pairs = common_lines(old[head : len(old) - tail], new[head : len(new) - tail])
    pairs = [(head + i, head + j) for i, j in pairs]
    gaps = _gaps(pairs, head, len(old) - tail, len(new) - tail)
    return [
        LineHunk(
            start=gap.start, end=gap.end, lines=tuple(new[gap.new_start : gap.new_end])
        )
        for gap in _compact(gaps, old, new)
    ]


def apply_hunks(old: Sequence[str], hunks: Iterable[LineHunk]) -> list[str]:
    """Return the lines after replacing the hunks' lines.

    Args:
        old: The lines that the hunks were made for.
        hunks: In order and disjoint, as returned by `diff_lines`.
    """
    new: list[str] = []
    at = 0
    for hunk in hunks:
        new += old[at : hunk.start]
        new += hunk.lines
        at = hunk.end
    new += old[at:]
    return new


class _Gap(msgspec.Struct, frozen=True):
    """The old lines [start, end) become the new lines [new_start, new_end)."""

    start: int
    end: int
    new_start: int
    new_end: int


def common_head(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many elements two sequences have in common at their beginnings."""
    n_common = 0
    for a, b in zip(old, new, strict=False):
        if a != b:
            break
        n_common += 1
    return n_common


def _gaps(pairs: list[Pair], head: int, old_end: int, new_end: int) -> list[_Gap]:
    gaps = []
    i, j = head, head
    for old_at, new_at in [*pairs, (old_end, new_end)]:
        if i < old_at or j < new_at:
            gaps.append(_Gap(i, old_at, j, new_at))
        i, j = old_at + 1, new_at + 1
    return gaps


def _compact(gaps: list[_Gap], old: Sequence[str], new: Sequence[str]) -> list[_Gap]:
    """Merge pure insertions and deletions by sliding, then slide them down."""
    done: list[_Gap] = []
    waiting = gaps[::-1]
    while waiting:
        gap = waiting.pop()
        above = gap.start - (done[-1].end if done else 0)
        below = (waiting[-1].start if waiting else len(old)) - gap.end
        up, down = _room(gap, above, below, old, new)
        if done and up == above:
            waiting.append(_joined(done.pop(), _slid(gap, -up)))
        elif waiting and down == below:
            waiting.append(_joined(_slid(gap, down), waiting.pop()))
        else:
            done.append(_slid(gap, down))
    return done


def _room(
    gap: _Gap, above: int, below: int, old: Sequence[str], new: Sequence[str]
) -> tuple[int, int]:
    """Count the kept lines, up and down, over which a gap can slide.

    `above` and `below` kept lines separate it from its neighbours. Only a pure
    insertion or deletion can slide in a minimal diff.
    """
    if gap.start == gap.end:
        lines, start, end = new, gap.new_start, gap.new_end
    elif gap.new_start == gap.new_end:
        lines, start, end = old, gap.start, gap.end
    else:
        return 0, 0
    up = down = 0
    while up < above and lines[start - 1 - up] == lines[end - 1 - up]:
        up += 1
    while down < below and lines[start + down] == lines[end + down]:
        down += 1
    return up, down


def _slid(gap: _Gap, by: int) -> _Gap:
    return _Gap(gap.start + by, gap.end + by, gap.new_start + by, gap.new_end + by)


def _joined(upper: _Gap, lower: _Gap) -> _Gap:
    return _Gap(upper.start, lower.end, upper.new_start, lower.new_end)


def restore_ends(old_lines: Sequence[str], new_lines: Sequence[str]) -> list[str]:
    """Give the lines of a rewrite the ends of their range.

    Args:
        old_lines: The old text, with ends, which may be mixed.
        new_lines: The new text. A line gets the end of the old line that it equals or
            replaces, by the minimal diff of both without ends; an added line gets the
            end of the line before it. Where the old text has no end to give, lines keep
            their own; a last line without an end stays without.
    """
    new_texts = [strip_end(line) for line in new_lines]
    restored = []
    end = next(filter(None, map(line_end, old_lines)), "")
    for at, source in enumerate(_sources(old_lines, new_texts)):
        end = (line_end(old_lines[source]) if source is not None else "") or end
        has_end = line_end(new_lines[at])
        restored.append(new_texts[at] + ((end or has_end) if has_end else ""))
    return restored


def _sources(old_lines: Sequence[str], new_texts: list[str]) -> Iterator[int | None]:
    """Yield for each new line the old line that it comes from; None: it is added."""
    at = 0
    for hunk in diff_lines([strip_end(line) for line in old_lines], new_texts):
        yield from range(at, hunk.start)
        at = hunk.end
        for number, _ in enumerate(hunk.lines, hunk.start):
            yield number if number < hunk.end else None
    yield from range(at, len(old_lines))
