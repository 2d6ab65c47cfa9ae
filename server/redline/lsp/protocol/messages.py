"""The standard LSP messages that take the fast lane, as msgspec types.

The types have only the fields that Redline reads or writes.
Positions are in the client's units (LSP 3.18, "Position"). Conversions to and from our
own values are here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw, Struct

from redline.text.document import ContentChange, Snapshot
from redline.text.position import Position as TextPosition
from redline.text.position import Range as TextRange
from redline.text.region import TextEdit as OurTextEdit


class LspPosition(Struct, frozen=True, gc=False):
    """A place, in the client's units."""

    line: int
    character: int


class LspRange(Struct, frozen=True, gc=False):
    """From `start`, inclusive, to `end`, exclusive."""

    start: LspPosition
    end: LspPosition


class TextDocumentItem(Struct, frozen=True, rename="camel"):
    """A document as the client opens it."""

    uri: str
    text: str
    language_id: str = "plaintext"
    version: int = 0


class DidOpen(Struct, frozen=True, rename="camel"):
    """The params of `textDocument/didOpen`."""

    text_document: TextDocumentItem


class DocumentId(Struct, frozen=True, gc=False):
    """The id of a document, with `version` if the message has one."""

    uri: str
    version: int | None = None


class LspContentChange(Struct, frozen=True):
    """One content change; no range means the whole text."""

    text: str
    range: LspRange | None = None


class DidChange(Struct, frozen=True, rename="camel"):
    """The params of `textDocument/didChange`."""

    text_document: DocumentId
    content_changes: list[LspContentChange]


class DidClose(Struct, frozen=True, rename="camel"):
    """The params of `textDocument/didClose`."""

    text_document: DocumentId


class ExecuteCommand(Struct, frozen=True, rename="camel"):
    """The params of `workspace/executeCommand`."""

    command: str
    arguments: list[Raw] = []
    work_done_token: str | int | None = None


class ProgressCancel(Struct, frozen=True):
    """The params of `window/workDoneProgress/cancel`."""

    token: str | int


class LspTextEdit(Struct, frozen=True, rename="camel"):
    range: LspRange
    new_text: str


class TextDocumentEdit(Struct, frozen=True, rename="camel"):
    text_document: DocumentId
    edits: list[LspTextEdit]


class CreateOptions(Struct, frozen=True, rename="camel"):
    """The options of `CreateFile`."""

    ignore_if_exists: bool = True


class CreateFile(Struct, frozen=True, tag_field="kind", tag="create"):
    """Creates an empty file; an existing file is not changed."""

    uri: str
    options: CreateOptions = CreateOptions()


class WorkspaceEdit(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A workspace edit: versioned, or plain for clients without versions."""

    document_changes: list[TextDocumentEdit | CreateFile] | None = None
    changes: dict[str, list[LspTextEdit]] | None = None


class ApplyEdit(Struct, frozen=True):
    """The params of `workspace/applyEdit`."""

    label: str
    edit: WorkspaceEdit


class ApplyEditResult(Struct, frozen=True, rename="camel"):
    """The client's answer to `workspace/applyEdit`."""

    applied: bool = False


class ProgressToken(Struct, frozen=True):
    """The params of `window/workDoneProgress/create`."""

    token: str | int


class WorkDone(Struct, frozen=True, omit_defaults=True):
    """The value of a work-done progress notification."""

    kind: str
    title: str | None = None
    message: str | None = None
    cancellable: bool | None = None
    percentage: int | None = None


class ProgressParams(Struct, frozen=True):
    """The params of `$/progress`."""

    token: str | int
    value: Struct
    """`WorkDone`, or what the request that gave the token says."""


def our_position(position: LspPosition) -> TextPosition:
    """Convert a wire position to ours, still in the client's units."""
    return TextPosition(position.line, position.character)


def our_range(wire: LspRange) -> TextRange:
    """Convert a wire range to ours, still in the client's units."""
    return TextRange(our_position(wire.start), our_position(wire.end))


def optional_text_range(snapshot: Snapshot, wire: LspRange | None) -> TextRange | None:
    """Convert a wire range to code points, clamped; None stays None."""
    return None if wire is None else snapshot.range_from_client(our_range(wire))


def our_changes(changes: Sequence[LspContentChange]) -> list[ContentChange]:
    """Convert content changes to ours, still in the client's units."""
    return [
        ContentChange(
            range=None if change.range is None else our_range(change.range),
            text=change.text,
        )
        for change in changes
    ]


def wire_range(snapshot: Snapshot, inner: TextRange) -> LspRange:
    """Convert a range in code points to the client's units."""
    return wire_client_range(snapshot.range_to_client(inner))


def wire_client_range(client: TextRange) -> LspRange:
    """Convert a range in the client's units to a wire range."""
    return LspRange(
        LspPosition(client.start.line, client.start.character),
        LspPosition(client.end.line, client.end.character),
    )


def wire_edits(snapshot: Snapshot, edits: Sequence[OurTextEdit]) -> list[LspTextEdit]:
    """Convert edits of a snapshot to the client's units."""
    return [
        LspTextEdit(range=wire_range(snapshot, edit.range), new_text=edit.new_text)
        for edit in edits
    ]
