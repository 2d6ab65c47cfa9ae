"""What one document remembers of the texts that were shown in it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.document_state import CompletedDocument
from redline.text.anchor import Splice
from redline.text.document import ContentChange, Document
from redline.text.position import Position, Range

URI = "file:///project/cart.py"


class Typist:
    """Types into one document, on a clock of its own."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.at = Position(0, 0)
        self._workspace = Workspace()
        self._workspace.follow(self)
        self._workspace.open(URI, "python", 1, "")

    def document_opened(self, document: Document) -> None:
        self.state = CompletedDocument(document)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        self.state.splice(splice, old_lines)

    def document_changed(self, document: Document) -> None:
        self.state.settle_change(self.now_s)

    def document_closed(self, document: Document) -> None:
        """Do nothing."""

    def type(self, text: str, *, after_s: float = 0.1) -> None:
        """Insert a text at the end of the line after some seconds."""
        self.now_s += after_s
        version = self.state.document.version + 1
        change = ContentChange(range=Range(self.at, self.at), text=text)
        self._workspace.change(URI, version, [change])
        self.at = Position(0, self.at.character + len(text))

    def show(self, text: str) -> None:
        """Show a text at the cursor."""
        self.state.note_shown(text, self.at, self.now_s)


@pytest.mark.parametrize(
    ("along", "pause_s", "expected"),
    [("", 1.0, 1), ("", 0.2, 0), ("abc", 0.2, 0), ("abc", 1.0, 1)],
)
def test_what_was_ignored(along: str, pause_s: float, expected: int) -> None:
    """A text that stood for 0.75 s, since it was shown or agreed with a key."""
    typist = Typist()
    for _ in range(3):
        typist.show("abcdef")
        for key in along:
            typist.type(key, after_s=0.5)
        typist.type("z", after_s=pause_s)
    assert typist.state.steps_calmer == expected
