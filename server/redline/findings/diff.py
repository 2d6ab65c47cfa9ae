"""Parses the output of `git diff`: the changed lines of each file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

import msgspec

from redline.findings.scope import Span
from redline.findings.spans import joined

ChangeKind = Literal["added", "deleted", "modified", "renamed", "copied"]

# Git's documentation, "Generating patch text with -p", defines these lines.
_HUNK = re.compile(r"@@ -\d+(?:,(?P<n_old>\d+))? \+(?P<at>\d+)(?:,(?P<n_new>\d+))? @@")
_KINDS: dict[str, ChangeKind] = {
    "new file mode ": "added",
    "deleted file mode ": "deleted",
    "rename from ": "renamed",
    "copy from ": "copied",
}
_OLD_NAMES = ("rename from ", "copy from ")
_NEW_NAMES = ("rename to ", "copy to ")
_NOWHERE = "/dev/null"
_ESCAPE = re.compile(r"\\(?P<octal>[0-7]{3})|\\(?P<letter>.)")
_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


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
    """The change of one file."""

    path: str
    """The new path; the old one of a deleted file."""
    old_path: str | None = None
    """The old path of a renamed or copied file."""
    kind: ChangeKind
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
        text: With or without context lines, with any line ends in the files, and with
            the prefixes `a/` and `b/`.
    """
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if line.startswith("diff --git ")]
    ends = [*starts, len(lines)][1:]
    changes = (_read_file(lines[a:b]) for a, b in zip(starts, ends, strict=True))
    return tuple(change for change in changes if change is not None)


def read_hunks(text: str) -> tuple[DiffHunk, ...]:
    """Parse the hunks of one file, in the format of `FileChange.text`."""
    lines = text.split("\n")
    return tuple(_read_hunk(lines[begin:end]) for begin, end in _hunk_bounds(lines))


class _Head(msgspec.Struct, kw_only=True):
    """The header before the hunks of a file."""

    kind: ChangeKind = "modified"
    old_path: str | None = None
    new_path: str | None = None
    is_binary: bool = False


def _read_file(lines: Sequence[str]) -> FileChange | None:
    bounds = list(_hunk_bounds(lines))
    head = _read_head(lines[: bounds[0][0] if bounds else len(lines)])
    if head.new_path is None or head.old_path is None:
        old_path, new_path = _names_in_title(lines[0])
        head.old_path = head.old_path or old_path
        head.new_path = head.new_path or new_path
    path = head.old_path if head.kind == "deleted" else head.new_path
    if not path:
        return None
    is_moved = head.kind in ("renamed", "copied")
    return FileChange(
        path=path,
        old_path=head.old_path if is_moved else None,
        kind=head.kind,
        is_binary=head.is_binary,
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


def _read_head(lines: Sequence[str]) -> _Head:
    head = _Head()
    for line in lines:
        for start, kind in _KINDS.items():
            if line.startswith(start):
                head.kind = kind
        if line.startswith(_OLD_NAMES):
            head.old_path = _unquoted(line.split(" ", 2)[2])
        elif line.startswith(_NEW_NAMES):
            head.new_path = _unquoted(line.split(" ", 2)[2])
        elif line.startswith("--- "):
            head.old_path = head.old_path or _name(line[4:], "a/")
        elif line.startswith("+++ "):
            head.new_path = head.new_path or _name(line[4:], "b/")
        elif line.startswith(("Binary files ", "GIT binary patch")):
            head.is_binary = True
    return head


def _name(written: str, prefix: str) -> str | None:
    # Git adds a tab after a name that contains a blank.
    name = _unquoted(written.removesuffix("\r").removesuffix("\t"))
    return None if name == _NOWHERE else name.removeprefix(prefix)


def _names_in_title(title: str) -> tuple[str | None, str | None]:
    """Parse `diff --git a/x b/x`, the only names of a binary file or a mode change.

    If the names differ, the rest of the header has them.
    """
    both = title.removeprefix("diff --git ").removesuffix("\r")
    if both.endswith('"'):
        old, _, new = both.rpartition(' "')
        return _name(old, "a/"), _name(f'"{new}', "b/")
    middle = len(both) // 2
    old, new = both[:middle], both[middle + 1 :]
    if old.removeprefix("a/") != new.removeprefix("b/"):
        return None, None
    return _name(old, "a/"), _name(new, "b/")


def _unquoted(name: str) -> str:
    """Decode a name that git has quoted like a C string."""
    if len(name) < 2 or not (name.startswith('"') and name.endswith('"')):
        return name
    # Each octal escape is one byte of UTF-8.
    chars = _ESCAPE.sub(_unescaped, name[1:-1])
    return chars.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unescaped(found: re.Match[str]) -> str:
    if found["octal"]:
        return bytes([int(found["octal"], 8) & 0xFF]).decode("ascii", "surrogateescape")
    return _ESCAPES.get(found["letter"], found["letter"])


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
