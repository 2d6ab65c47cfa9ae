"""The open documents, and what the indexer knows of each.

A document is read again shortly after a change, one version at a time, and less often
the longer reading takes. Until then, its known outline is that of an earlier version.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping

from msgspec import Struct, field

from redline.assist.context.messages import FoundDefinitions, OpenText, Read
from redline.prompts.signatures import SignatureCandidate
from redline.syntax.outline import Outline
from redline.text.anchor import Splice
from redline.text.document import Document

_MAX_SHIFTS = 256
"""More line breaks than a user types before the document is read again."""


class _Shift(Struct, frozen=True, kw_only=True):
    version: int
    """The first version that has this change."""
    first: int
    old_end: int
    new_end: int
    """Lines `first` to `old_end` became lines `first` to `new_end`, ends excluded."""


class LineShifts:
    """Translates lines of one document to lines of an earlier version.

    Knowledge about a document refers to the version that was read. Until it is read
    again, current lines are translated; typing within a line costs nothing.
    """

    def __init__(self) -> None:
        self._shifts: deque[_Shift] = deque(maxlen=_MAX_SHIFTS)

    def note(self, version: int, splice: Splice) -> None:
        """Record a change that led to a version."""
        old, new = splice.old.end, splice.new.end
        if old.line != new.line:
            # A change that ends at the start of a line does not change that line.
            n_last = 0 if old.character == new.character == 0 else 1
            self._shifts.append(
                _Shift(
                    version=version,
                    first=splice.old.start.line,
                    old_end=old.line + n_last,
                    new_end=new.line + n_last,
                )
            )

    def back(self, line: int, version: int) -> int:
        """Return the line of a version for a current one, or the nearest line."""
        for shift in reversed(self._shifts):
            if shift.version <= version:
                break
            if line >= shift.new_end:
                line += shift.old_end - shift.new_end
            elif line >= shift.first:
                line = max(min(line, shift.old_end - 1), shift.first)
        return line

    def back_range(self, lines: range, version: int) -> range:
        """Translate a range; an empty one stays empty."""
        start = self.back(lines.start, version)
        if not lines:
            return range(start, start)
        return range(start, self.back(lines[-1], version) + 1)


_PAUSE_S = 0.2
"""Wait after a change; about as long as a pause in typing."""

_PAUSE_RATIO = 3.0
"""The wait is this many times the duration of the last read."""

_MAX_LINES, _MAX_CHARS = 20_000, 1_000_000
"""Longer documents are not read: they are data."""


class KnownDocument(Struct):
    """What is known of one document."""

    document: Document
    shifts: LineShifts = field(default_factory=LineShifts)
    version: int | None = None
    """The version of `outline`; None: not read yet."""
    outline: Outline = field(default_factory=Outline)
    found: Mapping[str, tuple[SignatureCandidate, ...]] = field(default_factory=dict)
    """Candidates for the names that it calls."""
    related: tuple[tuple[str, float], ...] = ()
    """Other documents' URIs and how much they share with it, closest first."""
    asked: int | None = None
    """The version that is being read."""
    asked_at: float = 0.0
    pause_s: float = 0.0
    """Wait before it is read again; 0 for the first time."""
    timer: asyncio.TimerHandle | None = None

    def then(self, lines: range) -> range:
        """Translate current lines to those of the version that was read."""
        return self.shifts.back_range(lines, self.version or 0)


class OpenDocuments:
    """Sends documents to the indexer, and keeps its answers."""

    def __init__(
        self,
        read: Callable[[OpenText], None],
        *,
        path_of: Callable[[str], str],
        may_read: Callable[[str], bool],
        is_inside: Callable[[str], bool],
    ) -> None:
        """Start with no document.

        Args:
            read: Sends a document to the indexer.
            path_of: Returns the name of a document in prompts.
            may_read: Whether a document may be sent to a model at all.
            is_inside: Whether a document is in the workspace.
        """
        self._read = read
        self._path_of = path_of
        self._may_read = may_read
        self._is_inside = is_inside
        self._known: dict[Document, KnownDocument] = {}
        self._by_uri: dict[str, KnownDocument] = {}
        self._is_reading = False

    def find(self, document: Document) -> KnownDocument | None:
        """Return what is known of a document; None if it was not read yet."""
        known = self._known.get(document)
        return None if known is None or known.version is None else known

    def shifts(self, document: Document) -> LineShifts:
        return self._known[document].shifts

    def open_at(self, uri: str) -> Document | None:
        known = self._by_uri.get(uri)
        return None if known is None else known.document

    def begin(self) -> None:
        """Have the indexer read all documents, and every change from now on."""
        self._is_reading = True
        for known in self._known.values():
            known.asked = None
            self._ask(known)

    def open(self, document: Document) -> None:
        known = KnownDocument(document)
        self._known[document] = self._by_uri[document.uri] = known
        if self._is_reading:
            self._ask_later(known)

    def spliced(self, document: Document, splice: Splice) -> None:
        known = self._known[document]
        known.shifts.note(document.version, splice)
        if self._is_reading:
            self._ask_later(known)

    def close(self, document: Document) -> None:
        known = self._known.pop(document)
        if known.timer is not None:
            known.timer.cancel()
        if self._by_uri.get(document.uri) is known:
            del self._by_uri[document.uri]

    def close_all(self) -> None:
        """Forget all documents, because the server ends."""
        for document in list(self._known):
            self.close(document)

    def take_read(self, message: Read) -> KnownDocument | None:
        """Store an outline; returns None if its document is no longer open."""
        known = self._by_uri.get(message.uri)
        if known is None or known.asked != message.version:
            return None
        known.version, known.outline = message.version, message.outline
        known.asked = None
        took_s = asyncio.get_running_loop().time() - known.asked_at
        known.pause_s = max(_PAUSE_S, took_s * _PAUSE_RATIO)
        if known.document.version != message.version:
            self._ask_later(known)
        return known

    def take_found(self, message: FoundDefinitions) -> None:
        """Store the candidates and related documents of a document."""
        known = self._by_uri.get(message.uri)
        if known is not None:
            known.found, known.related = message.signatures, message.related

    def _ask_later(self, known: KnownDocument) -> None:
        # A document that is being read is requested again afterwards.
        if known.timer is None and known.asked is None:
            loop = asyncio.get_running_loop()
            known.timer = loop.call_later(known.pause_s, self._ask, known)

    def _ask(self, known: KnownDocument) -> None:
        if known.timer is not None:
            known.timer.cancel()
            known.timer = None
        document = known.document
        if document.n_lines > _MAX_LINES or not self._may_read(document.uri):
            return
        text = document.snapshot().text
        if len(text) > _MAX_CHARS:
            return
        known.asked = document.version
        known.asked_at = asyncio.get_running_loop().time()
        self._read(
            OpenText(
                uri=document.uri,
                path=self._path_of(document.uri),
                language_id=document.language_id,
                version=document.version,
                text=text,
                is_inside=self._is_inside(document.uri),
            )
        )
