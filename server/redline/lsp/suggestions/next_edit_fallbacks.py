"""Shows next edits by standard methods to clients that do not request them.

Code actions always; code lenses or hints as `next_edit.show` says; and ghost text, if
the next edit is an insertion at the cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from redline.assist.actions.kinds import NEXT_EDIT, is_wanted
from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.document_state import CompletionItem
from redline.assist.suggestions.next_edits.next_edits import NextEdits
from redline.assist.suggestions.next_edits.offered import FileEdits, OfferedEdit
from redline.lsp.actions.action_messages import CodeAction, LspCommand
from redline.lsp.client.diagnostics import HINT, DiagnosticBoard, LspDiagnostic
from redline.lsp.client.optional_requests import ask
from redline.lsp.client.window import MessageType, show_message
from redline.lsp.client.workspace_edits import EditForms, apply_edit, joined
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import DeferredAnswer, RequestContext
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import ExecuteCommand, WorkspaceEdit, wire_range
from redline.lsp.review.finding_board import CodeLens
from redline.lsp.rooms.command_row import CommandRow, command
from redline.lsp.suggestions import next_edit_messages
from redline.lsp.suggestions.inline_completion import announce_completion
from redline.next_edits.ghost_text import as_ghost_text
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.together import as_one, n_steps, taken_together
from redline.settings.completion import NextEditSettings
from redline.text.anchor import Splice
from redline.text.document import Document, Snapshot
from redline.text.markdown import plain_message
from redline.text.position import Position
from redline.text.region import TextEdit

_OWNER = "next edits"
_MAX_TITLE = 40
_HAS_CHANGED = (
    "Redline: a text has changed since this was offered, so nothing was applied."
)


class NextEditFallbacks:
    """The next edits of one client that does not show them itself."""

    def __init__(
        self,
        endpoint: Endpoint,
        client: Client,
        workspace: Workspace,
        next_edits: NextEdits,
        diagnostics: DiagnosticBoard,
        settings: Callable[[], NextEditSettings],
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._workspace = workspace
        self._next_edits = next_edits
        self._diagnostics = diagnostics
        self._settings = settings
        self._forms = EditForms(client)
        self._hinted: set[str] = set()
        """The documents with a hint."""
        self._last: dict[str, str] = {}
        """The id of the last next edit of each document."""
        workspace.follow(self)

    def table(self) -> dict[str, CommandRow]:
        """Return the row of the lenses' command."""
        return {
            names.APPLY_NEXT_EDIT: command(
                next_edit_messages.ApplyNextEditArguments, self._apply
            )
        }

    def changed(self, uri: str) -> None:
        """Show that the next edit of a document is another one, or has moved."""
        if self._client.has_next_edit or not self._workspace.has(uri):
            return
        offered = self._next_edits.next_edit(uri, None, is_settled=False)
        self._hint(uri, offered)
        edit_id = "" if offered is None else offered.id
        if self._last.get(uri, "") != edit_id:
            self._last[uri] = edit_id
            self._request_again(uri)

    # As a `WorkspaceFollower`.

    def document_opened(self, document: Document) -> None:
        """Do nothing: what is offered in it is reported by `changed`."""

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Do nothing: the next edits follow."""

    def document_changed(self, document: Document) -> None:
        """Do nothing, as above."""

    def document_closed(self, document: Document) -> None:
        """Remove its hint."""
        self._last.pop(document.uri, None)
        self._hint(document.uri, None)

    # Code actions, lenses, hints and ghost text.

    def actions(
        self, snapshot: Snapshot, only: Collection[str] | None
    ) -> list[CodeAction]:
        """Offer the next edits of a document as code actions, anywhere in it."""
        if self._client.has_next_edit or not is_wanted(NEXT_EDIT, only):
            return []
        files = _changes(self._next_edits.all_edits(snapshot.uri))
        offered = self._next_edits.next_edit(snapshot.uri, None, is_settled=False)
        if not files or offered is None:
            return []
        target, first = files[0]
        together = taken_together(first.edits)
        head = as_one(together, target.lines)
        name = "" if target.uri == snapshot.uri else f"{self._name(target.uri)}, "
        title = _title(head, name)
        n_edits = sum(len(file.edits) for _, file in files)
        one = [(target, replace(first, edits=together))]
        n_all = sum(n_steps(file.edits) for _, file in files)
        if n_all == 1:
            return [self._action(title, one, offered.id)]
        in_files = f" in {len(files)} files" if len(files) > 1 else ""
        return [
            self._action(f"{title} (1 of {n_all})", one, offered.id),
            self._action(
                f"{head.why}: all {n_edits} places{in_files}",
                files,
                offered.id,
                places=n_edits,
            ),
        ]

    def lenses(self, uri: str) -> list[CodeLens]:
        """Return the lens of a document's next edit, above the line of the edit."""
        if self._client.has_next_edit or self._settings().show != "lens":
            return []
        offered = self._next_edits.next_edit(uri, None, is_settled=False)
        if offered is None or offered.document.uri != uri or offered.edit.is_jump:
            return []
        edit, n_edits = offered.edit, offered.n_left + 1
        among = f" (1 of {n_edits})" if n_edits > 1 else ""
        title = f"Next edit: {_words(edit)}{among}"
        arguments = next_edit_messages.ApplyNextEditArguments(id=offered.id)
        lens = CodeLens(
            wire_range(offered.document.snapshot(), edit.range),
            LspCommand(title, names.APPLY_NEXT_EDIT, [arguments]),
        )
        return [lens]

    def ghost_text(
        self, document: Document, at: Position, *, is_invoked: bool
    ) -> CompletionItem | None:
        """Return the next edit as an insertion at the cursor, if it is one."""
        if self._client.has_next_edit:
            return None
        offered = self._next_edits.next_edit(
            document.uri, at, is_settled=is_invoked, is_invoked=is_invoked
        )
        if offered is None or offered.document is not document:
            return None
        lines = document.lines_between(at.line, at.line + 1)
        edit = as_ghost_text(offered.edit, lines[0], at) if lines else None
        if edit is None:
            return None
        self._next_edits.shown(offered.id)
        place = edit.range
        return CompletionItem(text=edit.text, start=place.start, end=place.end)

    def _request_again(self, uri: str) -> None:
        """Have the client request what shows the next edit."""
        document = self._workspace.document(uri)
        announce_completion(self._endpoint, self._client, document)
        if self._settings().show == "lens" and self._client.refreshes_lenses:
            asking = ask(self._endpoint, "workspace/codeLens/refresh", None)
            self._endpoint.start(asking, name="refresh lenses")

    def _hint(self, uri: str, offered: OfferedEdit | None) -> None:
        """Publish the hint of a document's next edit, or remove it."""
        is_here = offered is not None and offered.document.uri == uri
        if offered is None or not is_here or self._settings().show != "hint":
            if uri in self._hinted:
                self._hinted.discard(uri)
                self._diagnostics.put(_OWNER, uri, ())
            return
        snapshot, edit = offered.document.snapshot(), offered.edit
        words = edit.why if edit.is_jump else _words(edit)
        hint = LspDiagnostic(
            range=wire_range(snapshot, edit.range),
            message=plain_message(f"Next edit: {words}"),
            severity=HINT,
            source="redline",
            code="next-edit",
        )
        self._hinted.add(uri)
        self._diagnostics.put(_OWNER, uri, [hint], version=snapshot.version)

    def _apply(
        self, arguments: next_edit_messages.ApplyNextEditArguments, _: ExecuteCommand
    ) -> DeferredAnswer | None:
        """Apply an edit of a lens or an action, if it is still offered."""
        if arguments.places is None:
            files = self._next_one(arguments.id)
        else:
            files = _changes(self._next_edits.all_with(arguments.id))
        if sum(len(file.edits) for _, file in files) != (arguments.places or 1):
            show_message(self._endpoint, MessageType.WARNING, _HAS_CHANGED)
            return None
        edit = self._workspace_edit(files)

        async def work(_: RequestContext) -> object:
            await apply_edit(self._endpoint, "Redline: next edit", edit)
            return None

        return DeferredAnswer(work)

    def _next_one(self, edit_id: str) -> list[tuple[Snapshot, FileEdits]]:
        """Return the edit with an id, with those that are taken with it, as one."""
        offered = self._next_edits.offered(edit_id)
        if offered is None:
            return []
        document = offered.document
        one = FileEdits(
            document=document, is_open=offered.is_open, edits=(offered.edit,)
        )
        return _changes([one])

    def _name(self, uri: str) -> str:
        return self._workspace.relative_path(uri)

    def _action(
        self,
        title: str,
        files: Sequence[tuple[Snapshot, FileEdits]],
        edit_id: str,
        *,
        places: int | None = None,
    ) -> CodeAction:
        if not all(file.is_open for _, file in files):
            # The client has no version of such a file to compare: what is offered is
            # read again when the user chooses it, as the file may have changed.
            arguments = next_edit_messages.ApplyNextEditArguments(
                id=edit_id, places=places
            )
            chosen = LspCommand(title, names.APPLY_NEXT_EDIT, [arguments])
            return CodeAction(title=title, kind=NEXT_EDIT, command=chosen)
        return CodeAction(title=title, kind=NEXT_EDIT, edit=self._workspace_edit(files))

    def _workspace_edit(
        self, files: Sequence[tuple[Snapshot, FileEdits]]
    ) -> WorkspaceEdit:
        parts: list[WorkspaceEdit] = []
        for snapshot, file in files:
            ordered = sorted(file.edits, key=lambda one: one.range.start)
            ours = [TextEdit(range=one.range, new_text=one.text) for one in ordered]
            parts.append(self._forms.of_edits(snapshot, ours, is_open=file.is_open))
        return joined(parts)


def _changes(files: Sequence[FileEdits]) -> list[tuple[Snapshot, FileEdits]]:
    return [
        (file.document.snapshot(), replace(file, edits=edits))
        for file in files
        if (edits := tuple(one for one in file.edits if not one.is_jump))
    ]


def _title(edit: NextEdit, name: str) -> str:
    """Name an edit with its line, as the user counts.

    Args:
        edit: The edit.
        name: The name of its file, as it begins the title; empty: the file at hand.
    """
    line = f"{name}{'line' if name else 'Line'} {edit.range.start.line + 1}:"
    return f"{line} {_words(edit)}"


def _words(edit: NextEdit) -> str:
    old, new = (_short(part) for part in (edit.old, edit.text))
    if not old:
        return f"insert {new}"
    return f"{old} → {new}" if new else f"remove {old}"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _MAX_TITLE else words[: _MAX_TITLE - 1] + "…"
