"""A unified diff between a text from git and the unsaved text of an editor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redline.text.line_diff import LineHunk, diff_lines

_N_CONTEXT = 3
"""Context lines around a hunk, as in git's diffs."""


def unified_diff(old: str, new: str) -> str:
    """Return the differences in git's format, with a file header; empty: none.

    Args:
        old: LF line ends.
        new: LF line ends.
    """
    old_lines = old.removesuffix("\n").split("\n") if old else []
    new_lines = new.removesuffix("\n").split("\n") if new else []
    groups = _groups(diff_lines(old_lines, new_lines))
    head = "diff --git a/file b/file\n--- a/file\n+++ b/file\n"
    n_added = 0
    written: list[str] = []
    for group in groups:
        lines, added = _written(group, old_lines, n_added)
        written += lines
        n_added += added
    return head + "".join(f"{line}\n" for line in written) if written else ""


def _groups(hunks: Iterable[LineHunk]) -> list[list[LineHunk]]:
    """Group hunks whose context lines would meet."""
    groups: list[list[LineHunk]] = []
    for hunk in hunks:
        if groups and hunk.start - groups[-1][-1].end <= 2 * _N_CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    return groups


def _written(
    group: Sequence[LineHunk], old: Sequence[str], n_added: int
) -> tuple[list[str], int]:
    """Return one hunk of the diff, and the number of lines that it adds."""
    start = max(0, group[0].start - _N_CONTEXT)
    end = min(len(old), group[-1].end + _N_CONTEXT)
    lines: list[str] = []
    at = start
    for hunk in group:
        lines += (f" {line}" for line in old[at : hunk.start])
        lines += (f"-{line}" for line in old[hunk.start : hunk.end])
        lines += (f"+{line}" for line in hunk.lines)
        at = hunk.end
    lines += (f" {line}" for line in old[at:end])
    added = sum(len(hunk.lines) - (hunk.end - hunk.start) for hunk in group)
    here = _place(start, end - start)
    there = _place(start + n_added, end - start + added)
    return [f"@@ -{here} +{there} @@", *lines], added


def _place(start: int, count: int) -> str:
    # An empty range is numbered by the line before it.
    return f"{start + 1 if count else start},{count}"
