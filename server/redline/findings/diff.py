"""Parses the output of `git diff`: the changed lines of each file.

The names of the files are not parsed: `git diff --raw -z` lists them without quoting,
and the title of a file's differences joins the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from redline.findings.scope import Span, joined

# Git's documentation, "Generating patch text with -p", defines these lines.
_HUNK = re.compile(r"@@ -\d+(?:,(?P<n_old>\d+))? \+(?P<at>\d+)(?:,(?P<n_new>\d+))? @@")


class DiffHunk(msgspec.Struct, frozen=True, kw_only=True):
    """One hunk: changed lines with context around them."""

    first_line: int
    """Index of its first line in the new text, from 0."""
    n_lines: int
    """The number of lines of the new text in it."""
    spans: tuple[Span, ...]
    """The changed new lines; where lines were deleted, the lines around the deletion,
    even if the hunk does not show them. May reach past the end of the text."""
    text: str
    """Git's text from the `@@` line on; LF line ends, none at the end."""


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    """Git's first line, `diff --git` and the two names, quoted."""
    is_binary: bool = False
    hunks: tuple[DiffHunk, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The changed lines of the new text, in order and without overlap."""
        return joined(span for hunk in self.hunks for span in hunk.spans)

    @property
    def text(self) -> str:
        """The text of all hunks, in git's format."""
        return "\n".join(hunk.text for hunk in self.hunks)


def parse_diff(text: str) -> tuple[FileChange, ...]:
    """Parse a unified diff of git; combined diffs (of merges) are skipped.

    Args:
        text: With or without context lines, and with any line ends in the files.
    """
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if line.startswith("diff --git ")]
    ends = [*starts, len(lines)][1:]
    return tuple(_read_file(lines[a:b]) for a, b in zip(starts, ends, strict=True))


def read_hunks(text: str) -> tuple[DiffHunk, ...]:
    """Parse the hunks of one file, in the format of `FileChange.text`."""
    lines = text.split("\n")
    return tuple(_read_hunk(lines[begin:end]) for begin, end in _hunk_bounds(lines))


def old_text(new: str, hunks: Sequence[DiffHunk]) -> str:
    """Return the text before a change.

    Args:
        new: The text after it, LF line ends.
        hunks: All of its hunks, in order.

    Returns:
        Like the old text, but it ends in a line end if and only if the new text does.
    """
    lines = new.split("\n")
    for hunk in reversed(hunks):
        old = [
            line[1:] for line in hunk.text.split("\n")[1:] if line[:1] in ("-", " ", "")
        ]
        lines[hunk.first_line : hunk.first_line + hunk.n_lines] = old
    return "\n".join(lines)


def _read_file(lines: Sequence[str]) -> FileChange:
    bounds = list(_hunk_bounds(lines))
    head = lines[: bounds[0][0] if bounds else len(lines)]
    return FileChange(
        title=lines[0].removesuffix("\r"),
        is_binary=any(
            line.startswith(("Binary files ", "GIT binary patch")) for line in head
        ),
        hunks=tuple(_read_hunk(lines[begin:end]) for begin, end in bounds),
    )


def _hunk_bounds(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each hunk and the line after it.

    The end follows from the counts in the `@@` line, since a line of a file may look
    like the start of a hunk.
    """
    at = 0
    while at < len(lines):
        _, n_old, n_new = _counts(lines[at])
        begin, at = at, at + 1
        if not lines[begin].startswith("@@ "):
            continue
        while at < len(lines) and (n_old > 0 or n_new > 0):
            sign = lines[at][:1]
            n_old -= sign in ("-", " ", "")
            n_new -= sign in ("+", " ", "")
            at += 1
        while at < len(lines) and lines[at].startswith("\\"):
            at += 1
        yield begin, at


def _counts(line: str) -> tuple[int, int, int]:
    """Parse a `@@` line: the first new line, and the numbers of old and new lines."""
    found = _HUNK.match(line)
    if found is None:
        return 0, 0, 0
    return int(found["at"]), int(found["n_old"] or 1), int(found["n_new"] or 1)


def _read_hunk(lines: Sequence[str]) -> DiffHunk:
    at, _, n_new = _counts(lines[0])
    # A hunk without new lines has the number of the line before it.
    first = at - 1 if n_new else at
    return DiffHunk(
        first_line=first,
        n_lines=n_new,
        spans=joined(_changed(lines[1:], first)),
        text="\n".join(line.removesuffix("\r") for line in lines),
    )


def _changed(lines: Sequence[str], at: int) -> Iterator[Span]:
    """Yield the changed lines; `at` is the index of the next new line."""
    for is_change, run in groupby(lines, key=lambda line: line[:1] in ("+", "-", "\\")):
        signs = [line[:1] for line in run]
        if not is_change:
            at += len(signs)
        elif n_added := signs.count("+"):
            yield at, at + n_added
            at += n_added
        elif "-" in signs:
            yield max(at - 1, 0), at + 1
