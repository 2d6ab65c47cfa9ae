"""The last edits of the open documents, which show what the user works on.

Typing arrives one character at a time. Adjacent changes form one edit, which holds the
lines from before the first change; the current lines are looked up on request. Large
edits, such as reformatting a file, carry no information and are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import add

from msgspec import Struct

from redline.prompts.redaction import text_around
from redline.prompts.secrets.search import secrets_by_place
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.lines import strip_end

_MAX_EDITS = 8
_MAX_LINES = 40
"""Most lines of one edit, before or after it."""
_AROUND_LINES = 200
"""Lines before and after an edit that are searched for secrets; more than a key has."""


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
    secrets: tuple[str, ...] = ()
    """What lines around it show to be secret in them and it, now or before."""

    @property
    def text(self) -> str:
        """It as removed and added lines."""
        return "\n".join(
            [*(f"- {line}" for line in self.old), *(f"+ {line}" for line in self.new)]
        )


def secrets_around(edits: Sequence[RecentEdit]) -> tuple[str, ...]:
    """Return what lines around some edits show to be secret."""
    found = chain.from_iterable(edit.secrets for edit in edits)
    return tuple(dict.fromkeys(found))


class RecentEdits:
    """The last edits in any document."""

    def __init__(self) -> None:
        self._edits: list[_Edit] = []
        self._recalled: tuple[RecentEdit, ...] | None = None
        """What was returned since the last change of any document."""

    def note(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        self._recalled = None
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
        self._recalled = None
        self._edits = [edit for edit in self._edits if edit.document is not document]

    def recall(self) -> Sequence[RecentEdit]:
        """Return the edits that changed anything, oldest first."""
        if self._recalled is None:
            by_document: dict[Document, list[_Edit]] = {}
            for edit in self._edits:
                by_document.setdefault(edit.document, []).append(edit)
            secrets = {each: _secrets(edits) for each, edits in by_document.items()}
            edits = (_recalled(edit, secrets[edit.document]) for edit in self._edits)
            self._recalled = tuple(edit for edit in edits if edit.old or edit.new)
        return self._recalled


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


def _recalled(edit: _Edit, secrets: tuple[str, ...]) -> RecentEdit:
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
        secrets=secrets,
    )


def _secrets(edits: Sequence[_Edit]) -> tuple[str, ...]:
    """Return what lines around the edits of one document show to be secret.

    It is searched as it is now and as it was before, and with the lines of both: one
    edit may have put a value into it, and another have removed what shows its meaning.
    """
    document = edits[0].document
    edits = sorted(edits, key=lambda edit: edit.first)
    now = document.lines_between(0, document.n_lines)
    new = [now[edit.first : edit.end] for edit in edits]
    old = [edit.old_lines for edit in edits]
    both = list(map(add, new, old))
    texts = (_around(now, edits, changed) for changed in (new, old, both))
    found = (
        secrets_by_place(text, document.uri) for text in chain.from_iterable(texts)
    )
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def _around(
    now: Sequence[str], edits: Sequence[_Edit], changed: Sequence[Sequence[str]]
) -> Iterator[str]:
    """Put other lines in place of those of the edits; return the texts around them."""
    lines: list[str] = []
    places: list[range] = []
    done = 0
    for edit, changed_lines in zip(edits, changed, strict=True):
        lines += now[done : edit.first]
        first = len(lines)
        lines += changed_lines
        if places and first - places[-1].stop <= _AROUND_LINES:
            first = places.pop().start
        places.append(range(first, len(lines)))
        done = edit.end
    lines += now[done:]
    for place in places:
        yield text_around(lines, place.start, place.stop, n_around=_AROUND_LINES)
