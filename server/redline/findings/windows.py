"""Cuts a file that is too long into windows around its reviewed lines.

A window is a run of reviewed lines with context around it. One that costs too much is
cut where the code is least indented, so that definitions stay together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

import msgspec

from redline.findings.scope import Span, joined, within

CONTEXT_N_LINES = 60
"""Context on each side of reviewed lines: about a screen."""

_SHARE_IN_QUESTION = 0.6
"""Share of a window's budget for reviewed lines; the rest is for context."""

_NICE_SHARE = 0.5
"""A cut is searched from this share of the room on, so that no piece gets too small."""


class LineCosts:
    """The token costs of runs of lines."""

    def __init__(self, lines: Iterable[str], count: Callable[[str], int]) -> None:
        self._sums = [0, *accumulate(count(f"{line}\n") for line in lines)]

    def of(self, lines: range) -> int:
        """Sum the costs of some lines."""
        return self._sums[lines.stop] - self._sums[lines.start]


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that are shown, and which of them are reviewed in this window."""

    lines: range
    spans: tuple[Span, ...]
    """The lines reviewed here; other reviewed lines in it belong to other windows."""


def windows(
    lines: Sequence[str], spans: Sequence[Span], costs: LineCosts, *, budget: int
) -> list[Window]:
    """Choose the windows of a file.

    Args:
        lines: The file's, without their ends.
        spans: The reviewed lines, in order and without overlap.
        costs: The costs of the same lines.
        budget: Most tokens of one window.

    Returns:
        The windows in order. Each reviewed line is in one of them, except lines that
        cost too much by themselves. Windows may share context lines.
    """
    room = int(budget * _SHARE_IN_QUESTION)
    found: list[Window] = []
    for span in within(spans, range(len(lines))):
        for piece in _pieces(lines, range(*span), costs, room):
            window = Window(
                lines=_with_context(piece, costs, len(lines), budget),
                spans=((piece.start, piece.stop),),
            )
            both = _together(found[-1], window) if found else None
            if both is not None and costs.of(both.lines) <= budget:
                found[-1] = both
            else:
                found.append(window)
    return found


def missed(shown: Iterable[Window], spans: Iterable[Span]) -> list[Span]:
    """Return the reviewed lines that are in no window."""
    seen = joined(span for window in shown for span in window.spans)
    left: list[Span] = []
    for first, end in spans:
        at = first
        for a, b in within(seen, range(first, end)):
            left.append((at, a))
            at = b
        left.append((at, end))
    return list(joined(left))


def _pieces(
    lines: Sequence[str], span: range, costs: LineCosts, room: int
) -> Iterator[range]:
    """Cut a run of lines into runs that cost at most `room`."""
    first = span.start
    while first < span.stop:
        end = first
        while end < span.stop and costs.of(range(first, end + 1)) <= room:
            end += 1
        if end == first:
            first += 1
            continue
        if end < span.stop:
            end = _nice_end(lines, first, end)
        yield range(first, end)
        first = end


def _nice_end(lines: Sequence[str], first: int, end: int) -> int:
    """Move a cut up to the least indented line, if possible after a blank one."""
    earliest = first + max(int((end - first) * _NICE_SHARE), 1)
    places = [n for n in range(earliest, end + 1) if lines[n].strip()]

    def awkwardness(at: int) -> tuple[int, bool, int]:
        depth = len(lines[at]) - len(lines[at].lstrip())
        return depth, bool(lines[at - 1].strip()), -at

    return min(places, key=awkwardness, default=end)


def _with_context(piece: range, costs: LineCosts, n_lines: int, budget: int) -> range:
    """Add lines on both sides in turn, up to the budget."""
    first, end = piece.start, piece.stop
    for _ in range(CONTEXT_N_LINES):
        if first > 0 and costs.of(range(first - 1, end)) <= budget:
            first -= 1
        if end < n_lines and costs.of(range(first, end + 1)) <= budget:
            end += 1
    return range(first, end)


def _together(one: Window, other: Window) -> Window | None:
    """Join two windows that overlap or touch; `one` must begin first."""
    if other.lines.start > one.lines.stop:
        return None
    return Window(
        lines=range(
            min(one.lines.start, other.lines.start),
            max(one.lines.stop, other.lines.stop),
        ),
        spans=joined((*one.spans, *other.spans)),
    )
