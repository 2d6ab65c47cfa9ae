"""A user who types into an open document, one character at a time."""

from __future__ import annotations

from benchmarks.editor import Editor
from benchmarks.sources import source_lines
from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.framing import frame

N_LINES = 1_000

_STATUS = ("workspace/executeCommand", {"command": "redline.status", "arguments": []})


class Typist:
    """Types a character at the start of a document of its own, and deletes it."""

    def __init__(self, connected: Editor, uri: str) -> None:
        self._editor = connected
        self._uri = uri
        self._version = 1
        connected.open_document(uri, source_lines(N_LINES))

    async def keystroke(self) -> float:
        """Return the seconds to the answer of a cheap request behind a keystroke."""
        asked = self._editor.ask(*_STATUS, after=frame(self._typed()))
        _, answered = await asked.wait()
        return answered - asked.sent

    def _typed(self) -> bytes:
        self._version += 1
        at = {"line": 0, "character": 0}
        end = {"line": 0, "character": self._version % 2}
        change = {"range": {"start": at, "end": end}, "text": "x" * (end == at)}
        document = {"uri": self._uri, "version": self._version}
        params = {"textDocument": document, "contentChanges": [change]}
        return rpc.encode_notification("textDocument/didChange", params)
