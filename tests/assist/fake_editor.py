"""An editor with a client's own idea of its documents.

It tells the workspace of every change, as a client does, checks what it is sent as a
strict client would, and answers an edit in whichever way a test wants.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from redline.assist.editor.editor import (
    Began,
    EditEnd,
    EditorTraits,
    HunksPainted,
    PreviewHunk,
    ProblemMark,
)
from redline.assist.editor.workspace import Workspace
from redline.errors import EditorRefusedError, RemoteProtocolError
from redline.text.document import ContentChange, Snapshot
from redline.text.lines import split_lines
from redline.text.position import Encoding, Position, Range
from redline.text.region import TextEdit

URI = "file:///project/app.py"


@dataclass
class ClientDocument:
    """A document as the client has it."""

    text: str
    version: int = 1

    def offset(self, position: Position) -> int:
        """Turn a position into an offset, the slow way."""
        lines = split_lines(self.text)
        assert position.line < len(lines)
        content = lines[position.line].rstrip("\r\n")
        assert position.character <= len(content)
        return sum(map(len, lines[: position.line])) + position.character

    def position(self, offset: int) -> Position:
        """Turn an offset into a position."""
        lines = split_lines(self.text[:offset])
        return Position(len(lines) - 1, len(lines[-1]))

    def edited(self, edits: Sequence[TextEdit]) -> str:
        """Return the text with edits in it, which must be in order and apart."""
        text = self.text
        places = [
            (self.offset(edit.range.start), self.offset(edit.range.end))
            for edit in edits
        ]
        assert all(a[1] <= b[0] for a, b in pairwise(places))
        for (start, end), edit in reversed(list(zip(places, edits, strict=True))):
            text = text[:start] + edit.new_text + text[end:]
        return text


@dataclass
class FakeProgress:
    """Progress of one session."""

    title: str
    token: str | int | None
    cancel: Callable[[], object]
    message: str | None = None
    reports: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)

    def report(self, message: str) -> None:
        assert not self.ends
        self.reports.append(message)

    def end(self, message: str) -> None:
        # Idempotent, as the port says: only the first one shows.
        self.ends.append(message)


@dataclass
class Preview:
    """What a client shows of one session."""

    began: Began
    seq: int = 0
    hunks: dict[int, PreviewHunk] = field(default_factory=dict)
    n_messages: int = 0
    ended: EditEnd | None = None


@dataclass(frozen=True)
class Applied:
    """One edit that the client was asked to apply."""

    uri: str
    version: int
    edits: tuple[TextEdit, ...]
    label: str


TakeEdit = Callable[["FakeEditor", Applied], Awaitable[bool]]


class FakeEditor:
    """Implements the port."""

    def __init__(self, workspace: Workspace) -> None:
        workspace.encoding = Encoding.UTF_32
        self.workspace = workspace
        self.traits = EditorTraits()
        self.documents: dict[str, ClientDocument] = {}
        self.asked: list[Applied] = []
        self.previews: dict[str, Preview] = {}
        self.progress: list[FakeProgress] = []
        self.messages: list[str] = []
        self.marks: dict[str, tuple[ProblemMark, ...]] = {}
        """The problems that are shown, by document."""
        self.take_edit: TakeEdit = take
        self.typed_after: Callable[[], list[ContentChange]] = list
        """What the user types right after an edit, for `tell_late`."""
        self.is_behind = False
        self.on_put: Callable[[Applied, str, str], None] = lambda *change: None
        """Called with each edit of the server's, and the text before and after."""
        self.changed = asyncio.Event()
        """Set on every request or notification."""

    # The user's side.

    def open(self, text: str, uri: str = URI, version: int = 1) -> None:
        """Open a document."""
        self.documents[uri] = ClientDocument(text, version)
        self.workspace.open(uri, "python", version, text)

    def close(self, uri: str = URI) -> None:
        """Close a document."""
        del self.documents[uri]
        self.workspace.close(uri)

    def text(self, uri: str = URI) -> str:
        """Return a document's text, which both sides must agree on."""
        text = self.documents[uri].text
        assert self.workspace.document(uri).snapshot().text == text
        return text

    def replace(self, start: int, end: int, text: str, uri: str = URI) -> None:
        """Type: replace what is between two offsets."""
        self.tell([self.splice(start, end, text, uri)], uri)

    def type(self, before: str, text: str, uri: str = URI) -> None:
        """Type in front of the first place where some text stands."""
        at = self.documents[uri].text.index(before)
        self.replace(at, at, text, uri)

    def splice(self, start: int, end: int, text: str, uri: str = URI) -> ContentChange:
        """Change the client's document without notifying the server yet."""
        document = self.documents[uri]
        replaced = Range(document.position(start), document.position(end))
        document.text = document.text[:start] + text + document.text[end:]
        return ContentChange(range=replaced, text=text)

    def tell(self, changes: Sequence[ContentChange], uri: str = URI) -> None:
        """Send `didChange`."""
        document = self.documents[uri]
        document.version += 1
        self.workspace.change(uri, document.version, changes)

    def put(self, asked: Applied) -> list[ContentChange]:
        """Apply an edit to the client's document without notifying the server yet."""
        document = self.documents[asked.uri]
        changes = [
            ContentChange(range=edit.range, text=edit.new_text)
            for edit in reversed(asked.edits)
        ]
        before, document.text = document.text, document.edited(asked.edits)
        self.on_put(asked, before, document.text)
        return changes

    def is_stale(self, asked: Applied) -> bool:
        """Whether an edit was made for another version, or a document now closed."""
        document = self.documents.get(asked.uri)
        return document is None or document.version != asked.version

    def shown(self, session_id: str) -> str:
        """Return the text that a preview shows, as if all of it were accepted."""
        preview = self.previews[session_id]
        document = self.documents[preview.began.snapshot.uri]
        hunks = sorted(preview.hunks.values(), key=lambda h: h.edit.range.start)
        return document.edited([hunk.edit for hunk in hunks])

    # The port.

    async def apply_edit(
        self, snapshot: Snapshot, edits: Sequence[TextEdit], label: str
    ) -> bool:
        asked = Applied(snapshot.uri, snapshot.version, tuple(edits), label)
        self.asked.append(asked)
        self.changed.set()
        return await self.take_edit(self, asked)

    def began(self, began: Began) -> None:
        assert self.traits.has_preview
        assert began.session_id not in self.previews
        self._check_version(began.snapshot)
        self.previews[began.session_id] = Preview(began)

    def hunks(self, painted: HunksPainted) -> None:
        preview = self.previews[painted.session_id]
        assert preview.ended is None
        assert painted.seq == preview.seq + 1
        self._check_version(painted.snapshot)
        preview.seq = painted.seq
        preview.n_messages += 1
        if painted.is_full:
            assert not painted.removed
            preview.hunks.clear()
        assert not {hunk.id for hunk in painted.hunks} & set(painted.removed)
        for gone in painted.removed:
            del preview.hunks[gone]
        for hunk in painted.hunks:
            preview.hunks[hunk.id] = hunk
        self.shown(painted.session_id)
        self.changed.set()

    def ended(self, ended: EditEnd) -> None:
        preview = self.previews[ended.session_id]
        assert preview.ended is None
        preview.ended = ended

    def show_message(self, message: str) -> None:
        self.messages.append(message)

    def mark(self, snapshot: Snapshot, marks: Sequence[ProblemMark]) -> None:
        # A document that was just closed has no version any more.
        if snapshot.uri in self.documents:
            self._check_version(snapshot)
        self.marks[snapshot.uri] = tuple(marks)

    def start_progress(
        self,
        title: str,
        token: str | int | None,
        on_cancel: Callable[[], object],
        *,
        message: str | None = None,
    ) -> FakeProgress:
        self.progress.append(FakeProgress(title, token, on_cancel, message))
        return self.progress[-1]

    def _check_version(self, snapshot: Snapshot) -> None:
        document = self.documents[snapshot.uri]
        assert snapshot.version == document.version
        assert snapshot.text == document.text


# Ways of taking an edit.


async def take(editor: FakeEditor, asked: Applied) -> bool:
    """As most do: send the change, then answer; refuse stale edits."""
    if editor.is_stale(asked):
        return False
    editor.tell(editor.put(asked), asked.uri)
    return True


async def answer_first(editor: FakeEditor, asked: Applied) -> bool:
    """Answer, and send the change a little later."""
    if editor.is_stale(asked):
        return False
    changes = editor.put(asked)
    loop = asyncio.get_running_loop()
    loop.call_soon(lambda: loop.call_soon(editor.tell, changes, asked.uri))
    return True


async def drop_stale(editor: FakeEditor, asked: Applied) -> bool:
    """Say yes also to what is stale, and drop that."""
    if not editor.is_stale(asked):
        editor.tell(editor.put(asked), asked.uri)
    return True


async def take_stale(editor: FakeEditor, asked: Applied) -> bool:
    """As one that reads no versions: apply it wherever its lines are now."""
    editor.tell(editor.put(asked), asked.uri)
    return True


async def tell_late(editor: FakeEditor, asked: Applied) -> bool:
    """Apply it, and send it together with what the user typed right after it."""
    if editor.is_stale(asked):
        return False
    changes = editor.put(asked)
    editor.tell([*changes, *editor.typed_after()], asked.uri)
    return True


async def refuse(editor: FakeEditor, asked: Applied) -> bool:
    """Say no."""
    return False


async def drop(editor: FakeEditor, asked: Applied) -> bool:
    """Say yes and do nothing."""
    return True


async def fail(editor: FakeEditor, asked: Applied) -> bool:
    """Answer with an error."""
    raise EditorRefusedError("It is read-only.", code=-32803)


async def never(editor: FakeEditor, asked: Applied) -> bool:
    """Neither do it nor answer."""
    await asyncio.Event().wait()
    return True


async def tell_only(editor: FakeEditor, asked: Applied) -> bool:
    """Do it and never answer."""
    await take(editor, asked)
    return await never(editor, asked)


async def tell_and_deny(editor: FakeEditor, asked: Applied) -> bool:
    """Do it and say no."""
    await take(editor, asked)
    return False


async def tell_and_fail(editor: FakeEditor, asked: Applied) -> bool:
    """Do it and answer what makes no sense."""
    await take(editor, asked)
    raise RemoteProtocolError("The answer does not fit.")
