"""`redline/nextEdit` and its notifications, for clients that show next edits."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.next_edits.next_edits import NextEdits
from redline.assist.suggestions.next_edits.offered import OfferedEdit
from redline.lsp.actions.action_messages import LspCommand
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import DeferredAnswer
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import (
    DocumentId,
    ExecuteCommand,
    LspPosition,
    our_position,
    wire_range,
)
from redline.lsp.rooms.command_row import CommandRow, command
from redline.lsp.suggestions import next_edit_messages
from redline.next_edits.next_edit import NextEdit
from redline.text.document import Document, Snapshot
from redline.text.position import Position, from_client, to_units

_INVOKED = 1
_MODEL_LIMIT_S = 5.0
"""Longest wait of a user who asks for a next edit."""

_NEAR_LINES = 2
_SETTLED = frozenset({"idle", "accepted", "saved", "diagnostics", "manual"})
"""Reasons of a request that mean that the last change has settled."""


class NextEditService:
    """Serves next edits to one client."""

    def __init__(
        self,
        endpoint: Endpoint,
        workspace: Workspace,
        next_edits: NextEdits,
        *,
        is_shown: bool,
    ) -> None:
        self._endpoint = endpoint
        self._workspace = workspace
        self._next_edits = next_edits
        self._is_shown = is_shown

    def serve(self) -> None:
        """Register the request and the notifications of the client."""
        self._endpoint.on_request_now(
            names.NEXT_EDIT, next_edit_messages.NextEditArguments, self._answer
        )
        self._endpoint.on_notification(
            names.NEXT_EDIT_SHOWN,
            next_edit_messages.NextEditIdArguments,
            lambda arguments: self._next_edits.shown(arguments.id),
        )
        self._endpoint.on_notification(
            names.NEXT_EDIT_DISMISSED,
            next_edit_messages.NextEditDismissedArguments,
            lambda arguments: self._next_edits.dismissed(
                arguments.id, arguments.reason
            ),
        )

    def table(self) -> dict[str, CommandRow]:
        return {
            names.NEXT_EDIT_ACCEPTED: command(
                next_edit_messages.NextEditIdArguments, self._accepted
            )
        }

    def changed(self, uri: str) -> None:
        """Notify the client that the next edit of a document is another one."""
        if self._is_shown:
            self._endpoint.notify(
                names.NEXT_EDIT_CHANGED, next_edit_messages.NextEditChanged(uri=uri)
            )

    def _answer(self, arguments: next_edit_messages.NextEditArguments) -> object:
        uri = arguments.text_document.uri
        if not self._workspace.has(uri):
            return next_edit_messages.NextEditList(edits=())
        document = self._workspace.document(uri)
        if arguments.text_document.version not in (None, document.version):
            return next_edit_messages.NextEditList(edits=())
        snapshot = document.snapshot()
        cursor = from_client(
            snapshot.lines, our_position(arguments.position), snapshot.encoding
        )
        is_invoked = arguments.context.trigger_kind == _INVOKED
        offered = self._next_edits.next_edit(
            uri,
            cursor,
            is_settled=arguments.context.reason in _SETTLED,
            is_invoked=is_invoked,
        )
        if offered is None and is_invoked:
            return DeferredAnswer(lambda _: self._answer_soon(document, cursor))
        return self._list(document, offered, cursor)

    async def _answer_soon(
        self, document: Document, cursor: Position
    ) -> next_edit_messages.NextEditList:
        """Answer the user's own request when the model has answered."""
        version = document.version
        with suppress(TimeoutError):
            async with asyncio.timeout(_MODEL_LIMIT_S):
                await self._next_edits.found()
        is_same = self._workspace.is_open(document) and document.version == version
        offered = None
        if is_same:
            offered = self._next_edits.next_edit(document.uri, None, is_settled=False)
        return self._list(document, offered, cursor)

    def _list(
        self, document: Document, offered: OfferedEdit | None, cursor: Position
    ) -> next_edit_messages.NextEditList:
        if offered is None:
            return next_edit_messages.NextEditList(edits=())
        item = _item(offered, cursor, is_here=offered.document is document)
        return next_edit_messages.NextEditList(edits=(item,))

    def _accepted(
        self, arguments: next_edit_messages.NextEditIdArguments, _: ExecuteCommand
    ) -> None:
        self._next_edits.accepted(arguments.id)


def _item(
    offered: OfferedEdit, cursor: Position, *, is_here: bool
) -> next_edit_messages.NextEditItem:
    edit, snapshot = offered.edit, offered.document.snapshot()
    accepted = LspCommand(
        "",
        names.NEXT_EDIT_ACCEPTED,
        [next_edit_messages.NextEditIdArguments(id=offered.id)],
    )
    return next_edit_messages.NextEditItem(
        id=offered.id,
        kind="jump" if edit.is_jump else "edit",
        text_document=DocumentId(
            snapshot.uri, snapshot.version if offered.is_open else None
        ),
        range=wire_range(snapshot, edit.range),
        old=edit.old,
        text=edit.text,
        cursor=_cursor_after(snapshot, edit),
        why=edit.why,
        from_="model" if edit.rule == "model" else "rules",
        left=offered.n_left,
        display=_display(edit, cursor) if is_here else "jump",
        command=accepted,
    )


def _display(edit: NextEdit, cursor: Position) -> next_edit_messages.NextEditDisplay:
    start = edit.range.start
    if edit.text and edit.range.is_empty and start == cursor and "\n" not in edit.text:
        return "inline"
    return "here" if abs(start.line - cursor.line) <= _NEAR_LINES else "jump"


def _cursor_after(snapshot: Snapshot, edit: NextEdit) -> LspPosition:
    """Return where the cursor belongs after the edit, in the client's units."""
    start = edit.range.start
    head = snapshot.lines[start.line][: start.character] + edit.text
    last = head.rpartition("\n")[2]
    units = to_units(last + "\n", len(last), snapshot.encoding)
    return LspPosition(start.line + edit.text.count("\n"), units)
