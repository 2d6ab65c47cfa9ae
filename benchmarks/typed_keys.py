"""An editor that types into a document, and a model that is right about each line."""

from __future__ import annotations

import asyncio

from benchmarks.editor import Editor
from benchmarks.sources import source_lines
from benchmarks.stub_model import Call

LINE = " transform(value, scale=2) + offset"
"""What is typed behind the first key of a line."""


class TypedKeys:
    """Types lines into a document; each key is followed by the editor's request."""

    def __init__(self, connected: Editor, uri: str, n_lines: int) -> None:
        self._editor = connected
        self._uri = uri
        self._version = 1
        self._line = n_lines // 2
        self._lines = source_lines(n_lines)
        connected.open_document(uri, self._lines)

    async def line(self, keys: str, *, pause_s: float = 0.0) -> None:
        """Type at the end of the next line.

        Args:
            keys: The text, a character a key.
            pause_s: How long to wait after each key.
        """
        self._line += 1
        at = len(self._lines[self._line])
        for n, char in enumerate("+" + keys):
            self._version += 1
            where = {"line": self._line, "character": at + n}
            self._editor.notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": self._uri, "version": self._version},
                    "contentChanges": [
                        {"range": {"start": where, "end": where}, "text": char}
                    ],
                },
            )
            after = {"line": self._line, "character": at + n + 1}
            await self._editor.request(
                "textDocument/inlineCompletion",
                {
                    "textDocument": {"uri": self._uri},
                    "position": after,
                    "context": {"triggerKind": 2},
                },
            )
            if pause_s:
                await asyncio.sleep(pause_s)


def reply_along(call: Call) -> None:
    """Reply as a model that is right: with the line that is typed, and one more."""
    left = _cursor_line(call)
    line = left.strip().partition(")+")[0] + ")+" + LINE
    call.answer(f"{line}\n    value = {line[:12]}\n")


def _cursor_line(call: Call) -> str:
    """Return the line before the cursor that a request shows."""
    # The instructions, which follow the input, name the mark as well.
    shown, _, _ = call.body.partition(b'"instructions":')
    before, _, _ = shown.rpartition(b"<|cursor|>")
    return before.decode().rpartition("\\n")[2]
