"""A document that the rules engine edits: real edits, which the editor applies."""

from __future__ import annotations

import msgspec

from benchmarks.editor import Editor
from benchmarks.figures import NotRunError
from benchmarks.sources import URI, source_lines, text_of
from redline.lsp.protocol.messages import TextDocumentEdit, our_range
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding

_NAMES = ("function_000000", "first_function")


class _Changes(msgspec.Struct, rename="camel"):
    document_changes: list[TextDocumentEdit]


class _Apply(msgspec.Struct):
    """What `workspace/applyEdit` asks for here: changes of one document."""

    edit: _Changes


class RenamedDocument:
    """The document as the editor keeps it."""

    def __init__(self, connected: Editor, *, n_lines: int) -> None:
        lines = source_lines(n_lines)
        self.n_edits = 0
        self._n_lines = n_lines
        self._editor = connected
        self._document = Document(
            uri=URI,
            language_id="python",
            version=1,
            text=text_of(lines),
            encoding=Encoding.UTF_16,
        )
        connected.open_document(URI, lines)
        connected.answer_edit = self._apply

    async def rename(self) -> None:
        """Request renames of a name, there and back.

        Raises:
            NotRunError: If the server did not rename it.
        """
        old, new = _NAMES if self.n_edits % 2 == 0 else reversed(_NAMES)
        asked = self._editor.edit(
            URI, 0, self._n_lines, instruction=f"Rename {old} to {new}", apply="end"
        )
        n_before = self.n_edits
        result = await asked.result()
        if self.n_edits == n_before:
            raise NotRunError(f"The rules engine renamed nothing: {result}")

    def _apply(self, params: msgspec.Raw) -> bool:
        (part,) = msgspec.json.decode(params, type=_Apply).edit.document_changes
        document = self._document
        if part.text_document.version != document.version:
            return False
        # From the last to the first, so that no edit moves another.
        ordered = sorted(part.edits, key=lambda e: e.range.start.line, reverse=True)
        changes = [
            ContentChange(range=our_range(e.range), text=e.new_text) for e in ordered
        ]
        document.change(document.version + 1, changes)
        self._editor.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": URI, "version": document.version},
                "contentChanges": [
                    {"range": e.range, "text": e.new_text} for e in ordered
                ],
            },
        )
        self.n_edits += 1
        return True
