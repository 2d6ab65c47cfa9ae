"""Joins, cuts and compares spans of lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redline.findings.scope import Span


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Sort spans, join those that touch, and drop empty ones."""
    result: list[Span] = []
    for first, end in sorted(spans):
        if first >= end:
            continue
        if result and first <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((first, end))
    return tuple(result)


def within(spans: Iterable[Span], window: range) -> tuple[Span, ...]:
    """Cut spans at the borders of a window of lines."""
    return joined((max(a, window.start), min(b, window.stop)) for a, b in spans)


def n_common(spans: Sequence[Span], lines: range) -> int:
    """Count the lines of a range that are in any of the spans."""
    return sum(b - a for a, b in within(spans, lines))
