"""`textDocument/inlineCompletion`, and `textDocument/completion` in its place.

Both are answered inside the reader if the answer is known. A request that waits for a
model is answered with `null` when a newer one comes; a failure is an empty list.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import Protocol

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.completions import Completions
from redline.assist.suggestions.complete.document_state import (
    CompletionItem,
    Items,
    OpenRequest,
)
from redline.assist.suggestions.complete.items import PopupSelection
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import AnswerByCallback
from redline.lsp.protocol.messages import LspPosition, LspRange, LspTextEdit
from redline.lsp.protocol.names import INLINE_CHANGED, INLINE_DISMISSED
from redline.lsp.suggestions.completion_messages import (
    INVOKED,
    CompletionParams,
    InlineCompletionParams,
    InlineItem,
    InlineList,
    PopupItem,
    PopupList,
    SelectedCompletion,
)
from redline.lsp.suggestions.next_edit_messages import (
    InlineChanged,
    InlineDismissedArguments,
)
from redline.text.document import Document
from redline.text.position import Position, to_code_points, to_units

METHOD = "textDocument/inlineCompletion"

_POPUP_LIMIT_S = 0.15
"""A slow server holds up the items of all servers in the popup."""

_LAST = "~"
"""Sorts behind the items of other servers."""

_WORD = re.compile(r"(?<!\w)\w*+\Z")


class NextEditAsText(Protocol):
    """Returns the next edit of a document, if it is an insertion at the cursor."""

    def __call__(
        self, document: Document, at: Position, *, is_invoked: bool
    ) -> CompletionItem | None:
        """Return what the editor is to show."""


def serve_inline_completion(
    endpoint: Endpoint,
    workspace: Workspace,
    completions: Completions,
    *,
    next_edit: NextEditAsText,
) -> None:
    """Register both requests, and the notification that a text was dismissed.

    Args:
        endpoint: The connection.
        workspace: The open documents.
        completions: The use case.
        next_edit: What is shown as ghost text where there is no completion.
    """
    server = _CompletionServer(workspace, completions, next_edit)
    endpoint.on_request_now(METHOD, InlineCompletionParams, server.inline)
    endpoint.on_request_now("textDocument/completion", CompletionParams, server.popup)
    endpoint.on_notification(
        INLINE_DISMISSED,
        InlineDismissedArguments,
        lambda arguments: completions.dismissed(arguments.uri),
    )


def announce_completion(endpoint: Endpoint, client: Client, document: Document) -> None:
    """Notify the client that its last request would now be answered with more."""
    if client.refreshes_ghost_text:
        changed = InlineChanged(uri=document.uri, version=document.version)
        endpoint.notify(INLINE_CHANGED, changed)


class _CompletionServer:
    def __init__(
        self,
        workspace: Workspace,
        completions: Completions,
        next_edit: NextEditAsText,
    ) -> None:
        self._workspace = workspace
        self._completions = completions
        self._next_edit = next_edit

    def inline(self, params: InlineCompletionParams) -> object:
        """Answer `textDocument/inlineCompletion`."""
        uri = params.text_document.uri
        document = self._document(uri)
        at = None if document is None else _position(document, params.position)
        if document is None or at is None:
            return InlineList(())
        selected = params.context.selected_completion_info
        is_invoked = params.context.trigger_kind == INVOKED
        answer = self._completions.request(
            uri,
            at,
            is_invoked=is_invoked,
            selection=None if selected is None else _selection(document, at, selected),
        )

        def write(items: Items | None) -> InlineList | None:
            if items == () and selected is None:
                edit = self._next_edit(document, at, is_invoked=is_invoked)
                items = () if edit is None else (edit,)
            return _inline_list(document, at, items)

        if not isinstance(answer, OpenRequest):
            return write(answer)
        return self._later(uri, answer, write)

    def popup(self, params: CompletionParams) -> object:
        """Answer `textDocument/completion`."""
        uri = params.text_document.uri
        document = self._document(uri)
        at = None if document is None else _position(document, params.position)
        if document is None or at is None:
            return PopupList(is_incomplete=False, items=())
        answer = self._completions.request(uri, at, is_invoked=False, selection=None)
        if not isinstance(answer, OpenRequest):
            return _popup_list(document, at, answer, is_late=False)

        limit = asyncio.get_running_loop().call_later(
            _POPUP_LIMIT_S, self._completions.cancel, uri, answer
        )

        def write(items: Items | None) -> PopupList:
            limit.cancel()
            return _popup_list(document, at, items, is_late=items is None)

        return self._later(uri, answer, write)

    def _later(
        self,
        uri: str,
        request: OpenRequest,
        write: Callable[[Items | None], object],
    ) -> AnswerByCallback:
        def then(answer: Callable[[Callable[[], object]], None]) -> None:
            request.then(lambda items: answer(partial(write, items)))

        return AnswerByCallback(then, lambda: self._completions.cancel(uri, request))

    def _document(self, uri: str) -> Document | None:
        return self._workspace.document(uri) if self._workspace.has(uri) else None


def _position(document: Document, wire: LspPosition) -> Position | None:
    """Convert a position to code points; None: there is no such line."""
    lines = document.lines_between(wire.line, wire.line + 1)
    if not lines:
        return None
    column = to_code_points(lines[0], wire.character, document.encoding)
    return Position(wire.line, column)


def _selection(
    document: Document, at: Position, selected: SelectedCompletion
) -> PopupSelection:
    start = _position(document, selected.range.start)
    end = _position(document, selected.range.end)
    return PopupSelection(
        start=at.character if start is None else start.character,
        end=at.character if end is None else end.character,
        text=selected.text,
    )


def _inline_list(
    document: Document, at: Position, items: Items | None
) -> InlineList | None:
    if items is None:
        return None
    return InlineList(tuple(_inline_item(document, at, item) for item in items))


def _inline_item(document: Document, at: Position, item: CompletionItem) -> InlineItem:
    replaced = None
    if item.start < at:
        # The client filters by what the item replaces (LSP 3.18, "filterText").
        line = document.lines_between(at.line, at.line + 1)[0]
        replaced = line[item.start.character : at.character]
    return InlineItem(
        insert_text=item.text,
        range=_range(document, item),
        filter_text=None if replaced is None else replaced + item.text,
    )


def _popup_list(
    document: Document, at: Position, items: Items | None, *, is_late: bool
) -> PopupList:
    shown = tuple(_popup_item(document, at, item) for item in (items or ())[:1])
    # What is not ready yet is requested again with the next key.
    return PopupList(is_incomplete=is_late or bool(shown), items=shown)


def _popup_item(document: Document, at: Position, item: CompletionItem) -> PopupItem:
    lines = document.lines_between(at.line, at.line + 1)
    word = _WORD.search(lines[0][: at.character] if lines else "")
    before = word[0] if word else ""
    # Clients compare the items of all servers by the word before the cursor.
    start = Position(at.line, min(item.start.character, at.character - len(before)))
    kept = lines[0][start.character : item.start.character] if lines else ""
    whole = CompletionItem(text=kept + item.text, start=start, end=item.end)
    return PopupItem(
        label=whole.text.strip().splitlines()[0],
        text_edit=LspTextEdit(_range(document, whole), whole.text),
        filter_text=whole.text.strip() if before else "",
        sort_text=_LAST,
        detail="Redline",
    )


def _range(document: Document, item: CompletionItem) -> LspRange:
    lines = document.lines_between(item.start.line, item.start.line + 1)
    line = lines[0] if lines else ""

    def wire(position: Position) -> LspPosition:
        units = to_units(line, position.character, document.encoding)
        return LspPosition(position.line, units)

    start = wire(item.start)
    return LspRange(start, start if item.end == item.start else wire(item.end))
