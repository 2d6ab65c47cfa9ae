"""The last edits of the open documents, which show what the user works on.

Typing arrives one character at a time. Adjacent changes form one edit, which holds the
lines from before the first change; the current lines are looked up on request. Large
edits, such as reformatting a file, carry no information and are not kept. Edits of a
secret that only other lines show are not returned, as those of a key of several lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.prompts.secret_search import find_secrets
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.lines import strip_end, with_line_feeds

_MAX_EDITS = 8
_MAX_LINES = 40
"""Most lines of one edit, before or after it."""
_KEY_LINES = 200
"""More lines than a key has: those around an edit that are searched for one."""


class _Edit(Struct):
    document: Document
    first: int
    end: int
    """Its current lines, `end` excluded."""
    old_lines: list[str]
    """The lines that it replaced."""

    def touches(self, first: int, end: int) -> bool:
        """Whether lines overlap with it or are adjacent to it."""
        return first <= self.end and self.first <= end


class RecentEdit(Struct, frozen=True, kw_only=True):
    """One edit: what differs of its lines."""

    document: Document
    lines: range
    """Its current lines."""
    above: str
    """The line above what changed; empty at the top."""
    old: tuple[str, ...]
    """Without line ends, as `new`."""
    new: tuple[str, ...]

    @property
    def text(self) -> str:
        """It as removed and added lines."""
        return "\n".join(
            [*(f"- {line}" for line in self.old), *(f"+ {line}" for line in self.new)]
        )


class RecentEdits:
    """The last edits in any document."""

    def __init__(self) -> None:
        self._edits: list[_Edit] = []

    def note(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Record a change; see `WorkspaceFollower.document_spliced`."""
        first = splice.old.start.line
        old_end = splice.old.end.line + 1
        n_more = splice.new.end.line + 1 - old_end
        edit = _Edit(document, first, old_end, list(old_lines[: _MAX_LINES + 1]))
        for other in reversed(self._edits):
            if other.document is document and other.touches(first, old_end):
                edit = _joined(other, first, old_end, old_lines)
                break
        kept = [
            other
            for other in self._edits
            if not (other.document is document and other.touches(first, old_end))
        ]
        for other in kept:
            if other.document is document and other.first >= old_end:
                other.first += n_more
                other.end += n_more
        edit.end += n_more
        if max(len(edit.old_lines), edit.end - edit.first) <= _MAX_LINES:
            kept.append(edit)
        self._edits = kept[-_MAX_EDITS:]

    def forget(self, document: Document) -> None:
        self._edits = [edit for edit in self._edits if edit.document is not document]

    def recall(self) -> list[RecentEdit]:
        """Return the edits that changed anything, oldest first."""
        edits = [
            _recalled(edit) for edit in self._edits if not self._is_of_secret(edit)
        ]
        return [edit for edit in edits if edit.old or edit.new]

    def _is_of_secret(self, edit: _Edit) -> bool:
        """Whether an edit changed lines of a secret that only lines around it show,
        before or after it."""
        start = max(edit.first - _KEY_LINES, 0)
        end = edit.end + _KEY_LINES
        now = edit.document.lines_between(start, end)
        before = list(now)
        first = edit.first - start
        others = [each for each in self._edits if each.document is edit.document]
        # From the bottom, so that the places above stay.
        for other in sorted(others, key=lambda each: each.first, reverse=True):
            if start <= other.first and other.end <= end:
                before[other.first - start : other.end - start] = other.old_lines
                if other.first < edit.first:
                    first += len(other.old_lines) - (other.end - other.first)
        path = edit.document.uri
        return _is_in_secret(
            now, range(edit.first - start, edit.end - start), path
        ) or (_is_in_secret(before, range(first, first + len(edit.old_lines)), path))


def _joined(edit: _Edit, first: int, old_end: int, old_lines: Sequence[str]) -> _Edit:
    """Extend an edit by a change that touches it, in lines before that change."""
    above = old_lines[: max(edit.first - first, 0)]
    below = old_lines[edit.end - first :] if old_end > edit.end else ()
    return _Edit(
        edit.document,
        min(edit.first, first),
        max(edit.end, old_end),
        [*above, *edit.old_lines, *below],
    )


def _recalled(edit: _Edit) -> RecentEdit:
    lines = edit.document.lines_between(edit.first, edit.end)
    above = edit.document.lines_between(edit.first - 1, edit.first)
    old, new = list(map(strip_end, edit.old_lines)), list(map(strip_end, lines))
    while old and new and old[0] == new[0]:
        above = [old.pop(0)]
        del new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return RecentEdit(
        document=edit.document,
        lines=range(edit.first, edit.end),
        above=strip_end(above[0]) if above else "",
        old=tuple(old),
        new=tuple(new),
    )


def _is_in_secret(lines: Sequence[str], changed: range, path: str) -> bool:
    """Whether some lines, or the one above, have a part of a secret that no line of
    them shows alone."""
    shown = lines[max(changed.start - 1, 0) : changed.stop]
    start = len(with_line_feeds(lines[: max(changed.start - 1, 0)]))
    end = start + len(with_line_feeds(shown))
    text = with_line_feeds(lines)
    found = [
        text[one:other]
        for one, other in find_secrets(text, path)
        if one < end and other > start
    ]
    if not found:
        return False
    known = {line[a:b] for line in shown for a, b in find_secrets(line, path)}
    return not known.issuperset(found)
