"""Open documents: text that the editor changes, and snapshots that never change.

A document is a list of lines. One change is a splice of that list, so its cost depends
on the edit and not on the file. A snapshot shares the list; the first change after one
pays for a copy of the list (not of the text).

Nothing here raises for what a client sends. Ranges past the end are clamped; a range
whose start is after its end is reversed, as in the reference implementation
(`vscode-languageserver-textdocument`); versions are stored as sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from redline.text.anchor import Anchor, Splice, follow, is_touched_by, kept_place
from redline.text.lines import content_length, line_end, split_lines
from redline.text.position import (
    Encoding,
    Position,
    Range,
    clamp,
    range_from_client,
    range_to_client,
    text_in,
)

OnSplice: TypeAlias = Callable[[Splice, Sequence[str]], None]


class ContentChange(Struct, frozen=True, kw_only=True):
    """One element of `didChange`'s `contentChanges`."""

    range: Range | None
    """The replaced range, in the client's units; None: the whole text."""
    text: str


class Snapshot(Struct, frozen=True, kw_only=True):
    """A document as it was at one version; never changes."""

    uri: str
    version: int
    language_id: str
    lines: Sequence[str]
    """At least one line, ends kept; only the last one has no end."""
    encoding: Encoding

    @property
    def text(self) -> str:
        """The whole text, joined on each call."""
        return "".join(self.lines)

    def text_in(self, inner: Range) -> str:
        """Return the text of a range in code points inside the document."""
        return text_in(self.lines, inner)

    def range_from_client(self, client_range: Range) -> Range:
        """Convert a client's range to code points, clamped and in order."""
        return range_from_client(self.lines, client_range, self.encoding)

    def range_to_client(self, inner: Range) -> Range:
        """Convert a range in code points to the client's units."""
        return range_to_client(self.lines, inner, self.encoding)


class Document:
    """One open document and the anchors in it. Not safe to share between threads."""

    def __init__(
        self,
        *,
        uri: str,
        language_id: str,
        version: int,
        text: str,
        encoding: Encoding,
    ) -> None:
        self.uri = uri
        self.language_id = language_id
        self.version = version
        self.encoding = encoding
        self._lines = split_lines(text)
        self.on_splice: OnSplice | None = None
        """Called with each change, and the old text of the changed lines. Must be
        quick."""
        self._snapshot: Snapshot | None = None
        self._anchors: list[Anchor] = []

    def snapshot(self) -> Snapshot:
        """Return the document as it is now, in constant time."""
        if self._snapshot is None:
            self._snapshot = Snapshot(
                uri=self.uri,
                version=self.version,
                language_id=self.language_id,
                lines=self._lines,
                encoding=self.encoding,
            )
        return self._snapshot

    def anchor(self, inner: Range, *, is_of_lines: bool = False) -> Anchor:
        """Create an anchor on a range in code points, clamped to the document.

        Args:
            inner: The range.
            is_of_lines: Whether it follows its lines when one change replaces more
                than them and brings them back.
        """
        start, end = clamp(self._lines, inner.start), clamp(self._lines, inner.end)
        anchor = Anchor(Range(start, end), is_of_lines=is_of_lines)
        self._anchors.append(anchor)
        return anchor

    @property
    def n_lines(self) -> int:
        """The current number of lines; unlike a snapshot, it causes no copy."""
        return len(self._lines)

    @property
    def lines(self) -> Sequence[str]:
        """The current lines, ends kept, without a copy: valid until the next change."""
        return self._lines

    def lines_between(self, first: int, end: int) -> list[str]:
        """Return the existing lines among [first, end), ends kept; the others are not
        copied."""
        return self._lines[max(first, 0) : max(end, 0)]

    def release(self, anchor: Anchor) -> None:
        """Stop updating an anchor. Releasing twice does nothing."""
        self._anchors = [held for held in self._anchors if held is not anchor]

    def change(
        self, version: int, changes: Iterable[ContentChange]
    ) -> tuple[Splice, ...]:
        """Apply a `didChange`: its changes in order, each to the result of the one
        before.

        Args:
            version: The version after all of them, as sent by the client.
            changes: May be empty: then only the version changes.

        Returns:
            The splice of each change, in the same order.
        """
        if self._snapshot is not None:
            self._lines = self._lines.copy()
            self._snapshot = None
        self.version = version
        return tuple([self._apply(change) for change in changes])

    def _apply(self, change: ContentChange) -> Splice:
        if change.range is None:
            return self._replace_all(change.text)
        replaced = range_from_client(self._lines, change.range, self.encoding)
        old_lines = self._lines[replaced.start.line : replaced.end.line + 1]
        splice = splice_lines(self._lines, replaced, change.text)
        for anchor in self._anchors:
            if is_touched_by(anchor.range, splice):
                self._touch(anchor, splice, old_lines)
            else:
                anchor.range = follow(anchor.range, splice)
        if self.on_splice is not None:
            self.on_splice(splice, old_lines)
        return splice

    def _replace_all(self, text: str) -> Splice:
        whole = self._lines
        self._lines = split_lines(text)
        splice = find_splice(whole, self._lines)
        old_lines = whole[splice.old.start.line : splice.old.end.line + 1]
        for anchor in self._anchors:
            now = follow(anchor.range, splice)
            # The client does not say what it replaced, so the texts are compared.
            if _is_same(whole, anchor.range, self._lines, now):
                anchor.range = now
            else:
                self._touch(anchor, splice, old_lines)
        if self.on_splice is not None:
            self.on_splice(splice, old_lines)
        return splice

    def _touch(self, anchor: Anchor, splice: Splice, old_lines: Sequence[str]) -> None:
        """Change the text inside an anchor, unless its lines are the same again."""
        kept = None
        if anchor.is_of_lines:
            new_lines = self._lines[splice.new.start.line : splice.new.end.line + 1]
            kept = kept_place(anchor.range, splice, old_lines, new_lines)
        if kept is None:
            anchor.touched_version = self.version
        anchor.range = kept or follow(anchor.range, splice)


def splice_lines(lines: list[str], replaced: Range, text: str) -> Splice:
    """Replace a range in code points by a text, in place.

    Args:
        lines: The document's lines; they are changed.
        replaced: A range inside the document.
        text: What to put there, with any line ends.
    """
    start, end = replaced.start, replaced.end
    head = lines[start.line][: start.character]
    tail = lines[end.line][end.character :]
    first = start.line
    # A line feed right after a carriage return becomes one line end with it.
    if first > 0 and lines[first - 1].endswith("\r") and _is_join(head, text, tail):
        first -= 1
        head = lines[first]
    new_lines = split_lines(head + text + tail)
    if end.line + 1 < len(lines):
        new_lines.pop()
    lines[first : end.line + 1] = new_lines
    last = first + len(new_lines) - 1
    new_start = Position(first, len(head))
    new_end = Position(last, len(new_lines[-1]) - len(tail))
    return Splice(replaced, Range(clamp(lines, new_start), clamp(lines, new_end)))


def find_splice(old_lines: Sequence[str], new_lines: Sequence[str]) -> Splice:
    """Find one splice from the old text to the new one, as small as their common
    beginning and end allow."""
    n_shared = min(len(old_lines), len(new_lines))
    head = 0
    while head < n_shared and old_lines[head] == new_lines[head]:
        head += 1
    if head == n_shared:  # Only a document's last line has no end: both are over.
        at = Position(head - 1, content_length(old_lines[-1]))
        return Splice(Range(at, at), Range(at, at))
    # At least one line on each side stays in the middle, to hold the borders.
    tail = 0
    while tail < n_shared - 1 - head and old_lines[-1 - tail] == new_lines[-1 - tail]:
        tail += 1
    return _narrow(old_lines, new_lines, head, tail)


def _is_same(
    old_lines: Sequence[str], old: Range, new_lines: Sequence[str], new: Range
) -> bool:
    """Whether two ranges have the same text and end a line, or both do not.

    Where a blank last line is gone, or the next line was joined to the last one, the
    text is the same, and the line where it ends has become another one.
    """
    if text_in(old_lines, old) != text_in(new_lines, new):
        return False
    return _ends_line(old_lines, old.end) == _ends_line(new_lines, new.end)


def _ends_line(lines: Sequence[str], at: Position) -> bool:
    return at.character >= content_length(lines[at.line])


def _is_join(head: str, text: str, tail: str) -> bool:
    return not head and (text or tail).startswith("\n")


def _narrow(
    old_lines: Sequence[str], new_lines: Sequence[str], head: int, tail: int
) -> Splice:
    """Find the characters that differ between two middle parts of one line or more."""
    old_last, new_last = len(old_lines) - 1 - tail, len(new_lines) - 1 - tail
    old_first_line, new_first_line = old_lines[head], new_lines[head]
    n_first = min(content_length(old_first_line), content_length(new_first_line))
    n_head = _n_common(old_first_line[:n_first], new_first_line[:n_first])

    start = Position(head, n_head)

    old_end, new_end = old_lines[old_last], new_lines[new_last]
    if line_end(old_end) != line_end(new_end):
        # Then neither is a last line, and the ends are part of the difference.
        return Splice(
            Range(start, Position(old_last + 1, 0)),
            Range(start, Position(new_last + 1, 0)),
        )
    n_old, n_new = content_length(old_end), content_length(new_end)
    old_rest = old_end[n_head if old_last == head else 0 : n_old]
    new_rest = new_end[n_head if new_last == head else 0 : n_new]
    n_tail = _n_common(old_rest[::-1], new_rest[::-1])
    return Splice(
        Range(start, Position(old_last, n_old - n_tail)),
        Range(start, Position(new_last, n_new - n_tail)),
    )


def _n_common(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts, by bisection."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
