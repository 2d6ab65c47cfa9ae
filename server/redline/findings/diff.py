"""Reads what `git diff` writes: which lines of which files a change is about."""

from __future__ import annotations

from typing import Literal

import msgspec

from redline.findings.scope import Span

ChangeKind = Literal["added", "deleted", "modified", "renamed", "copied"]


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """One run of changes with the lines around it."""

    first_line: int
    """Index of its first line in the new text, from 0."""
    n_lines: int
    """How many lines of the new text it shows."""
    spans: tuple[Span, ...]
    """Which of the new lines are changed; where lines were deleted, those around the
    place, as far as the hunk shows them."""
    text: str
    """As git writes it, from the `@@` line on; LF line ends, none at the end."""


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a change does to one file."""

    path: str
    """The new one; of a deleted file the old one."""
    old_path: str | None = None
    """What a renamed or copied file was called."""
    kind: ChangeKind
    is_binary: bool = False
    hunks: tuple[Hunk, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The changed lines of the new text, in order and apart."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """All hunks as git writes them."""
        raise NotImplementedError


def parse_diff(text: str) -> tuple[FileChange, ...]:
    """Read a unified diff of git; combined diffs (of merges) are left out.

    Args:
        text: With or without context lines, any line ends inside the files; prefixes
            `a/` and `b/` or none, whichever the headers have.
    """
    raise NotImplementedError
