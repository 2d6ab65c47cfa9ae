"""Unified diffs as git writes them, so that `git apply` and `patch` read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redline.text.line_diff import LineHunk, diff_lines

_N_CONTEXT = 3
"""Context lines around a hunk, as in git's diffs."""

_NO_END = "\n\\ No newline at end of file\n"

_ESCAPES = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def unified_diff(old: str, new: str, *, path: str = "file") -> str:
    """Return the differences in git's format, with a file header; empty: none.

    Args:
        old: Its lines end at line feeds only; a carriage return belongs to its line.
        new: Likewise.
        path: The file's path for the header, with slashes.
    """
    old_lines, new_lines = _lines(old), _lines(new)
    groups = _groups(diff_lines(old_lines, new_lines))
    n_added = 0
    written: list[str] = []
    for group in groups:
        lines, added = _written(group, old_lines, n_added)
        written += lines
        n_added += added
    return _head(path) + "".join(map(_ended, written)) if written else ""


def _head(path: str) -> str:
    before, after = _name(f"a/{path}"), _name(f"b/{path}")
    # A tab ends a name with blanks.
    end = "\t" if " " in path else ""
    return f"diff --git {before} {after}\n--- {before}{end}\n+++ {after}{end}\n"


def _name(path: str) -> str:
    """Quote a name as git does, if it could end its line or be read as quoted."""
    if not any(one in _ESCAPES or one < " " for one in path):
        return path
    return f'"{"".join(map(_escaped, path))}"'


def _escaped(one: str) -> str:
    return _ESCAPES.get(one) or (one if one >= " " else f"\\{ord(one):03o}")


def _lines(text: str) -> list[str]:
    """Split at line feeds, which stay; the last line may have none."""
    *lines, rest = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, rest] if rest else ended


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + _NO_END


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
    return [f"@@ -{here} +{there} @@\n", *lines], added


def _place(start: int, count: int) -> str:
    # An empty range is numbered by the line before it.
    return f"{start + 1 if count else start},{count}"
