"""The indexer: reads documents and files, and indexes their definitions.

It runs in a separate process, because reading would block typing: parsing a large file
holds the interpreter for 70 ms, and the token ranks take half a second and 70 MB. Its
messages are small: of all definitions of the workspace, only those that the open
documents call.

Incoming messages are handled first. Walking files, looking up what documents call and
counting tokens is done in steps between them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct

from redline.assist.context.messages import (
    Closed,
    Counts,
    FoundDefinitions,
    FromIndexer,
    Lines,
    OpenText,
    Read,
    ReadingFile,
    Rescan,
    Roots,
    Scanned,
    ToIndexer,
)
from redline.assist.context.workspace_files import (
    MAX_FILE_BYTES,
    SourceFile,
    source_files,
)
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import UnreadableFileError
from redline.files import read_text
from redline.prompts.relevance import names_in, rank
from redline.prompts.signatures import Signature, nearest_signatures, signatures
from redline.prompts.tokens import ExactCount, count_lines
from redline.syntax.language import Language, language_of
from redline.syntax.outline import Outline, outline
from redline.syntax.tree import parse

MAX_SIGNATURES = 60_000
"""About 40 MB in the indexer's process."""


class SignatureIndex:
    """Signatures by name; a file is replaced as a whole."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[Signature]] = {}
        self._by_uri: dict[str, tuple[Signature, ...]] = {}
        self._n_signatures = 0

    @property
    def uris(self) -> frozenset[str]:
        return frozenset(self._by_uri)

    def find(self, name: str) -> Sequence[Signature]:
        return self._by_name.get(name, ())

    def put(self, uri: str, signatures: Iterable[Signature]) -> None:
        """Replace the definitions of a file."""
        self.remove(uri)
        room = MAX_SIGNATURES - self._n_signatures
        taken = self._by_uri[uri] = tuple(signatures)[:room]
        self._n_signatures += len(taken)
        for one in taken:
            self._by_name.setdefault(one.name, []).append(one)

    def remove(self, uri: str) -> None:
        gone = self._by_uri.pop(uri, ())
        self._n_signatures -= len(gone)
        for one in gone:
            others = self._by_name[one.name]
            # By identity: several files may have equal definitions.
            others[:] = [other for other in others if other is not one]
            if not others:
                del self._by_name[one.name]


_MAX_NAMES = 5_000
"""Most names of a document that count for its relevance."""

_MAX_RELATED = 4
"""Most related documents sent: more than are shown, as some may be held back."""

_MAX_COMPARED = 100
"""Documents that may be related to one: those that were read last."""

_FILES_A_STEP = 8
_LINES_A_STEP = 500
_LOAD_AFTER_S = 2.0
"""How long no message comes before the token ranks are loaded."""

_TELL_EVERY = 200
"""Files after which the definitions found so far are looked up."""

_MAX_COUNTED = 100_000
"""Lines remembered as counted and sent."""


class _Document(Struct):
    path: str
    outline: Outline
    names: frozenset[str]
    sent: FoundDefinitions
    """The last message about its calls, perhaps for an earlier version."""
    is_inside: bool
    """Whether it is in the workspace; else, only it sees what it defines."""
    own: SignatureIndex
    """What it defines, if it is outside; else empty."""

    def find(self, name: str, index: SignatureIndex) -> Sequence[Signature]:
        """Return the definitions of a name that it may see."""
        return [*self.own.find(name), *index.find(name)]


class Indexer:
    """The index of one workspace."""

    def __init__(
        self,
        tell: Callable[[FromIndexer], None],
        *,
        load_count: Callable[[], ExactCount],
    ) -> None:
        """Start with an empty index.

        Args:
            tell: Sends a message to the server.
            load_count: Loads the token ranks; called once there are lines to count.
        """
        self._tell = tell
        self._load_count = load_count
        self._count: ExactCount | None = None
        self._ignore_rules = IgnoreRules()
        self._roots: tuple[str, ...] = ()
        self._without: frozenset[str] = frozenset()
        self._documents: dict[str, _Document] = {}
        """By URI, those that were read last behind the others."""
        self._to_tell: list[str] = []
        """Documents whose calls are still to be looked up, the next one last."""
        self._index = SignatureIndex()
        self._stamps: dict[str, tuple[int, int]] = {}
        self._scan: Iterator[object] | None = None
        self._scans_again = False
        self._uncounted: deque[str] = deque()
        self._counted: set[str] = set()

    @property
    def wait_s(self) -> float | None:
        """How long to wait for a message before `step`; None if it has nothing to do.

        The token ranks are loaded once nothing else is going on: that takes as long as
        everything else at the start of a session, and until then estimates do.
        """
        if self._scan is not None or self._to_tell:
            return 0.0
        if not self._uncounted:
            return None
        return _LOAD_AFTER_S if self._count is None else 0.0

    def take(self, message: ToIndexer) -> None:
        match message:
            case Roots():
                self._roots = message.uris
                self._without = message.without
                self._scan = self._scanning()
            case Rescan():
                self._rescan()
            case OpenText():
                self._read(message)
            case Closed():
                self._close(message.uri)
            case Lines():
                self._to_count(message.lines)

    def step(self) -> None:
        """Do a part of the pending work, for some milliseconds."""
        is_idle = self._scan is None and not self._to_tell
        if self._scan is not None and next(self._scan, None) is None:
            self._scan = self._scanning() if self._scans_again else None
            self._scans_again = False
        if self._to_tell:
            self._tell_found(self._to_tell.pop())
        if self._uncounted and (is_idle or self._count is not None):
            self._count_some()

    def _read(self, message: OpenText) -> None:
        language = language_of(message.uri, message.language_id)
        found = self._outline(message.uri, message.text, language)
        names = sorted(names_in(message.text))[:_MAX_NAMES]
        before = self._documents.pop(message.uri, None)
        nothing = FoundDefinitions(uri=message.uri, signatures={}, related=())
        document = self._documents[message.uri] = _Document(
            path=message.path,
            outline=found,
            names=frozenset(names),
            sent=nothing if before is None else before.sent,
            is_inside=message.is_inside,
            own=SignatureIndex(),
        )
        self._index.remove(message.uri)
        index = self._index if message.is_inside else document.own
        index.put(message.uri, signatures(found, message.path))
        self._stamps.pop(message.uri, None)
        self._tell(Read(uri=message.uri, version=message.version, outline=found))
        # Documents that are opened together are looked up once, not once for each.
        self._to_tell = list(self._documents)
        self._to_count(message.text.splitlines(keepends=True))

    def _close(self, uri: str) -> None:
        if self._documents.pop(uri, None) is not None:
            self._index.remove(uri)
            self._rescan()

    def _rescan(self) -> None:
        # A running scan may have passed the changed files.
        if self._scan is None:
            self._scan = self._scanning()
        else:
            self._scans_again = True

    def _tell_found(self, uri: str) -> None:
        """Send what an open document calls, if it has changed since it was sent."""
        document = self._documents.get(uri)
        if document is None:
            return
        found = FoundDefinitions(
            uri=uri,
            signatures=nearest_signatures(
                dict.fromkeys(document.outline.call_names),
                partial(document.find, index=self._index),
                path=document.path,
                imports=[x.text for x in document.outline.imports],
            ),
            related=self._related(uri, document),
        )
        if found != document.sent:
            document.sent = found
            self._tell(found)

    def _related(self, uri: str, document: _Document) -> tuple[tuple[str, float], ...]:
        others = {
            other_uri: other.names
            for other_uri, other in islice(
                reversed(self._documents.items()), _MAX_COMPARED
            )
            if other_uri != uri and other.is_inside
        }
        return tuple(rank(document.names, others).items())[:_MAX_RELATED]

    def _scanning(self) -> Iterator[object]:
        """Read the workspace's changed files; yields between steps."""
        seen = set(self._documents)
        n_read = 0
        for n_looked, file in enumerate(source_files(self._roots, self._ignore_rules)):
            if n_looked % _FILES_A_STEP == 0:
                yield self
            if file is None or file.uri in self._documents:
                continue
            seen.add(file.uri)
            if self._stamps.get(file.uri) != file.stamp:
                self._read_file(file)
                n_read += 1
                if n_read % _TELL_EVERY == 0:
                    self._to_tell = list(self._documents)
        for uri in self._index.uris - seen - set(self._documents):
            self._index.remove(uri)
            self._stamps.pop(uri, None)
        self._to_tell = list(self._documents)
        while self._to_tell:
            yield self
        self._tell(Scanned(n_files=len(seen)))

    def _read_file(self, file: SourceFile) -> None:
        try:
            text = read_text(file.file, max_bytes=MAX_FILE_BYTES)
        except UnreadableFileError:
            return
        self._stamps[file.uri] = file.stamp
        found = self._outline(file.uri, text, file.language)
        self._index.put(file.uri, signatures(found, file.path))

    def _to_count(self, lines: Sequence[str]) -> None:
        if len(self._counted) > _MAX_COUNTED:
            self._counted.clear()
        new = dict.fromkeys(line for line in lines if line not in self._counted)
        self._counted.update(new)
        self._uncounted.extend(new)

    def _count_some(self) -> None:
        if self._count is None:
            self._count = self._load_count()
        some = [
            self._uncounted.popleft()
            for _ in range(min(_LINES_A_STEP, len(self._uncounted)))
        ]
        self._tell(Counts(counts=count_lines(some, self._count)))

    def _outline(self, uri: str, text: str, language: Language | None) -> Outline:
        """Parse a text; announce it first, since parsing may not end."""
        if language is None or uri in self._without:
            return Outline()
        self._tell(ReadingFile(uri=uri))
        return outline(parse(text, language))
